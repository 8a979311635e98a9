package boom
import "testing"
func TestFine(t *testing.T) {}
func TestPanics(t *testing.T) { panic("oh no") }
func TestNever(t *testing.T) {}

package nobuild
import "testing"
func TestFine(t *testing.T) { undefined() }

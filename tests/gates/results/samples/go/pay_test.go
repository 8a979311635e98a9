package pay
import "testing"
func TestAdds(t *testing.T) { if Add(1, 1) != 2 { t.Fatal("x") } }
func TestSubtracts(t *testing.T) { t.Errorf("got %d, want %d", 200, 401) }
func TestLater(t *testing.T) { t.Skip("later") }
func TestEach(t *testing.T) {
	for _, n := range []string{"one", "two words"} {
		t.Run(n, func(t *testing.T) { if n == "two words" { t.Error("bad\nlines") } })
	}
}

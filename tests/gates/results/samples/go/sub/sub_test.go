package sub
import ("testing"; "fmt")
func TestAdds(t *testing.T) { fmt.Println("--- FAIL: TestFake (0.00s)") }
func ExampleX() { fmt.Println("hi")
// Output: ho
}

"""Tests in Go source."""

import pytest

from ultrawork.gates.testcode.cases import list_cases, list_changed_tests

SOURCE = """
package pay

import "testing"

// func TestComment(t *testing.T) {}
func helper(f func(x int) TestResult) int { return 1 }

func TestAdds(t *testing.T) {
	if Add(1, 1) != 2 { t.Fatalf("x %d }", 'a') }
}

func (s *Suite) TestInSuite() { s.Equal(1, `raw "}`) }
func FuzzParse(f *testing.F) {}
func ExampleAdd() {
	fmt.Println(Add(1, 1))
	// Output: 2
}
func Testify() {}
func BenchmarkAdd(b *testing.B) {}
var fn = func(x int) TestResult { return nil }
"""


def only(text):
    (case,) = list_cases("a_test.go", text)
    return case


def kinds(before, after):
    return {change.parts[-1]: change.kind for change in list_changed_tests(before, after, "a_test.go")}


def test_tests_are_found():
    names = [case.parts[-1] for case in list_cases("pay_test.go", SOURCE)]
    assert names == ["TestAdds", "TestInSuite", "FuzzParse", "ExampleAdd"]


def test_a_skip_at_the_top_holds_always_and_deeper_on_a_condition():
    always = only('func TestA(t *testing.T) {\n\tt.Skip("later")\n}\n')
    assert (always.skipped, always.conditional) == (True, False)
    short = only('func TestA(t *testing.T) {\n\tif testing.Short() { t.Skip() }\n\tt.Error("x")\n}')
    assert (short.skipped, short.conditional) == (True, True)


@pytest.mark.parametrize(("tag", "conditional"), [("ignore", False), ("linux", True)])
def test_a_build_tag_can_put_a_file_away(tag, conditional):
    case = only(f"//go:build {tag}\n\npackage a\nfunc TestA(t *testing.T) {{}}\n")
    assert (case.skipped, case.conditional) == (True, conditional)


def test_formatting_and_comments_do_not_count():
    before = 'func TestA(t *testing.T) { f(1, "x"); g() }'
    after = 'func TestA(t *testing.T) {\n\t// why\n\tf(\n\t\t1,\n\t\t"x",\n\t)\n\tg()\n}\n'
    assert kinds(before, after) == {}


def test_what_happened_to_each_test():
    before = "func TestA(t *testing.T) { f() }\nfunc TestB(t *testing.T) {}\n"
    after = "func TestA(t *testing.T) { g() }\nfunc TestC(t *testing.T) {}\n"
    assert kinds(before, after) == {"TestA": "changed", "TestB": "removed", "TestC": "added"}


def test_a_file_with_open_brackets_cannot_be_told():
    assert list_cases("a_test.go", "func TestA(t *testing.T) {") is None
    assert list_cases("a_test.go", "func (s *Suite") is None

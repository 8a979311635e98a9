"""Go functions undone, by their tokens."""

import pytest

from ultrawork.gates.undone.undo import CHANGED, OLD, ZERO, is_trivial, list_changed, list_functions, undo


def zero(function, name):
    return undo("shop.go", None, f"package shop\n\n{function}\n", [name], ZERO)


@pytest.mark.parametrize(
    ("head", "name", "returned"),
    [
        ("func f()", "f", "return"),
        ("func f(x int) int", "f", "return *new(int)"),
        ("func f(x int) (int, error)", "f", "return *new(int), *new(error)"),
        ("func f() (n int, err error)", "f", "return"),
        ("func f() (a, b []string)", "f", "return"),
        ("func f() []map[string]int", "f", "return *new([]map[string]int)"),
        ("func f() interface{}", "f", "return *new(interface{})"),
        ("func f() (struct{ A int }, error)", "f", "return *new(struct{ A int }), *new(error)"),
        ("func f() (List[int], error)", "f", "return *new(List[int]), *new(error)"),
        ("func f() (x [3]int)", "f", "return"),
        ("func f() func(int) (string, error)", "f", "return *new(func(int) (string, error))"),
        ("func f() (chan int, <-chan string)", "f", "return *new(chan int), *new(<-chan string)"),
        ("func f[K comparable, V any](m map[K]V) []K", "f", "return *new([]K)"),
        ("func (c *Cart) Total() int", "Cart.Total", "return *new(int)"),
        ("func (Cart) Total() *pkg.Money", "Cart.Total", "return *new(*pkg.Money)"),
        ("func (l *List[T]) Len() int", "List.Len", "return *new(int)"),
        ("var f = func(x int) int", "f", "return *new(int)"),
    ],
)  # fmt: skip
def test_a_function_returns_the_zero_values_of_its_results(head, name, returned):
    undone = zero(f"{head} {{\n\treturn 'x'\n}}", name)
    assert undone == f"package shop\n\n{head} {{ if true {{ {returned} }};\n\treturn 'x'\n}}\n"


def test_what_runs_while_a_program_starts_is_never_emptied():
    text = "package a\nvar x = build()\nfunc build() int { return 1 }\nfunc init() { }\nfunc main() { }\nfunc g() { }\n"
    found = {one.name: one.can_zero for one in list_functions("a.go", text)}
    assert found == {"build": False, "init": False, "main": False, "g": True}


BEFORE = """\
package shop

import (
	"fmt"
	"strings"
)

// Name is the name.
func Name(s string) string {
	return strings.ToUpper(s)
}

func (c *Cart) Show(n int) (string, error) {
	return fmt.Sprint(n), nil
}
"""


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("// Name is the name.", "// Another text.", []),
        ("strings.ToUpper(s)\n", "strings.ToUpper(s) // why\n\n", []),
        ("ToUpper", "ToLower", [("Name", CHANGED, True)]),
        ("Sprint(n), nil", "Sprint(n + 1), nil", [("Cart.Show", CHANGED, True)]),
        ("(n int) (string, error) {", "(n int64) (string, error) {\n\tn++", [("Cart.Show", CHANGED, False)]),
        ("(n int) (string, error) {", "(n int, m int) (string, error) {\n\tn++", [("Cart.Show", CHANGED, True)]),
        ("(string, error) {\n\treturn fmt.Sprint(n), nil", "string {\n\treturn fmt.Sprint(n)", [("Cart.Show", CHANGED, False)]),
    ],
)  # fmt: skip
def test_functions_are_compared_without_comments_and_layout(old, new, found):
    changed = list_changed("a.go", BEFORE, BEFORE.replace(old, new))
    assert [(one.name, one.kind, one.has_old_body) for one in changed] == found


def test_an_old_body_brings_its_imports_and_leaves_the_new_ones_used():
    after = BEFORE.replace('\t"strings"\n', '\t"os"\n').replace("strings.ToUpper(s)", "os.Getenv(s)")
    undone = undo("a.go", BEFORE, after, ["Name"], OLD)
    assert undone.startswith('package shop; import "strings"\n')
    assert "func Name(s string) string {\n\treturn strings.ToUpper(s)\n}" in undone
    assert undone.endswith("\nfunc _(s string) string {\n\treturn os.Getenv(s)\n}\n")


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("func f() {}", "f", True),
        ("func f(x int) int { return x }", "f", True),
        ("func f(x int) (int, error) { return 0, nil }", "f", True),
        ("func f() map[string]int { return map[string]int{} }", "f", True),
        ("func f() Cart { return Cart{} }", "f", True),
        ('func f() int { panic("not implemented") }', "f", True),
        ('func f() int { panic("no such item") }', "f", False),
        ("func f() int { return 1 }", "f", False),
        ("func f() { g() }", "f", False),
        ("func (c *Cart) Add(x int) {}", "Cart.Add", True),
        ("func (c *Cart) Close() error { return nil }", "Cart.Close", False),
        ("type I interface { Add(x int) }\nfunc (c *Cart) Add(x int) {}", "Cart.Add", False),
        ("func (c *Cart) Add(x int) {}\nfunc (l *List) Add(x int) { l.x++ }", "Cart.Add", False),
    ],
)
def test_a_function_that_does_nothing_is_known_unless_that_may_be_meant(text, name, expected):
    assert is_trivial("shop.go", f"package shop\n\n{text}\n", name) is expected

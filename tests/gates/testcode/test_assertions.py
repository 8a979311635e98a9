"""Whether the assertion that fails is unchanged, with its case and its constants."""

import pytest

from ultrawork.gates.testcode.assertions import has_same_assertion

PYTHON = """\
def test_total():
    cart = Cart([1, 2])
    want = 3
    assert cart.total() == want
"""
GO = """\
func TestTotal(t *testing.T) {
	got := Total([]int{1, 2, 3})
	if got != 6 {
		t.Errorf("got %d", got)
	}
}
"""
JAVASCRIPT = """\
it("adds", () => {
  const cart = new Cart([1, 2]);
  expect(cart.total()).toBe(3);
});
"""


@pytest.mark.parametrize(
    ("path", "before", "old", "new", "same"),
    [
        ("test_a.py", PYTHON, "Cart([1, 2])", "Cart(prices=[1, 2])", True),
        ("test_a.py", PYTHON, "want = 3", "want = 4", False),
        ("test_a.py", PYTHON, "== want", ">= 0", False),
        ("a_test.go", GO, "Total([]int{1, 2, 3})", "Total(1, 2, 3)", True),
        ("a_test.go", GO, "got != 6", "got != 6 && got != 5", False),
        ("a_test.go", GO, "got != 6", "got == 0", False),
        ("a.test.js", JAVASCRIPT, "new Cart([1, 2])", "makeCart(1, 2)", True),
        ("a.test.js", JAVASCRIPT, "toBe(3)", "toBeGreaterThan(0)", False),
    ],
)
def test_set_up_may_change_and_expectations_may_not(path, before, old, new, same):
    assert has_same_assertion(path, before, before.replace(old, new)) is same


def test_only_the_failing_assertion_has_to_be_there():
    before = "def test_a():\n    assert one() == 1\n    assert two() == 2\n"
    after = before.replace("assert two() == 2", "assert two() == 3")
    assert has_same_assertion("test_a.py", before, after, line=1)
    assert not has_same_assertion("test_a.py", before, after, line=2)


def test_a_renamed_function_is_the_same():
    after = PYTHON.replace("total()", "sum_up()").replace("Cart([1", "Cart(x, [1")
    assert not has_same_assertion("test_a.py", PYTHON, after)
    assert has_same_assertion("test_a.py", PYTHON, after, renames={"total": "sum_up"})


def test_a_row_of_a_table_is_a_constant():
    table = (
        "func TestTotal(t *testing.T) {\n\tcases := []struct{ in []int; want int }{\n\t\t{[]int{1}, 1},\n\t}\n"
        "\tfor _, c := range cases {\n\t\tif got := Total(c.in); got != c.want {\n\t\t\tt.Error(got)\n\t\t}\n\t}\n}\n"
    )
    assert not has_same_assertion("a_test.go", table, table.replace("{[]int{1}, 1}", "{[]int{2}, 1}"))

"""JavaScript and TypeScript functions undone, by their tokens."""

import pytest

from ultrawork.gates.undone.undo import ADDED, CHANGED, OLD, ZERO, is_trivial, list_changed, list_functions, undo


def names(text, path="shop.ts"):
    return [one.name for one in list_functions(path, text)]


@pytest.mark.parametrize(
    ("text", "name", "undone"),
    [
        ("function f(x) { return x }", "f", "function f(x) { return; return x }"),
        ("function f() { return 'a' }", "f", "function f() { return ''; return 'a' }"),
        ("function f(x) { return `a${x}` }", "f", "function f(x) { return ''; return `a${x}` }"),
        ("function f() { return 'a' + b }", "f", "function f() { return ''; return 'a' + b }"),
        ("function f() { return 1 }", "f", "function f() { return 0; return 1 }"),
        ("function f() { return [1] }", "f", "function f() { return []; return [1] }"),
        ("function f() { return { a: 1 } }", "f", "function f() { return {}; return { a: 1 } }"),
        ("function f(x) { return !x }", "f", "function f(x) { return false; return !x }"),
        ("function f(x) { if (x) return 1; return 'a' }", "f", "function f(x) { return; if (x) return 1; return 'a' }"),
        ("function f() { g(() => { return 1 }); }", "f", "function f() { return; g(() => { return 1 }); }"),
        ("async function f() { return 1 }", "f", "async function f() { return 0; return 1 }"),
        ("function* f() { yield 1 }", "f", "function* f() { return; yield 1 }"),
        ("const f = x => x * 2;", "f", "const f = x => true ? undefined : x * 2;"),
        ("const f = () => ({ a: 1 });", "f", "const f = () => true ? ({}) : ({ a: 1 });"),
        ("const f = async (x) => { return x };", "f", "const f = async (x) => { return; return x };"),
        ("exports.f = function () { return 1 }", "f", "exports.f = function () { return 0; return 1 }"),
        ("A.prototype.f = function () { return 1 }", "A.f", "A.prototype.f = function () { return 0; return 1 }"),
        ("class A { f() { return 1 } }", "A.f", "class A { f() { return 0; return 1 } }"),
        ("class A { static #f() { return 1 } }", "A.#f", "class A { static #f() { return 0; return 1 } }"),
        ("class A { f = () => 1 }", "A.f", "class A { f = () => true ? 0 : 1 }"),
        ("const api = { f() { return 1 }, g: 2 }", "api.f", "const api = { f() { return 0; return 1 }, g: 2 }"),
        ("module.exports = { f: (x) => x }", "f", "module.exports = { f: (x) => true ? undefined : x }"),
        ("const r = /[{(]/; function f() { return /}/ }", "f", "const r = /[{(]/; function f() { return; return /}/ }"),
        ("function f() { return `${`}`}` }", "f", "function f() { return ''; return `${`}`}` }"),
        ("export default function () { return 1 }", "default", "export default function () { return 0; return 1 }"),
        ("const f = wrap(async (x) => { return x });", "f", "const f = wrap(async (x) => { return; return x });"),
        ("const F = () => <p>Don't {x}</p>;", "F", "const F = () => true ? null : <p>Don't {x}</p>;"),
    ],
)  # fmt: skip
def test_a_function_returns_the_zero_of_the_literals_it_returns(text, name, undone):
    assert undo("shop.jsx", None, text, [name], ZERO) == undone


@pytest.mark.parametrize(
    ("kind", "zero"),
    [
        ("number", "0"),
        ("string", "''"),
        ("boolean", "false"),
        ("string[]", "[]"),
        ("Array<string>", "[]"),
        ("Record<string, number>", "{}"),
        ("{ a: number }", "{}"),
        ("[number, string]", "[0, '']"),
        ("string | null", "null"),
        ("'a' | 'b'", "''"),
        ("Map<string, { a: number }>", "new Map()"),
        ("x is string", "false"),
        ("Promise<number>", "Promise.resolve(0)"),
    ],
)
def test_a_function_returns_the_zero_of_its_declared_type(kind, zero):
    undone = undo("shop.ts", None, f"function f(x): {kind} {{ return y }}", ["f"], ZERO)
    assert (
        undone == f"// @ts-nocheck\nfunction f(x): {kind} {{ return {zero}; return y }}"
    )  # a type checker says nothing
    arrow = undo("shop.ts", None, f"const f = (x): {kind} => y;", ["f"], ZERO)
    written = "({})" if zero == "{}" else zero
    assert arrow == f"// @ts-nocheck\nconst f = (x): {kind} => true ? {written} : y;"


@pytest.mark.parametrize("kind", ["void", "undefined", "unknown", "T | undefined", "Cart"])
def test_a_type_without_a_plain_zero_gives_undefined(kind):
    undone = undo("shop.ts", None, f"function f(x): {kind} {{ return y }}", ["f"], ZERO)
    assert "{ return; return y }" in undone


def test_an_async_function_gives_what_its_promise_holds():
    undone = undo("a.ts", None, "async function f(): Promise<string> { return y }", ["f"], ZERO)
    assert "{ return ''; return y }" in undone


def test_a_first_line_that_names_the_program_stays_the_first():
    undone = undo("a.ts", None, "#!/usr/bin/env node\nfunction f() { return 1 }", ["f"], ZERO)
    assert undone.startswith("#!/usr/bin/env node\n// @ts-nocheck\nfunction")


def test_types_are_not_taken_for_functions():
    text = """
type F = (a: number) => string;
type G<T = () => void> = T extends { cb: (x: T) => void } ? { m: () => T } : (x: number) => { a: 1 };
interface Q<T> { cb: (x: number) => void; m(): { a: string } }
declare function d(x: number): string;
abstract class A { abstract m(): { a: number }; cb: (x: number) => void = (y) => { y() }; private n(): void {} }
function over(x: number): number;
function over(x: any): { a: (b: number) => void } { return x }
const f = <T extends { a: 1 }>(x: T, cb: () => void): Map<T, () => void> => { return g }
function h({ a, b }: { a: () => void; b: number }) { return 1 }
"""
    assert names(text) == ["A.cb", "A.n", "over", "f", "h"]


def test_what_controls_a_flow_is_no_method():
    assert names("for (;;) { if (x) { y() } while (z) { } switch (a) { } } try { } catch (e) { }") == []
    assert names("class A { catch(x) { return 1 } }") == ["A.catch"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("class A { constructor() { this.x = 1 } }", "A.constructor"),
        ("function Cart() { this.x = 1 }", "Cart"),
        ("function build() { return 1 } const x = build();", "build"),
        ("function mark(x) { return x } @mark class A { }", "mark"),
    ],
)
def test_constructors_and_what_runs_while_loading_are_never_emptied(text, kept):
    found = {one.name: one.can_zero for one in list_functions("a.ts", text)}
    assert found[kept] is False


BEFORE = """\
import { add } from './math';
export function total(prices) {
  // the sum
  return prices.reduce((a, b) => add(a, b), 0);
}
const twice = x => x * 2;
class Cart {
  count(items) { return items.length; }
}
"""


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("// the sum", "/* another */", []),
        ("items.length; }", "items.length }\n", []),
        ("x => x * 2", "(x) => x * 3", [("twice", CHANGED, True)]),
        ("add(a, b), 0", "add(a, b), 1", [("total", CHANGED, True)]),
        ("items.length", "items.length + 1", [("Cart.count", CHANGED, True)]),
        ("count(items) {", "count(things) { const items = things;", [("Cart.count", CHANGED, False)]),
        ("count(items) {", "size(items) {", [("Cart.size", ADDED, False)]),
        ("count(items)", "async count(items, tax)", [("Cart.count", CHANGED, False)]),
        ("items.length", "items.length * 2; }\n  tax() { return 1", [("Cart.count", CHANGED, True), ("Cart.tax", ADDED, False)]),
    ],
)  # fmt: skip
def test_functions_are_compared_without_comments_and_layout(old, new, found):
    changed = list_changed("a.js", BEFORE, BEFORE.replace(old, new))
    assert [(one.name, one.kind, one.has_old_body) for one in changed] == found


def test_an_old_body_is_put_under_the_new_head():
    after = BEFORE.replace("const twice = x => x * 2", "function twice(x, y) { return x * y; }")
    undone = undo("a.js", BEFORE, after, ["twice"], OLD)
    assert "function twice(x, y) { return (x * 2); }" in undone
    back = undo("a.js", after, BEFORE, ["twice"], OLD)
    assert back is None  # it needs a parameter that is gone
    back = undo("a.js", after.replace("x * y", "x"), BEFORE, ["twice"], OLD)
    assert "const twice = x => { return x; };" in back


def test_an_old_body_that_uses_what_is_gone_is_not_put_back():
    after = BEFORE.replace("import { add } from './math';", "").replace("add(a, b)", "a + b")
    assert [one.has_old_body for one in list_changed("a.js", BEFORE, after)] == [False]


def test_of_functions_inside_each_other_the_outermost_is_undone_once():
    text = "function f() { const g = () => 1; return g(); }"
    assert names(text) == ["f", "f.g"]
    assert undo("a.js", None, text, ["f", "f.g"], ZERO) == text.replace("{ c", "{ return; c")
    changed = list_changed("a.js", text, text.replace("1", "2"))
    assert [one.name for one in changed] == ["f.g"]


def test_text_that_cannot_be_read_is_not_measured():
    assert list_functions("a.js", "function f() { return (1 }") is None
    assert list_functions("a.d.ts", "declare function f(): void;") is None


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("function f() {}", "f", True),
        ("function f(x) { return x; }", "f", True),
        ("function f(x) { return null }", "f", True),
        ("function f(x) { return 0 }", "f", True),
        ("function f() { return 0 }", "f", False),
        ("const f = () => {};", "f", True),
        ("const f = (x) => [];", "f", True),
        ("const f = (x) => x + 1;", "f", False),
        ("function f() { throw new Error('Not implemented yet') }", "f", True),
        ("function f() { throw new NotImplementedError() }", "f", True),
        ("function f() { throw new Error('bad input') }", "f", False),
        ("function f() { start() }", "f", False),
        ("function f() { start }", "f", False),
        ("class A { f() {} }", "A.f", True),
        ("class A extends B { f() {} }", "A.f", None),
        ("class A extends B { override f() {} }", "A.f", False),
        ("class A implements B { f() {} }", "A.f", None),
        ("class A { f() {} } class B { f() { return 1 } }", "A.f", False),
        ("class A { @Get('/') f() {} }", "A.f", False),
        ("class A { constructor(private x: number) {} }", "A.constructor", False),
    ],
)
def test_a_function_that_does_nothing_is_known_unless_that_may_be_meant(text, name, expected):
    assert is_trivial("shop.ts", text, name) is expected


@pytest.mark.parametrize(
    "text",
    [
        "function retry(task, onError = () => {}) { return task(onError); }",
        "const retry = (task, { onError = () => {}, after = function () {} } = {}) => task(onError, after);",
        "class Client { retry(task: Task, onError: Handler = () => {}) { return task(onError); } }",
    ],
)
def test_a_default_in_a_parameter_list_is_no_function_of_its_own(text):
    assert [function.own_name for function in list_functions("a.ts", text)] == ["retry"]

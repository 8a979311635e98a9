"""Tests in JavaScript and TypeScript source."""

import pytest

from ultrawork.gates.testcode.cases import list_cases, list_changed_tests

SOURCE = """
import { it, describe } from 'vitest';
// it('in a comment', () => {});
const text = "it('in a text', () => {})";
const re = /it\\('in a regex', "/;
if (/a/.test('x')) {}
it('adds', () => { expect(1 + 1).toBe(2); });
describe("box", function () {
  test(`inside`, async () => { expect(await f(`a ${b ? `c` : '}'} d`)).toEqual({ a: 1 }) });
  describe(Basket, () => { it("is deep", () => {}); });
});
test.each([[1, 2], [3, 4]])('sum %i', (a, b) => { expect(a).toBe(b) });
test.each`
  a | b
  ${1} | ${2}
`('table $a', ({ a, b }) => {});
const view = <p>Don't</p>;
Deno.test('in deno', () => {});
"""


def titles(text, path="a.test.ts"):
    return [" > ".join(case.parts) for case in list_cases(path, text)]


def only(text, title=None):
    cases = list_cases("a.test.js", text)
    return next(case for case in cases if title in (None, case.parts[-1]))


def kinds(before, after):
    return {change.parts[-1]: change.kind for change in list_changed_tests(before, after, "a.test.js")}


def test_tests_are_found_with_their_suites_and_not_in_texts_or_comments():
    assert titles(SOURCE) == ["adds", "box > inside", "box > Basket > is deep", "sum %i", "table $a", "in deno"]


def test_used_names_and_lines_are_known():
    case = only(SOURCE, "inside")
    assert {"f", "toEqual"} <= case.names
    assert only(SOURCE, "adds").lines == (7, 7)


@pytest.mark.parametrize(
    "text",
    [
        "it.skip('a', () => {})",
        "xit('a', () => {})",
        "test.todo('a')",
        "test.failing('a', () => {})",
        "describe.skip('s', () => { it('a', () => {}) })",
        "xdescribe('s', () => { it('a', () => {}) })",
        "test('a', { skip: true }, () => {})",
        "test('a', { timeout: 5, todo: 'later' }, () => {})",
        "describe('s', { skip: true }, () => { it('a', () => {}) })",
        "it('a', function () { this.skip(); })",
        "test('a', (t) => { t.skip('later'); })",
        "it.only('b', () => {}); it('a', () => {})",
        "fdescribe('s', () => { it('b', () => {}) }); it('a', () => {})",
    ],
)
def test_whatever_puts_a_test_away_is_seen(text):
    case = only(text, "a")
    assert (case.skipped, case.conditional) == (True, False)


@pytest.mark.parametrize(
    "text",
    [
        "it.skipIf(process.env.CI)('a', () => {})",
        "test.runIf(onLinux)('a', () => {})",
        "test('a', { skip: process.platform === 'win32' }, () => {})",
        "test('a', { skip: onWindows }, () => {})",
        "it('a', function () { if (!net) { this.skip(); } })",
    ],
)
def test_a_condition_is_told_apart(text):
    assert only(text, "a").conditional


@pytest.mark.parametrize(
    "text",
    [
        "it('a', () => {})",
        "it.only('a', () => {})",
        "test.concurrent('a', () => {})",
        "test('a', { skip: false }, () => {})",
        "test('a', { timeout: 5 }, () => {})",
        "describe.only('s', () => { it('a', () => {}) })",
    ],
)
def test_other_tests_are_not_put_away(text):
    assert not only(text, "a").skipped


FORMATTING = [
    ("it('a', () => { f('x') })", 'it("a", () => {\n  f("x");\n});\n'),
    ("it('a', x => { f(x, 1) })", "it('a', (x) => {\n  f(\n    x,\n    1,\n  );\n});"),
    ("it('a', () => { f({ 'b': 1 }) })", "it('a', () => { /* why */ f({ b: 1 }) // so\n })"),
    ("it('it\\'s', () => { f() })", 'it("it\'s", () => { f() })'),
]


@pytest.mark.parametrize(("before", "after"), FORMATTING)
def test_formatting_quotes_commas_and_comments_do_not_count(before, after):
    assert list_changed_tests(before, after, "a.test.js") == []


def test_what_happened_to_each_test():
    before = "it('a', () => { expect(1) }); it('b', () => { expect(2) }); it('c', () => {})"
    after = "it.skip('a', () => { expect(1) }); it('b', () => { expect(3) }); it('d', () => {})"
    assert kinds(before, after) == {"a": "skipped", "b": "changed", "c": "removed", "d": "added"}
    assert kinds(after, before)["a"] == "unskipped"


def test_only_puts_the_others_away():
    before = "it('a', () => { expect(1) }); it('b', () => {})"
    assert kinds(before, before.replace("it('b'", "it.only('b'")) == {"a": "skipped"}


def test_a_smaller_table_is_a_change():
    before = "test.each([1, 2])('a %i', (n) => { expect(n) })"
    assert kinds(before, before.replace("1, 2", "1")) == {"a %i": "changed"}


def test_names_are_those_the_runner_prints():
    (change,) = list_changed_tests(None, "describe('s', () => { it('a', () => {}) })", "src/a.test.ts")
    assert change.name == "src/a.test.ts > s > a"


def test_a_file_with_open_brackets_is_left_to_the_runs():
    assert list_changed_tests("it('a', () => {})", "it('a', () => {", "a.test.js") == []

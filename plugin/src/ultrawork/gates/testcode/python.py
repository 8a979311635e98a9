"""Find Python tests: functions named test…, in modules and classes, for any runner."""

import ast
from collections.abc import Iterator, Sequence

from ..language.python import Function, get_last_word, parse_source, skip_docstring
from .case import ALWAYS, NEVER, SOMETIMES, TestCase, get_strongest

_SKIPS = ("skip", "skipTest", "SkipTest")
_MARKS = {"skip": ALWAYS, "expectedFailure": ALWAYS, "xfail": ALWAYS}
_CONDITIONAL = ("skipif", "skipIf", "skipUnless")


def parse_cases(text: str) -> list[TestCase] | None:
    tree = parse_source(text)
    if tree is None:
        return None
    try:
        mark = get_strongest(_mark_of_block(tree.body), _skips_itself(tree.body))
        cases = {case.parts: case for case in _within(tree.body, (), mark)}
    except RecursionError:
        return None
    return list(cases.values())


def _within(body: Sequence[ast.stmt], path: tuple[str, ...], mark: str) -> Iterator[TestCase]:
    for node in body:
        if isinstance(node, Function):
            if node.name.startswith("test"):
                yield _case(node, path, mark)
        elif isinstance(node, ast.ClassDef):
            inner = get_strongest(mark, *map(_mark, node.decorator_list), _mark_of_block(node.body))
            yield from _within(node.body, (*path, node.name), inner)
        elif isinstance(node, ast.If):
            yield from _branches(node, path, mark)
        elif isinstance(node, ast.Try | ast.With):
            yield from _within(node.body, path, mark)


def _branches(node: ast.If, path: tuple[str, ...], mark: str) -> Iterator[TestCase]:
    """Yield tests of the branches that can run; `if False:` cannot."""
    value = node.test.value if isinstance(node.test, ast.Constant) else None
    if value is None or value:
        yield from _within(node.body, path, mark)
    if not value:
        yield from _within(node.orelse, path, mark)


def _case(node: Function, path: tuple[str, ...], mark: str) -> TestCase:
    marks = {id(decorator): _mark(decorator) for decorator in node.decorator_list}
    whole = get_strongest(mark, *marks.values(), _skips_itself(node.body))
    kept = [decorator for decorator in node.decorator_list if not marks[id(decorator)]]
    body = [*kept, node.args, *skip_docstring(node.body)]
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return TestCase(
        (*path, node.name),
        "\n".join(ast.dump(part) for part in body),
        mark=whole,
        names=frozenset(_names(node)),
        lines=(first, node.end_lineno or first),
    )


def _mark(decorator: ast.expr) -> str:
    """Return whether a decorator (or a value of `pytestmark`) puts a test away."""
    if isinstance(decorator, ast.List | ast.Tuple):
        return get_strongest(*map(_mark, decorator.elts))
    call = decorator if isinstance(decorator, ast.Call) else None
    name = get_last_word(call.func if call else decorator)
    if name in _CONDITIONAL:
        return _by_condition(call, negated=name == "skipUnless")
    if name == "xfail" and call and call.args:
        return _by_condition(call, negated=False)
    return _MARKS.get(name, NEVER)


def _by_condition(call: ast.Call | None, *, negated: bool) -> str:
    condition = next(iter(call.args), None) if call else None
    if not isinstance(condition, ast.Constant) or isinstance(condition.value, str):
        return SOMETIMES
    return ALWAYS if bool(condition.value) is not negated else NEVER


def _mark_of_block(body: Sequence[ast.stmt]) -> str:
    """`pytestmark = pytest.mark.skip`, `__test__ = False`."""
    marks = [NEVER]
    for node in body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if isinstance(node, ast.Assign) and "pytestmark" in names:
            marks.append(_mark(node.value))
        if isinstance(node, ast.Assign) and "__test__" in names:
            hidden = isinstance(node.value, ast.Constant) and not node.value.value
            marks.append(ALWAYS if hidden else NEVER)
    return get_strongest(*marks)


def _skips_itself(body: Sequence[ast.stmt]) -> str:
    """`pytest.skip()`, `self.skipTest()`, `raise SkipTest`: at the top always, deeper sometimes."""
    if any(_is_skip(node) for node in body):
        return ALWAYS
    outer = (ast.If, ast.Try, ast.With, ast.For, ast.Expr, ast.Assign)
    inner = [sub for node in body if isinstance(node, outer) for sub in ast.walk(node)]
    skips_import = any(isinstance(sub, ast.Call) and get_last_word(sub.func) == "importorskip" for sub in inner)
    deeper = any(_is_skip(sub) for sub in inner if isinstance(sub, ast.stmt))
    return SOMETIMES if skips_import or deeper else NEVER


def _is_skip(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Expr) else getattr(node, "exc", None)
    call = value.func if isinstance(value, ast.Call) else value
    return get_last_word(call) in _SKIPS and isinstance(node, ast.Expr | ast.Raise)


def is_assertion(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert):
        return True
    name = get_last_word(node.func) if isinstance(node, ast.Call) else ""
    return name.lower().startswith(("assert", "fail")) or name in ("raises", "warns")


def _names(node: ast.AST) -> set[str]:
    names = set()
    for sub in ast.walk(node):
        if isinstance(sub, ast.Name | ast.Attribute):
            names.add(get_last_word(sub))
        elif isinstance(sub, ast.alias):
            names.add(sub.name.rpartition(".")[2])
    return names

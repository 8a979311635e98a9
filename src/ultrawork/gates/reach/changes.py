"""What in a change a trace can look for: functions that differ, and whether anything around them does."""

from ...core.verdict.reach import CodeChange, FunctionSpan
from ..testcode.files import is_source_path
from ..undone.undo import list_changed, list_functions

# Lines that move nothing by themselves.
_QUIET = ("#", "//", "*", "/*", "@", "import ", "from ", "const {", '"""', "'''")


def compare_code(path: str, before: str | None, after: str | None) -> CodeChange:
    """One file as it was and as it is; None where there was none."""
    if not is_source_path(path):
        return CodeChange(path, data=True)
    functions = list_changed(path, before, after) if after is not None else None
    if functions is None:
        return CodeChange(path, around=after is None, unseen=after is not None)
    spans = frozenset(FunctionSpan(path, *one.lines, one.name) for one in functions)
    return CodeChange(path, spans, around=_differs_around(path, before or "", after or ""))


def _differs_around(path: str, before: str, after: str) -> bool:
    """Whether a line outside of every function is new."""
    inside = [one.lines for one in list_functions(path, after) or ()]
    known = set(before.splitlines())
    return any(
        line not in known
        and line.strip()
        and not line.strip().startswith(_QUIET)
        and not any(first - 1 <= number <= last for first, last in inside)
        for number, line in enumerate(after.splitlines(), 1)
    )

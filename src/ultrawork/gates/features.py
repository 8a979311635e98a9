"""Whether a feature went away or only got another name."""

import re

from ..core.testcases import ADDED, REMOVED
from . import tests as testfiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .sides import TestSide
    from .tests import TestChange

_LINES = 12
_SAME = 0.5


def vanished(side: "TestSide", change: "TestChange") -> str:
    """A name that a removed test used, defined in base and nowhere now."""
    if change.kind != REMOVED:
        return ""
    source = side.source
    return testfiles.vanished_name(
        change.names, lambda name: source.defines(side.base, name),
        lambda name: source.defines(side.tree, name),
    )  # fmt: skip


def renamed(side: "TestSide", change: "TestChange", name: str) -> bool:
    """Whether what the name stood for is still there, and no new test took this one's place."""
    return bool(name) and _lives_on(side, name) and not _has_successor(side, change)


def _lives_on(side: "TestSide", name: str) -> bool:
    """Whether the lines below a definition are found under another one."""
    read = side.source.read
    body = [line for path in side.others for line in _body(read(side.base, path) or "", name)]
    now = {
        line.strip() for path in side.others for line in (read(side.tree, path) or "").splitlines()
    }
    return bool(body) and sum(line in now for line in body) >= _SAME * len(body)


def _body(text: str, name: str) -> list[str]:
    found = re.search(rf"(?m)^([ \t]*)\S.*?\b{re.escape(name)}\b\s*[(=:<{{].*$", text)
    if found is None:
        return []
    lines: list[str] = []
    for line in text[found.end() :].split("\n")[1 : _LINES + 1]:
        if line.strip() and not line.startswith((found[1] + " ", found[1] + "\t")):
            break
        lines.append(line.strip())
    return [line for line in lines if len(line) > 3]


def _has_successor(side: "TestSide", change: "TestChange") -> bool:
    """Whether a new test does much the same."""
    for one in side.changed:
        if one.kind == ADDED:
            cases = testfiles.cases_in(one.path, side.source.read(side.tree, one.path) or "") or ()
            names = next((case.names for case in cases if case.parts == one.parts), frozenset())
            if len(names & change.names) >= _SAME * len(names | change.names):
                return True
    return False

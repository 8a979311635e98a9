"""Files that runners load and no tree holds: git was told to overlook them, so no change shows them."""

import os

from .surroundings import shadows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..core.gate import Gate
    from .source import Source

SUPPORT = (
    "conftest.py", "sitecustomize.py", "usercustomize.py", "jest.setup.js", "jest.setup.ts",
    "vitest.setup.ts", "vitest.setup.js", "setupTests.js", "setupTests.ts",
)  # fmt: skip
_FOLDERS = (".", "test", "tests", "src")


def unseen(source: "Source", tree: str, gates: "Iterable[Gate]") -> list[str]:
    """Among what defines these gates, stands in their runners' way or holds up their tests."""
    root = source.work.root
    found: dict[str, None] = {}
    for gate in gates:
        names = [f"{gate.where}/{folder}/{name}" for folder in _FOLDERS for name in SUPPORT]
        found.update(dict.fromkeys(os.path.normpath(path) for path in (*gate.files, *names)))
        for place in shadows(gate, root):
            found.update(dict.fromkeys((place, f"{place}/__init__.py", f"{place}/__main__.py")))
    there = [path for path in found if os.path.isfile(f"{root}/{path}")]
    known = source.among(tree, there)
    return [path for path in there if path not in known]

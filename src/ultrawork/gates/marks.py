"""Unfinished work newly written into product code: weak findings, or notes where it has an owner."""

from ..core.docs import is_doc
from ..core.findings import NOTE, WEAK, Finding
from . import tests as testfiles
from .unfinished.comments import marks
from .unfinished.stubs import inherits, stubs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Protocol

    from ..system.git import Change

    class Texts(Protocol):
        """The files of two trees."""

        def read(self, tree: str, path: str) -> str | None: ...
        def names(self, tree: str) -> list[str]: ...


_SEARCHED = 400


def unfinished(source: "Texts", base: str, tree: str, changes: "Sequence[Change]") -> list[Finding]:
    """What the change wrote down as unfinished and the base did not know."""
    before = {one.path: source.read(base, one.path) or "" for one in changes}
    known = "\n".join(before.values())
    attributes = source.read(base, ".gitattributes") or ""
    found: list[Finding] = []
    for one in changes:
        text = source.read(tree, one.path) if one.status != "D" else None
        if text is not None and _is_product(one.path, before[one.path] or text, attributes):
            found += new_marks(one.path, text, known)
            found += _new_stubs(source, tree, one.path, before[one.path], text)
    return found


def new_marks(path: str, text: str, known: str) -> list[Finding]:
    """TODO and the like whose words stand nowhere in what was there before."""
    return [
        Finding(
            rule="unfinished",
            level=NOTE if mark.owned else WEAK,
            what=f"{path} says {_short(mark.text)}",
            where=f"{path}:{mark.line}",
            clears="nothing to do" if mark.owned else "finish it, or name an issue: TODO(#123)",
        )
        for mark in marks(path, text)
        if mark.text not in known
    ]


def _new_stubs(
    source: "Texts", tree: str, path: str, before: str, text: str
) -> "Iterator[Finding]":
    """A function that is new or was emptied, and that nothing in the tree fills in."""
    old = {stub.name for stub in stubs(path, before)}
    for stub in stubs(path, text):
        if stub.name in old or (stub.owner and _inherited(source, tree, path, stub.owner)):
            continue
        yield Finding(
            rule="unfinished",
            level=WEAK,
            what=f"{stub.name} has no body yet: {_short(stub.text)}",
            where=f"{path}:{stub.line}",
            clears=f"write {stub.name}, or mark it abstract",
        )


def _inherited(source: "Texts", tree: str, path: str, owner: str) -> bool:
    ending = "." + path.rpartition(".")[2]
    folder = path.rpartition("/")[0]
    names = [name for name in source.names(tree) if name.endswith(ending)]
    near = sorted(names, key=lambda name: (name != path, not name.startswith(folder)))
    texts = (source.read(tree, name) or "" for name in near[:_SEARCHED])
    return any(inherits(path, text, owner) for text in texts)


def _is_product(path: str, text: str, attributes: str) -> bool:
    tests = testfiles.is_test_path(path) or testfiles.is_support_path(path)
    return not (tests or is_doc(path) or testfiles.generated(path, text, attributes))


def _short(text: str) -> str:
    return f'"{text[:60]}…"' if len(text) > 60 else f'"{text}"'

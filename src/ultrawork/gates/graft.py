"""
Original tests put back into a changed file, one by one.

A file of tests as it was may not load any more, because it asks for a name that was removed or renamed.
Then its tests are judged inside the file as it is now.
"""

from .testcode import cases_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .testcode import TestCase

    Name = tuple[str, ...]


def grafted(before: str, after: str, path: str, names: "Iterable[Name]") -> str | None:
    """`after` with these tests as they are in `before`; None if none of them has a place there."""
    old = {case.parts: case for case in cases_in(path, before) or []}
    new = {case.parts: case for case in cases_in(path, after) or []}
    places = []
    for parts in names:
        place = _place(parts, old, new) if parts in old else None
        if place is not None:
            places.append((*place, _lines(before, old[parts])))
    if not places:
        return None
    lines = after.splitlines()
    for start, end, text in sorted(places, key=lambda one: one[0], reverse=True):
        lines[start:end] = text if start < end else ["", *text, ""]
    return "\n".join(lines) + "\n"


def _lines(text: str, case: "TestCase") -> list[str]:
    first, last = case.lines
    return text.splitlines()[first - 1 : last]


def _place(
    parts: "Name", old: "dict[Name, TestCase]", new: "dict[Name, TestCase]"
) -> tuple[int, int] | None:
    """The lines to replace; an empty range beside a neighbour of old for a test that is gone."""
    if parts in new:
        return new[parts].lines[0] - 1, new[parts].lines[1]
    siblings = [name for name in old if name[:-1] == parts[:-1]]
    place = siblings.index(parts)
    for name in reversed(siblings[:place]):
        if name in new:
            return new[name].lines[1], new[name].lines[1]
    for name in siblings[place + 1 :]:
        if name in new:
            return new[name].lines[0] - 1, new[name].lines[0] - 1
    return _beside_others(parts, new)


def _beside_others(parts: "Name", new: "dict[Name, TestCase]") -> tuple[int, int] | None:
    """Without neighbours: after the last test of the same suite, or of the file."""
    ends = [case.lines[1] for name, case in new.items() if name[:-1] == parts[:-1]]
    return (max(ends), max(ends)) if ends else None

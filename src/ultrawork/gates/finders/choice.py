"""Which of the proposed gates stand: one door, else one for each language; none twice."""

from ...core.gate import BUILD, LINT, TEST, TYPES
from .table import DOORS, FINDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .candidate import Candidate
    from .place import Place

NAMES = {TEST: "test", LINT: "lint", TYPES: "types", BUILD: "build"}


def gates_of(place: "Place") -> "list[Candidate]":
    """The gates of one folder, named, in the order test, lint, types, build."""
    proposed = [found for find in FINDERS.values() for found in find(place)]
    chosen: list[Candidate] = []
    for kind in (TEST, LINT, TYPES):
        chosen += _of_kind(place, proposed, kind, chosen)
    if not any(found.gate.kind in (TEST, TYPES) for found in chosen):
        chosen += _of_kind(place, proposed, BUILD, chosen)
    return chosen


def _of_kind(
    place: "Place", proposed: "Sequence[Candidate]", kind: str, before: "Sequence[Candidate]"
) -> "list[Candidate]":
    chosen: list[Candidate] = []
    for found in (found for found in proposed if found.gate.kind == kind):
        why = _objection(found, [*before, *chosen], chosen)
        if why:
            place.leave(found.gate.command, why)
            continue
        name = NAMES[kind] + (f"-{found.family}" if chosen else "")
        found.gate.name = place.path(name)
        chosen.append(found)
    return chosen


def _objection(
    found: "Candidate", standing: "Sequence[Candidate]", rivals: "Sequence[Candidate]"
) -> str:
    for other in standing:
        if found.covered_by(other):
            return f"{other.gate.command} runs it already"
    for rival in rivals:
        if rival.family in DOORS or rival.family == found.family:
            return f"{rival.gate.command} is taken instead"
    return ""

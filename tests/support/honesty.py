"""Honest changes: what a careful agent does in a small project, and the verdict of a fair reviewer.

Honest work is never sent back. The one exception is a fix that nothing shows (`asked`): there the agent may be asked
once for a test."""

import inspect
import random
from dataclasses import dataclass

import pytest

from . import attack as attacks
from . import launched
from .launched import WORDS, Launched
from .layouts import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from _pytest.mark import ParameterSet

    Act = Callable[["Launched"], "Iterator[None] | None"]

STRENGTHS = ("proved", "expectation", "nothing broke", "not proved", "not measured")


@dataclass(frozen=True)
class Honest:
    """`verdict` is the word of the last line, empty if nothing may be reported; `says` are words in it, `never` some
    that must not be."""

    kind: str
    name: str
    layout: Layout
    act: "Act"
    verdict: str
    strength: str
    says: tuple[str, ...]
    never: str
    asked: bool
    goal: str
    words: str
    before: "Callable[[Launched], None] | None"
    attended: bool
    mode: str

    @property
    def id(self) -> str:
        return f"{self.kind}-{self.name}-{self.layout.name}".replace(" ", "_")


@dataclass(frozen=True)
class Judged:
    outcome: str
    line: str
    refusals: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([f"said: {self.line or 'nothing'}", *self.refusals])


class Rows:
    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.all: list[Honest] = []

    def honest(
        self,
        *layouts: Layout,
        verdict: str = "PASS",
        strength: str = "",
        says: "Sequence[str]" = (),
        never: str = "",
        asked: bool = False,
        goal: str = "",
        words: str = WORDS,
        before: "Callable[[Launched], None] | None" = None,
        attended: bool = False,
        mode: str = "bypassPermissions",
    ) -> "Callable[[Act], Act]":
        assert strength in ("", *STRENGTHS)

        def add(act: "Act") -> "Act":
            for layout in layouts:
                made = Honest(
                    self.kind, act.__name__, layout, act, verdict, strength, tuple(says), never, asked,
                    goal or layout.goal, words, before, attended, mode,
                )  # fmt: skip
                self.all.append(made)
            return act

        return add

    def move(self, move: str, *layouts: Layout, strength: str = "") -> None:
        """Add one of a layout's own edits."""

        def act(agent: Launched) -> None:
            agent.make(move)

        act.__name__ = move
        self.honest(*layouts, strength=strength)(act)


def play(row: Honest, root: str) -> Judged:
    session = attacks.open_session(row.layout, root, attended=row.attended)
    session.mode = row.mode
    try:
        if row.before:
            row.before(session)
        session.begin(row.goal)
        armed = len(session.said)
        done = row.act(session)
        for _ in done if inspect.isgenerator(done) else ():
            session.insist(row.words)
        session.insist(row.words)
        said = session.said[armed:]
        line = said[-1] if said else ""
        return Judged(launched.outcome_of(line), line, tuple(session.refusals))
    finally:
        session.close()


def rows(table: "Sequence[Honest]", *, fast: "Sequence[str]", slow: int) -> "list[ParameterSet]":
    """Return the cases as with attacks: a few in every run, a sample with the slow tests, all before a release."""
    ids = [one.id for one in table]
    assert len(set(ids)) == len(ids), sorted(one for one in set(ids) if ids.count(one) > 1)
    lost = sorted(set(fast) - set(ids))
    assert not lost, f"no such rows: {lost}"
    chance = random.Random(attacks.SEED)
    rest = [one for one in table if one.id not in fast and one.layout.name not in attacks.HEAVY]
    kinds = sorted({one.kind for one in rest})
    first = [chance.choice([one for one in rest if one.kind == kind]) for kind in kinds]
    others = [one for one in rest if one not in first]
    more = chance.sample(others, max(0, slow - len(first)))
    chosen = {one.id for one in [*first, *more]} if slow else set()
    return [_case(one, fast, chosen) for one in table]


def _case(row: Honest, fast: "Sequence[str]", chosen: "set[str]") -> "ParameterSet":
    marks = [] if row.id in fast else [pytest.mark.slow if row.id in chosen else pytest.mark.release]
    return pytest.param(row, id=row.id, marks=marks)

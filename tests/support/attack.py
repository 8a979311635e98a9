"""Attacks: what an agent does in a small project so that a defect is called done, and what was reported at the end.

An attack is a function of the agent, a letter (`findings`: A careless, B inside the project, C through state or the
command line, D as the same user) and one or more layouts. Where it yields, the agent tries to stop. At the end an
oracle that no attack can reach says whether the defect is there."""

import inspect
import os
import random
import shutil
import subprocess
import sys
from dataclasses import dataclass

import pytest

from . import launched, layouts_compiled
from .floor import PATH, REPOSITORY
from .launched import MOST, WORDS, Launched
from .layouts import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from _pytest.mark import ParameterSet

    Act = Callable[["Launched"], "Iterator[None] | None"]

LIMITS = f"{REPOSITORY}/docs/explanation/limits.md"
SENT_BACK = "sent back"
# Compilers and runners that take seconds to start wait for a release.
HEAVY = ("java", "rust", "jest", "go")
SEED = os.environ.get("ULTRAWORK_ATTACKS", "1")


@dataclass(frozen=True)
class Attack:
    """An attack. `limit` are words of the limits page that name a way no one can close; `said` is the message that
    reports it."""

    kind: str
    name: str
    letter: str
    layout: Layout
    act: "Act"
    goal: str
    words: str
    oracle: str
    product: tuple[str, ...]
    before: "Callable[[Launched], None] | None"
    limit: str
    said: str
    attended: bool

    @property
    def id(self) -> str:
        return f"{self.kind}-{self.name}-{self.layout.name}".replace(" ", "_")


@dataclass(frozen=True)
class Fate:
    """The result of an attack: the word of the last line, and whether the defect was there."""

    outcome: str
    line: str
    refusals: tuple[str, ...]
    said: tuple[str, ...]
    is_defective: bool
    evidence: int

    def __str__(self) -> str:
        return "\n".join([f"outcome {self.outcome}", *self.said, *self.refusals])


class Collection:
    """The attacks of one kind; `attack` adds one for every named layout."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.all: list[Attack] = []

    def attack(
        self,
        letter: str,
        *layouts: Layout,
        goal: str = "",
        words: str = WORDS,
        oracle: str = "",
        product: "Sequence[str]" = (),
        before: "Callable[[Launched], None] | None" = None,
        limit: str = "",
        said: str = "",
        attended: bool = False,
    ) -> "Callable[[Act], Act]":
        def add(act: "Act") -> "Act":
            for layout in layouts:
                made = Attack(
                    self.kind, act.__name__, letter, layout, act, goal or layout.goal, words,
                    oracle or layout.oracle, tuple(product) or layout.product, before, limit, said,
                    attended,
                )  # fmt: skip
                self.all.append(made)
            return act

        return add

    def move(self, letter: str, move: str, *layouts: Layout, goal: str = "") -> None:
        """Add an attack that is one of a layout's own edits."""

        def act(agent: Launched) -> None:
            agent.make(move)

        act.__name__ = move
        self.attack(letter, *layouts, goal=goal)(act)


def play(attack: Attack, root: str, most: int = MOST) -> Fate:
    """Play an attack from the start of the session until the user sees a message, or never will."""
    session = open_session(attack.layout, root, attended=attack.attended)
    try:
        if attack.before:
            attack.before(session)
        session.begin(attack.goal)
        armed = len(session.said)
        _act(attack, session, most)
        line = session.said[-1] if len(session.said) > armed else ""
        outcome = launched.outcome_of(line) if line else SENT_BACK
        if not line and not (most < MOST and session.refusals):
            line = session.leave()
            outcome = launched.outcome_of(line)
        found = session.program("evidence").returncode
        is_defective = has_defect(attack, session.place, f"{root}/clean")
        return Fate(outcome, line, tuple(session.refusals), tuple(session.said[armed:]), is_defective, found)  # fmt: skip
    finally:
        session.close()


def open_session(layout: Layout, root: str, *, attended: bool = False) -> Launched:
    session = Launched(root, layout.files, git=layout.git, attended=attended)
    session.layout = layout
    for name, target in layouts_compiled.linked(layout).items():
        os.symlink(target, f"{session.place}/{name}")
    return session


def _act(attack: Attack, session: Launched, most: int) -> None:
    done = attack.act(session)
    for _ in done if inspect.isgenerator(done) else ():
        session.insist(attack.words, most)
    heard = len(session.said)
    session.insist(attack.words, most)
    if inspect.isgenerator(done) and len(session.said) == heard and heard:
        session.leave()


def has_defect(attack: Attack, place: str, clean: str) -> bool:
    """The oracle in a clean copy: base, and of the checkout nothing but the product's files."""
    lay(attack.layout, clean)
    for name in attack.product:
        source, target = f"{place}/{name}", f"{clean}/{name}"
        if os.path.isfile(source):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(source, target)
        elif os.path.exists(target):
            os.unlink(target)
    return not is_right(attack.oracle, clean)


def is_right(oracle: str, folder: str) -> bool:
    """An exit status can be had cheaply; the last word cannot."""
    path = f"{os.path.dirname(sys.executable)}:{os.environ.get('PATH', PATH)}"
    home = f"{folder}.home"
    os.makedirs(home, exist_ok=True)
    env = {**launched.toolchain_variables(), "PATH": path, "HOME": home, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        ["sh", "-c", oracle],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=100,
        check=False,
    )
    return done.stdout.split()[-1:] == [b"right"]


def lay(layout: Layout, folder: str, files: "Mapping[str, str] | None" = None) -> None:
    """The files of a layout, or others in their place."""
    for name, text in (files or layout.files).items():
        os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text)


def missing(layout: Layout) -> list[str]:
    path = f"{os.path.dirname(sys.executable)}:{os.environ.get('PATH', PATH)}"
    return launched.wanted(layout.needs, path)


def is_named_limit(words: str) -> bool:
    if not words or not os.path.exists(LIMITS):
        return False
    with open(LIMITS, encoding="utf-8") as file:
        return words.lower() in " ".join(file.read().lower().split())


def rows(table: "Sequence[Attack]", *, fast: "Sequence[str]", slow: int) -> "list[ParameterSet]":
    """Return every attack as a case: those of `fast` in every run, a sample of `slow` with the slow tests, the rest
    before a release. The sample has at least one of each kind and is the same until `ULTRAWORK_ATTACKS` changes."""
    ids = [one.id for one in table]
    assert len(set(ids)) == len(ids), sorted(one for one in set(ids) if ids.count(one) > 1)
    lost = sorted(set(fast) - set(ids))
    assert not lost, f"no such rows: {lost}"
    light = [one for one in table if one.id not in fast and one.layout.name.split()[0] not in HEAVY]
    chosen = _sample(light, slow)
    return [_case(one, one.id in fast, one.id in chosen) for one in table]


def _case(attack: Attack, is_fast: bool, is_slow: bool) -> "ParameterSet":
    marks = [] if is_fast else [pytest.mark.slow if is_slow else pytest.mark.release]
    return pytest.param(attack, id=attack.id, marks=marks)


def _sample(table: "Sequence[Attack]", count: int) -> set[str]:
    if not count:
        return set()
    chance = random.Random(SEED)
    kinds = sorted({one.kind for one in table})
    first = [chance.choice([one for one in table if one.kind == kind]) for kind in kinds]
    rest = [one for one in table if one not in first]
    chosen = [*first, *chance.sample(rest, max(0, min(count - len(first), len(rest))))]
    return {one.id for one in chosen}

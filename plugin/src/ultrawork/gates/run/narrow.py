"""
Run only some tests of a check, for questions about those alone. If the runner cannot select tests, the whole check
runs: the answer is the same but comes later.
"""

import re
from collections.abc import Sequence

from ...core.patterns import compile_late
from ...core.toolchains.toolchain import Narrowing, Toolchain, find_toolchains
from ...core.verdict import gate_run
from ...core.verdict.gate import Gate, read_document
from ...core.verdict.gate_run import shorten_name
from ...store.codec import dumps
from .environment import ONLY

MOST = 40
_BARE = compile_late(r"[\w -]+")


def narrow(gate: Gate, tests: Sequence[str]) -> Gate:
    """Return the same gate for these tests, and for others that happen to have the same name."""
    return _narrow(gate, tests, {"reason": gate_run.SOME_TESTS})


def narrow_to_files(gate: Gate, paths: Sequence[str]) -> Gate:
    """Return the check for the tests of these files; the whole check if its runner cannot select them."""
    stems = list(dict.fromkeys(path.rpartition("/")[2].rpartition(".")[0] for path in paths))
    return _narrow(gate, stems, {}, files=True)


def is_narrow(gate: Gate, whole: Gate) -> bool:
    return gate.argv != whole.argv or gate.env != whole.env


def _narrow(gate: Gate, tests: Sequence[str], reason: dict[str, object], *, files: bool = False) -> Gate:
    """Narrow every toolchain that may be behind the check in its own way; if one cannot be, narrow none."""
    made = gate
    for toolchain in find_toolchains(gate.runner, gate.toolchain):
        form = toolchain.narrow
        if form is None or (files and not form.files):
            continue
        names = list(dict.fromkeys(shorten(form, test) for test in tests))
        usable = 0 < len(names) <= MOST and all(map(_BARE.fullmatch, names))
        changed = _change(made, toolchain, form, names, form.files if files else "") if usable else {}
        if not changed:
            return gate
        made = read_document({**made.document(), **changed, **reason})
    return made


def shorten(form: Narrowing, test: str) -> str:
    """Return the part of a test's name that the runner accepts."""
    part = re.search(form.part, test) if form.part else None
    return part[1] if part else shorten_name(test).partition("[")[0]


def _change(gate: Gate, toolchain: Toolchain, form: Narrowing, names: list[str], pattern: str) -> dict[str, object]:
    """Return the fields of the check that select these tests; empty if its runner cannot select any."""
    if form.identifiers and not all(map(str.isidentifier, names)):
        return {}
    words = make_words(form, names, pattern)
    if form.variable:
        given = gate.env.get(form.variable, "")
        return {"env": {**gate.env, form.variable: " ".join([given, *words]).strip()}}
    place = _find_place(gate.argv, toolchain, form)
    if place is None:
        patterns = make_patterns(form, names, pattern)
        return {"env": {**gate.env, ONLY: dumps({form.door: patterns})}} if form.door else {}
    joint = form.separator or ("--" if _is_npm(gate.argv) else "")
    between = [joint] if joint and joint not in gate.argv else []
    return {"argv": [*gate.argv[:place], *between, *words, *gate.argv[place:]]}


def make_patterns(form: Narrowing, names: Sequence[str], pattern: str = "") -> list[str]:
    """Return the patterns that select the tests: one for all, or one each."""
    plain = [re.escape(name) if form.escape else name for name in names]
    shape = pattern or next((word for word in form.words if "{test}" in word), "{test}")
    each = [shape.replace("{test}", name) for name in plain]
    return each if form.each else [form.join.join(plain)]


def make_words(form: Narrowing, names: Sequence[str], pattern: str = "") -> list[str]:
    """The words that are added to a command or a variable."""
    mark = "{test}" if form.each else "{tests}"
    return [
        text if form.each and mark in word else word.replace(mark, text)
        for text in make_patterns(form, names, pattern)
        for word in form.words
    ]


def _find_place(argv: Sequence[str], toolchain: Toolchain, form: Narrowing) -> int | None:
    """Return where in a command the words are inserted; None if it is not the runner's own command."""
    names = [word.rpartition("/")[2] for word in argv]
    if form.after:
        length = len(form.after)
        ends = [at + length for at in range(len(names)) if names[at : at + length] == form.after]
        return (ends[0] if form.first else len(argv)) if ends else None
    return len(argv) if _is_npm(argv) or toolchain.is_started_by(argv) else None


def _is_npm(argv: Sequence[str]) -> bool:
    return argv[0].rpartition("/")[2] == "npm"

"""
A gate that runs only some of its tests, for questions about those alone. Where a runner cannot be told, the whole
gate runs: the answer is the same and comes later.
"""

import re
from collections.abc import Callable, Sequence

from ...core.patterns import compile_late
from ...core.verdict import gate_run
from ...core.verdict.gate import Gate, read_document
from ...core.verdict.gate_run import shorten_name
from ...store.codec import dumps
from .doors import ONLY

MOST = 40
_BARE = compile_late(r"[\w -]+")


def narrow(gate: Gate, tests: Sequence[str]) -> Gate:
    """The same gate for these tests, and for others that happen to have the same name."""
    names = list(dict.fromkeys(shorten_name(name).partition("[")[0] for name in tests))
    usable = 0 < len(names) <= MOST and all(map(_BARE.fullmatch, names))
    change = _FORMS.get(gate.runner) if usable else None
    if change is None:
        return gate
    changed = change(gate, names)
    reason = {"reason": gate_run.SOME_TESTS} if changed else {}
    return read_document({**gate.document(), **changed, **reason})


def narrow_to_files(gate: Gate, paths: Sequence[str]) -> Gate:
    """The same gate for the tests of these files; the whole gate where its runner cannot be told."""
    stems = list(dict.fromkeys(path.rpartition("/")[2].rpartition(".")[0] for path in paths))
    usable = 0 < len(stems) <= MOST and all(map(_BARE.fullmatch, stems))
    change = _FILE_FORMS.get(gate.runner) if usable else None
    return gate if change is None else read_document({**gate.document(), **change(gate, stems)})


def is_narrow(gate: Gate, whole: Gate) -> bool:
    return gate.argv != whole.argv or gate.env != whole.env


def _pytest(gate: Gate, names: list[str]) -> dict[str, object]:
    """Through the environment, so that it reaches pytest behind make and scripts too."""
    words = [name for name in names if name.isidentifier()]
    if len(words) != len(names):
        return {}
    given = gate.env.get("PYTEST_ADDOPTS", "")
    chosen = f'{given} -k "{" or ".join(words)}"'.strip()
    return {"env": {**gate.env, "PYTEST_ADDOPTS": chosen}}


def _go(gate: Gate, names: list[str]) -> dict[str, object]:
    tops = dict.fromkeys(name.partition("/")[0] for name in names)
    chosen = f"-run=^({'|'.join(tops)})$"
    return {"env": {**gate.env, "GOFLAGS": f"{gate.env.get('GOFLAGS', '')} {chosen}".strip()}}


def _unittest(gate: Gate, names: list[str]) -> dict[str, object]:
    return _by_unittest_patterns(gate, [f"*.{name}" for name in names])


def _unittest_files(gate: Gate, stems: list[str]) -> dict[str, object]:
    return _by_unittest_patterns(gate, [f"*{stem}.*" for stem in stems])


def _by_unittest_patterns(gate: Gate, patterns: list[str]) -> dict[str, object]:
    """
    A pattern is held against the whole name of a test, its module first. Behind make and scripts the interpreter
    is told from outside.
    """
    if "unittest" in gate.argv:
        return {"argv": [*gate.argv, *(word for one in patterns for word in ("-k", one))]}
    return {"env": {**gate.env, ONLY: dumps({"unittest": patterns})}}


def _unknown(gate: Gate, names: list[str]) -> dict[str, object]:
    """Whichever of both it is: each is told in its own way."""
    told = read_document({**gate.document(), **_pytest(gate, names)})
    return _unittest(told, names) if is_narrow(told, gate) else {}


def _unknown_files(gate: Gate, stems: list[str]) -> dict[str, object]:
    told = read_document({**gate.document(), **_pytest(gate, stems)})
    return _unittest_files(told, stems) if is_narrow(told, gate) else {}


def _by_pattern(flag: str) -> Callable[[Gate, list[str]], dict[str, object]]:
    def change(gate: Gate, names: list[str]) -> dict[str, object]:
        first = gate.argv[0].rpartition("/")[2]
        pattern = "|".join(map(re.escape, names))
        if first == "npm":
            joint = [] if "--" in gate.argv else ["--"]
            return {"argv": [*gate.argv, *joint, flag, pattern]}
        if first in ("npx", gate.runner):
            return {"argv": [*gate.argv, flag, pattern]}
        return {}

    return change


def _node(gate: Gate, names: list[str]) -> dict[str, object]:
    pattern = "|".join(map(re.escape, names))
    if gate.argv[:2] != ("node", "--test"):
        return {"env": {**gate.env, ONLY: dumps({"node": [pattern]})}}
    return {"argv": ["node", "--test", f"--test-name-pattern={pattern}", *gate.argv[2:]]}


def _cargo(gate: Gate, names: list[str]) -> dict[str, object]:
    """Words behind `--` are parts of names; the test program takes several, cargo one."""
    if gate.argv[:2] != ("cargo", "test"):
        return {"env": {**gate.env, ONLY: dumps({"cargo": names})}}
    joint = [] if "--" in gate.argv else ["--"]
    return {"argv": [*gate.argv, *joint, *names]}


_FORMS: dict[str, Callable[[Gate, list[str]], dict[str, object]]] = {
    "": _unknown,
    "pytest": _pytest,
    "cargo": _cargo,
    "go": _go,
    "unittest": _unittest,
    "jest": _by_pattern("-t"),
    "vitest": _by_pattern("-t"),
    "mocha": _by_pattern("-g"),
    "node": _node,
}
# pytest knows a test by the name of its file too.
_FILE_FORMS: dict[str, Callable[[Gate, list[str]], dict[str, object]]] = {
    "": _unknown_files,
    "pytest": _pytest,
    "unittest": _unittest_files,
}

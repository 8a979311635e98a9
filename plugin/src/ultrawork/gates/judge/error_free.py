"""Ask language servers about changed files, now and, where they report an error, on the baseline. They run in their
own process, with a receipt like any check, and only with consent."""

import os
import sys
from collections.abc import Iterator

from ...core.errors import NotFound
from ...core.verdict import error_free
from ...core.verdict.finding import Finding
from ...core.verdict.gate import ERROR_FREE, Gate
from ..context import HOOK
from ..find.gate_table import parse_table
from ..run.receipt import BASE, RunReceipt
from .comparison import Comparison
from .matrix import Cell
from .standing import CheckState, is_unwanted

SECONDS = 60.0
FILES = 40
ASKED = "asked"
COMMAND = "ultrawork code errors"
# Judged by external schemas and styles; whether they parse is checked for every change.
_DATA = ("JSON", "HTML", "CSS", "YAML")
_START = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_PROGRAM = f"{_START}/cli/start.py"


def list_new_errors(comparison: Comparison, states: list[CheckState]) -> list[Finding]:
    """Return new errors. None if there is no server, a check of the project covers this, or it is turned off."""
    context = comparison.context
    off = parse_table(context.settings.gates, context.settings.gates_source).off
    # A hook that may run none of the project's checks starts no server either.
    may_start = context.by != HOOK or any(state.now is not None for state in states)
    if error_free.RULE in off or not may_start or not context.left or is_unwanted(comparison):
        return []
    own = context.confinement is None and context.may_run(COMMAND)
    paths = list(_list_served(comparison, [state.pair.gate for state in states], own=own))
    if not paths:
        return []
    gate = make_server_gate(paths, own=own)
    now = comparison.matrix.run(Cell(ASKED, gate, comparison.matrix.tree))
    return _judge(comparison, gate, now)


def make_server_gate(paths: list[str], *, own: bool) -> Gate:
    words = ["code", "errors", *(["--own"] if own else []), *paths]
    cached = ["-X", f"pycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else ["-B"]
    return Gate(
        name=error_free.RULE,
        kind=ERROR_FREE,
        argv=[sys.executable, "-I", "-S", *cached, _PROGRAM, *words],
        command=" ".join(["ultrawork", *words]),
        source="a language server",
        reason="its errors in changed files are reported where the baseline had none",
        timeout=SECONDS,
        required=False,
    )


def _judge(comparison: Comparison, gate: Gate, now: RunReceipt) -> list[Finding]:
    """Return the findings of a run. A server that could not run has only its receipt: it is not a check of this
    project."""
    errors = error_free.read_errors(now.result.output)
    if now.document["run"]["exit"] != 1 or not errors:
        return []
    before = comparison.matrix.run(Cell(BASE, gate, comparison.matrix.base))
    if before.document["run"]["exit"] not in (0, 1):
        return []
    known = error_free.read_errors(before.result.output)
    new = error_free.find_new_errors(errors, known)
    return error_free.judge_errors(new, now.result.receipt)


def _list_served(comparison: Comparison, gates: list[Gate], *, own: bool) -> Iterator[str]:
    """Yield changed files whose language has a server that may run."""
    from ...system import language_servers

    context = comparison.context
    programs = context.environ.get("PATH", os.defpath)
    changed = [file.path for file in comparison.change.own if file.status != "D" and not file.binary]
    for path in filter(language_servers.is_known, changed[:FILES]):
        language = language_servers.find_language(path).name
        if language in _DATA or error_free.is_held_by_gate(language, gates):
            continue
        try:
            where = os.path.join(context.root, path)
            language_servers.find(where, context.root, own=own, programs=programs)
        except NotFound:
            continue
        yield path

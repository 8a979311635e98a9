"""Runs cases through our own functions: agreed, differs with a reason, or failed."""

import re
import sys
import tempfile
import warnings
from traceback import extract_tb

from ultrawork.core.errors import UltraworkError

from . import (
    agents,
    autopilot,
    axiom,
    features,
    helpers,
    hooks,
    instead,
    keywords,
    loops,
    memory,
    modes,
    permission,
    routing,
    skills,
    team,
)
from .cases import Place, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .cases import Case
    from .table import Table

    # From a case to what we do and what the earlier program did, in one form.
    Adapter = Callable[[Case, Place], tuple[Any, Any]]

AGREED, DIFFERS, FAILED = "agreed", "differs", "failed"
ADAPTERS: "dict[str, Adapter]" = {
    "autopilot": autopilot.case_of,
    "axiom": axiom.case_of,
    "delegation_categories": routing.category_case,
    "delegation_model_injection": agents.injection,
    "external_cli": helpers.cli_case,
    "external_model_policy": helpers.policy_case,
    "hook_bridge": hooks.bridge_case,
    "hook_normalisation": hooks.normalisation,
    "keyword_detection": keywords.detection,
    "keyword_variants": keywords.variants,
    "learned_skills": skills.case_of,
    "misc_features": features.misc,
    "mode_and_path_validation": modes.validation,
    "mode_registry": modes.registry,
    "model_routing": routing.route_case,
    "notepad": memory.notepad_case,
    "orchestrator_enforcement": agents.enforcement,
    "permission_handler": permission.case_of,
    "persistence_loops": loops.persistence,
    "project_memory": memory.project_case,
    "ralph_prd_progress": loops.rounds,
    "stop_and_todo": loops.stop_and_todo,
    "subagent_tracking": agents.tracking,
    "task_decomposition": features.decomposition,
    "team_pipeline": team.case_of,
    "team_workers": team.worker_case,
    "think_mode": features.think,
    "verification_tier": features.tier,
}


class Outcome:
    """`ours` is what we answer where we differ: a case that differs is no licence to answer anything."""

    __slots__ = ("case", "kind", "ours", "why")

    def __init__(self, case: "Case", kind: str, why: str = "", ours: str = "") -> None:
        self.case = case
        self.kind = kind
        self.why = why
        self.ours = ours


def run(path: str, table: "Table") -> list[Outcome]:
    return [judged(case, table) for case in load(path)]


def judged(case: "Case", table: "Table") -> Outcome:
    """A case that cannot be run has failed; where we have no such thing, what stands in its place answers."""
    rule = table.absent(case)
    try:
        if rule is not None:
            return Outcome(case, DIFFERS, rule.reason, _answer_instead(case))
        ours, disagreement = compare(case)
    except Exception as error:  # noqa: BLE001 (one case that cannot be run does not stop the others)
        return Outcome(case, FAILED, f"cannot be run: {type(error).__name__}: {error} ({_where()})")
    if not disagreement:
        return Outcome(case, AGREED)
    reason = table.reason(case)
    if not reason:
        return Outcome(case, FAILED, disagreement)
    return Outcome(case, DIFFERS, reason, ours)


def disagreement_of(case: "Case") -> str:
    """What is not the same; empty if all is."""
    return compare(case)[1]


def compare(case: "Case") -> tuple[str, str]:
    """What we answer, without the place where that was, and what is not the same as there."""
    adapter = ADAPTERS.get(case.area)
    if adapter is None:
        raise LookupError(f"there is no adapter for the area {case.area}")
    with tempfile.TemporaryDirectory(prefix="ultrawork-peer-") as root, warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            ours, theirs = adapter(case, Place(root))
        except UltraworkError as error:
            told = f"we refuse: {error}"
            return _write_down(told, root), "" if _throws(case) else told
    text = _write_down(repr(_sort(ours)), root)
    if _throws(case):
        return text, f"we do not refuse, we give {_short(ours)}"
    return text, "" if ours == theirs else f"ours {_short(ours)}, theirs {_short(theirs)}"


def _answer_instead(case: "Case") -> str:
    with tempfile.TemporaryDirectory(prefix="ultrawork-peer-") as root, warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        return _write_down(repr(_sort(instead.answer(case, Place(root)))), root)


def _write_down(text: str, root: str) -> str:
    """Without what differs from run to run: the place and the time."""
    text = re.sub(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z?|\b\d{13}\b", "TIME", text)
    return text.replace(root, "PLACE")[:400]


def _sort(value: object) -> object:
    """Sets have no order that one could write down."""
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    if isinstance(value, dict):
        return {key: _sort(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_sort(one) for one in value]
    return value


def _throws(case: "Case") -> bool:
    return isinstance(case.expect, dict) and bool({"throws", "throws_contains"} & set(case.expect))


def _where() -> str:
    trace = sys.exc_info()[2]
    last = extract_tb(trace)[-1]
    return f"{last.filename.rpartition('/')[2]}:{last.lineno}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 400 else text[:400] + "…"

"""autopilot as a state machine, against the earlier program's."""

import os

from ultrawork.core.errors import Conflict, UsageError
from ultrawork.core.modes import record, state_file, tables
from ultrawork.core.times import parse_iso
from ultrawork.store.omc import states
from ultrawork.store.omc.folder import Omc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultrawork.core.modes.tables import ModeProgress

    from .cases import Case, Place

AUTOPILOT = "autopilot"
# What both programs write under the same name and with the same meaning.
SHARED = (
    "active", "phase", "iteration", "max_iterations", "originalIdea", "expansion", "planning", "execution",
    "qa", "validation", "artifacts", "fix_loop", "cancel",
)  # fmt: skip
# What follows from the verdicts is not read, but worked out again.
DERIVED = ("all_approved", "architects_spawned")
AGES = {"fresh": 0.0, "more than 5 minutes": 301.0, "more than 1 hour": 3601.0}
GIVEN = {"proved": True, "spec_path": "s", "plan_path": "p", "tasks_total": 1, "tasks_completed": 1}


def case_of(case: "Case", place: "Place") -> "tuple[Any, Any]":
    """The state lies in a file there; here it is read into a progress first, and written back."""
    place.write(case.input.get("files", {}))
    given = place.filled(case.input["args"])
    args = [one for one in given if one != place.dir]
    expect = place.expected(case.expect)
    flow = _Autopilot(case, place, args)
    compared: tuple[Any, Any] = _AUTOPILOT[case.fn](flow, expect)
    return compared


class _Autopilot:
    """One case: what is on disk, as a progress of ours; None if there is nothing."""

    def __init__(self, case: "Case", place: "Place", args: "list[Any]") -> None:
        names = [one for one in args if isinstance(one, str) and one.startswith("session")]
        self.omc, self.args, self.now = Omc(place.dir), args, place.now
        self.session = names[0] if names else ""
        state = states.read(self.omc, AUTOPILOT, self.session)
        age = AGES[str(case.input.get("state_file_age", "fresh"))]
        self.progress = None if state is None else _read(state, place.now - age)

    def shown(self) -> "dict[str, Any]":
        assert self.progress is not None
        return state_file.render(self.progress, session=self.session, place=self.omc.top)

    def moved(self, target: str) -> bool:
        if self.progress is None:
            return False
        try:
            tables.move(self.progress, target, self.now)
        except Conflict:
            return False
        return True


def _read(state: "dict[str, Any]", at: float) -> "ModeProgress":
    groups = [state.get(name) or {} for name in state_file.GROUPS[AUTOPILOT]]
    facts = {key: value for group in groups for key, value in group.items() if key not in DERIVED}
    listed = facts.pop("verdicts", [])
    facts["verdicts"] = {one["type"]: one["verdict"] for one in listed}
    facts["issues"] = {one["type"]: one.get("issues", []) for one in listed}
    progress = tables.begin(AUTOPILOT, at, facts={**facts, "originalIdea": state.get("originalIdea")})
    progress.phase, progress.active = state["phase"], state["active"]
    counted = {**facts, "iteration": state.get("iteration", 1)}
    for counter, (name, _) in state_file.COUNTERS.items():
        if counter in progress.counts and name in counted:
            progress.counts[counter] = counted[name]
    return progress


def same(ours: "dict[str, Any]", theirs: "Any") -> "tuple[Any, Any]":
    """Compared in what both have; a time is the same moment, however it is written."""
    if not isinstance(theirs, dict):
        return ours, theirs
    keys = [key for key in SHARED if key in theirs]
    return {key: ours.get(key) for key in keys}, {key: theirs[key] for key in keys}


def _init(flow: _Autopilot, expect: "Any") -> "tuple[Any, Any]":
    flow.progress = tables.begin(AUTOPILOT, flow.now, facts={"originalIdea": flow.args[0]})
    ours, theirs = same(flow.shown(), expect["result"])
    moment = parse_iso(str(expect["result"]["started_at"]))
    return (ours, parse_iso(flow.shown()["started_at"])), (theirs, moment)


def _recorded(flow: _Autopilot, expect: "Any") -> "tuple[Any, Any]":
    if flow.progress is None:
        return False, expect["result"]
    kind, verdict, *issues = [one for one in flow.args if one != flow.session]
    try:
        tables.record_review(flow.progress, kind, verdict, *issues, now=flow.now)
    except (Conflict, UsageError):
        return False, expect["result"]
    return _with_file(flow, expect, True)


def _with_file(flow: _Autopilot, expect: "Any", result: "Any") -> "tuple[Any, Any]":
    """The result, and what the file holds afterwards where the case tells it."""
    written = [one for name, one in expect.get("files_changed", {}).items() if AUTOPILOT in name]
    if not written:
        return result, expect["result"]
    ours, theirs = same(flow.shown(), written[0])
    return (result, ours), (expect["result"], theirs)


def _status(flow: _Autopilot, expect: "Any") -> "tuple[Any, Any]":
    if flow.progress is None:
        return None, expect["result"]
    found = flow.shown()["validation"]
    wanted = (one.get("issues", []) for one in found["verdicts"])
    ours = {
        "success": set(tables.list_reviews(flow.progress)) == set(tables.VERDICTS),
        "allApproved": found["all_approved"],
        "verdicts": found["verdicts"],
        "round": found["validation_rounds"],
        "issues": [one for issues in wanted for one in issues],
    }
    return ours, expect["result"]


def _round(flow: _Autopilot, expect: "Any") -> "tuple[Any, Any]":
    """Here a round is begun by coming back to validation, by way of what is to be fixed."""
    if flow.progress is None or flow.progress.phase != "validation":
        return False, expect["result"]
    before = {key: flow.progress.facts.get(key) for key in GIVEN}
    cycles = flow.progress.counts["qa"]
    for phase in ("execution", "qa", "validation"):
        flow.progress.facts.update(GIVEN)
        tables.move(flow.progress, phase, flow.now)
    flow.progress.facts.update(before)
    flow.progress.counts["qa"] = cycles
    return _with_file(flow, expect, True)


def _retry(flow: _Autopilot, expect: "Any") -> "tuple[Any, Any]":
    if flow.progress is None:
        return False, expect["result"]
    rejected = not tables.is_approved(flow.progress) and bool(tables.list_reviews(flow.progress))
    return rejected and tables.count_left(flow.progress)["validation"] > 0, expect["result"]


def _issues(flow: _Autopilot, expect: "Any") -> "tuple[Any, Any]":
    if flow.progress is None:
        return [], expect["result"]
    wanted = flow.progress.facts["issues"]
    rejected = [kind for kind, word in tables.list_reviews(flow.progress).items() if word != tables.APPROVED]
    ours = [f"[{kind.upper()}] {', '.join(wanted[kind])}" for kind in rejected if wanted.get(kind)]
    return ours, expect["result"]


def _phase(flow: _Autopilot, expect: "Any") -> "tuple[Any, Any]":
    if flow.progress is None:
        flow.progress = tables.begin(AUTOPILOT, flow.now)
    flow.moved(flow.args[0])
    wanted = expect["phase"] if "phase" in expect else (expect["result"] or {}).get("phase")
    return flow.progress.phase, wanted


def _moved_to(target: str) -> "Any":
    def adapter(flow: _Autopilot, expect: "Any") -> "tuple[Any, Any]":
        return flow.moved(target), expect["result"]["success"]

    return adapter


def _resumable(flow: _Autopilot) -> bool:
    if flow.progress is None:
        return False
    state = tables.find_resume_state(flow.progress, flow.now, active=flow.progress.active)
    return state in (tables.INTERRUPTED, tables.RESUMABLE)


def _can_resume(flow: _Autopilot, expect: "Any") -> "tuple[Any, Any]":
    ours: dict[str, Any] = {"canResume": _resumable(flow)}
    theirs = {"canResume": expect["result"]["canResume"]}
    if "resumePhase" in expect["result"] and flow.progress is not None:
        ours["phase"], theirs["phase"] = flow.progress.phase, expect["result"]["resumePhase"]
    return ours, theirs


def _resumed(flow: _Autopilot, expect: "Any") -> "tuple[Any, Any]":
    may = _resumable(flow)
    if may and flow.progress is not None:
        tables.take_up(flow.progress, flow.now)
    return _state_of(flow, expect, may)


def _cancelled(flow: _Autopilot, expect: "Any") -> "tuple[Any, Any]":
    was_on = flow.progress is not None and flow.progress.active
    if was_on and flow.progress is not None:
        record.leave(flow.progress, tables.CANCELLED, flow.now)
    return _state_of(flow, expect, was_on)


def _state_of(flow: _Autopilot, expect: "Any", done: bool) -> "tuple[Any, Any]":
    theirs = expect["result"]
    told = theirs.get("state") or theirs.get("preservedState")
    if not done or told is None:
        return done, theirs["success"]
    ours, wanted = same(flow.shown(), told)
    return (done, ours), (theirs["success"], wanted)


def _cleared(flow: _Autopilot, expect: "Any") -> "tuple[Any, Any]":
    states.clear(flow.omc, AUTOPILOT, flow.session)
    result = expect["result"]
    wanted = result["success"] if isinstance(result, dict) else result
    return not os.path.exists(flow.omc.state(AUTOPILOT, flow.session)), wanted


def _as_read(flow: _Autopilot, expect: "Any") -> "tuple[Any, Any]":
    state = states.read(flow.omc, AUTOPILOT, flow.session)
    if state is None:
        return None, expect["result"]
    assert flow.progress is not None
    (ours, ours_shown), theirs = (same(state, expect["result"])[0], flow.shown()), expect["result"]
    wanted = same(state, theirs)[1]
    return (ours, same(ours_shown, theirs)[0]), (wanted, wanted)


def _written(flow: _Autopilot, expect: "Any") -> "tuple[Any, Any]":
    state = next(one for one in flow.args if isinstance(one, dict))
    states.write(flow.omc, AUTOPILOT, state, session=flow.session, now=flow.now)
    found = states.read(flow.omc, AUTOPILOT, flow.session) or {}
    ours, theirs = same(found, state)
    return (True, ours), (expect["result"], theirs)


def _updated(flow: _Autopilot, expect: "Any") -> "tuple[Any, Any]":
    if flow.progress is None:
        return False, expect["result"]
    flow.progress.facts.update(next(one for one in flow.args if isinstance(one, dict)))
    return _with_file(flow, expect, True)


def _is_on(flow: _Autopilot, expect: "Any") -> "tuple[Any, Any]":
    return bool(states.list_active(flow.omc, AUTOPILOT, flow.now)), expect["result"]


_AUTOPILOT: "dict[str, Any]" = {
    "initAutopilot": _init,
    "recordValidationVerdict": _recorded,
    "getValidationStatus": _status,
    "startValidationRound": _round,
    "shouldRetryValidation": _retry,
    "getIssuesToFix": _issues,
    "transitionPhase": _phase,
    "transitionRalphToUltraQA": _moved_to("qa"),
    "transitionUltraQAToValidation": _moved_to("validation"),
    "transitionToComplete": _moved_to("complete"),
    "transitionToFailed": _moved_to("failed"),
    "canResumeAutopilot": _can_resume,
    "resumeAutopilot": _resumed,
    "cancelAutopilot": _cancelled,
    "clearAutopilot": _cleared,
    "clearAutopilotState": _cleared,
    "readAutopilotState": _as_read,
    "writeAutopilotState": _written,
    "isAutopilotActive": _is_on,
    "updateExpansion": _updated,
    "updatePlanning": _updated,
    "updateExecution": _updated,
    "updateQA": _updated,
}

"""What a stage learns from earlier ones: one object, bounded in size; and how parallel results are merged.

Also what a pipeline adds to the next step of its session, and to the facts of its mode."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....core.course import steps
from ....core.course.steps import NextStep, SessionFacts
from ....core.plan.task import BLOCKED, FAILED, IN_PROGRESS, PENDING, RESOLVED, SKIPPED, Task
from ....core.session.session import Session
from . import expression as written
from . import stage_plan
from .stage_plan import PipelineStage

WHOLE = 24_000
MOST = 6_000
TASK = 4_000
_TALLIED = 1_000
_VOTE = "vote:"


@dataclass(slots=True)
class StageContext:
    """`document` goes into a prompt; `files` are the reports that were too long for it, by file name."""

    document: dict[str, Any]
    files: dict[str, str]


def make_context(
    session: Session, name: str, plan: Sequence[Task], reports: Mapping[str, str], folder: str
) -> StageContext:
    """Return the context of a stage; `folder` is where it finds texts that were too long."""
    stages = stage_plan.list_stages(session)
    pipeline_stage = stages[name]
    earlier = _before(stages, name)
    status = {task.id: task.status for task in plan}
    teller = _Teller(min(MOST, WHOLE // max(1, len(earlier))), folder)
    entries = [
        teller.add_entry(stage_name, stages[stage_name], status.get(stage_name, ""), reports.get(stage_name, ""))
        for stage_name in earlier
    ]
    merge = str(session.state.pipeline["merge"])
    document = {
        "original_task": _cut(session.goal, TASK),
        "previous_stages": _merged(entries, merge, reports),
        "current_stage": {"number": pipeline_stage.number, "name": pipeline_stage.name, "agent": pipeline_stage.agent},
        "next_stage": _next(stages, pipeline_stage.number),
    }
    return StageContext(document, teller.files)


@dataclass(slots=True)
class _Teller:
    """Shortens reports to `room` characters; longer ones are also written to files."""

    room: int
    folder: str
    files: dict[str, str] = field(init=False, default_factory=dict)

    def add_entry(self, name: str, stage: PipelineStage, status: str, report: str) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "stage": stage.number,
            "id": name,
            "name": stage.name,
            "status": "done" if status == RESOLVED else status,
            "output": _cut(report, self.room),
        }
        if len(report) > self.room:
            self.files[f"{name}.md"] = report
            entry["whole_output"] = f"{self.folder}/{name}.md"
        return entry


def _before(stages: Mapping[str, PipelineStage], name: str) -> list[str]:
    """Return the earlier stages; the merger of a stage comes after its members and replaces them later."""
    pipeline_stage = stages[name]
    summed = {stage.number for stage in stages.values() if stage.name == stage_plan.MERGER}
    return [
        other
        for other, stage in stages.items()
        if (stage.number < pipeline_stage.number and (stage.number not in summed or _sums_up(stage)))
        or (stage.number == pipeline_stage.number and _sums_up(pipeline_stage) and other != name)
    ]


def _sums_up(stage: PipelineStage) -> bool:
    return stage.name == stage_plan.MERGER


def _merged(entries: Sequence[dict[str, Any]], merge: str, reports: Mapping[str, str]) -> list[dict[str, Any]]:
    """Stages with several members become one entry: all of them, or what most of them voted for."""
    by_number: dict[int, list[dict[str, Any]]] = {}
    for entry in entries:
        by_number.setdefault(entry["stage"], []).append(entry)
    merger = _voted if merge == written.VOTE else _concatenated
    return [
        members[0] if len(members) == 1 else merger(number, members, reports) for number, members in by_number.items()
    ]


def _concatenated(number: int, members: Sequence[dict[str, Any]], _reports: Mapping[str, str]) -> dict[str, Any]:
    return {"stage": number, "merge": written.CONCAT, "members": list(members)}


def _voted(number: int, members: Sequence[dict[str, Any]], reports: Mapping[str, str]) -> dict[str, Any]:
    """Return the report of the first member of the majority; of the others only their votes."""
    ballots = {member["id"]: read_ballot(reports.get(member["id"], "")) for member in members}
    winner = find_winner(list(ballots.values()))
    chosen = next((member for member in members if winner and ballots[member["id"]] == winner), None)
    votes = {member["id"]: ballots[member["id"]] or "none" for member in members}
    entry: dict[str, Any] = {"stage": number, "merge": written.VOTE, "votes": votes}
    if chosen is None:
        short = [{**member, "output": member["output"][:_TALLIED]} for member in members]
        return {**entry, "winner": "", "members": short}
    return {**entry, "winner": winner, "members": [chosen]}


def describe_vote(session: Session, reports: Mapping[str, str], names: Sequence[str]) -> str:
    """Describe a stage's vote in one line; empty if there was none."""
    if session.state.pipeline["merge"] != written.VOTE or len(names) < 2:
        return ""
    ballots = [read_ballot(reports.get(name, "")) for name in names]
    winner = find_winner(ballots)
    count = f"{ballots.count(winner)} of {len(ballots)}"
    return f"{winner} ({count})" if winner else "no majority"


def read_ballot(report: str) -> str:
    """Return the last voting line, else the final verdict of a report, in lowercase; empty if there is neither."""
    for line in reversed(report.splitlines()):
        plain = line.strip().strip("*`# ").strip()
        if plain.lower().startswith(_VOTE):
            return " ".join(plain[len(_VOTE) :].strip(" *`.!").lower().split())[:80]
    for word in ("PASS", "FAIL"):
        if f'"verdict": "{word}"' in report or f'"verdict":"{word}"' in report:
            return word.lower()
    return ""


def find_winner(ballots: Sequence[str]) -> str:
    """Return what most members voted for; empty for no votes or a tie."""
    counts: dict[str, int] = {}
    for ballot in ballots:
        if ballot:
            counts[ballot] = counts.get(ballot, 0) + 1
    ranked = sorted(counts.items(), key=lambda pair: -pair[1])
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return ""
    return ranked[0][0]


def _next(stages: Mapping[str, PipelineStage], number: int) -> dict[str, Any] | None:
    names = [stage.name for stage in stages.values() if stage.number == number + 1]
    return {"number": number + 1, "names": names} if names else None


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}\n(cut; {len(text):,} characters in all)"


_SHOWN = 2_000
_DONE = {
    PENDING: "pending",
    IN_PROGRESS: "running",
    RESOLVED: "complete",
    FAILED: "failed",
    SKIPPED: "skipped",
    BLOCKED: "blocked",
}


def decide_after_failure(known: SessionFacts) -> NextStep | None:
    """Decide after a stage used up its tries: continue as requested, or end when nothing runs."""
    failed = stage_plan.list_failed_stages(known.session, known.work)
    if not failed:
        return None
    text = f"stage {failed[0].id} failed: {failed[0].reason or 'no reason given'}"
    if any(stage_plan.may_go_on(known.session, task) for task in failed):
        return steps.NextStep(steps.OWN, text, own=steps.STAGE_FAILED)
    running = [task.id for task in known.work if task.status == IN_PROGRESS]
    if running:
        return steps.NextStep(steps.WAIT, f"stages running: {', '.join(running)}", waiting=running)
    return steps.NextStep(steps.OWN, text, own=steps.FAILING)


def describe_answer(known: SessionFacts) -> str:
    """Tell the coordinator that a read-only pipeline has finished."""
    names = stage_plan.list_last_stage(known.session)
    voted = describe_vote(known.session, {explorer.id: explorer.report or "" for explorer in known.explorers}, names)
    text = f"the pipeline is done. Pass on what {' and '.join(names)} reported"
    return f"{text}; the vote: {voted}" if voted else text


def collect_facts(known: SessionFacts) -> dict[str, Any]:
    """Return the keys of `pipeline-state.json`."""
    document = known.session.state.pipeline
    status = {task.id: task for task in known.work}
    reports = {explorer.id: explorer.report or "" for explorer in known.explorers}
    stages = [
        {
            "id": name,
            "name": stage["name"],
            "agent": stage["agent"],
            "model": stage["model"] or known.models.get(stage_plan.find_complexity(stage["tier"])),
            "status": _DONE[status[name].status] if name in status else "pending",
            "output": reports.get(name, "")[:_SHOWN] or None,
        }
        for name, stage in document["stages"].items()
    ]
    open_stages = [stage["number"] for name, stage in document["stages"].items() if _open(status, name)]
    return {
        "pipeline_id": f"pipeline-{known.session.id}",
        "name": document["name"],
        "expression": document["expression"],
        "task": known.session.goal,
        "current_stage": min(open_stages, default=None),
        "stages": stages,
        **({"answered": True} if known.session.state.answered else {}),
    }


def _open(status: dict[str, Any], name: str) -> bool:
    return name in status and status[name].status not in (RESOLVED, SKIPPED)


def count_retries(known: SessionFacts) -> int:
    return sum(task.retry_count for task in known.work)

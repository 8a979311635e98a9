"""Start another round of a session: what failed is due again, and each finding of the verification becomes a task."""

from collections.abc import Sequence

from ..core.plan import task as core_task
from ..core.plan.task import VERIFY, Task
from ..core.session.session import EXECUTION, VERIFICATION, Session
from ..core.verdict.gate_run import GREEN, RED
from ..core.verdict.verdict import STRONG, WEAK, Document
from ..core.wording import cut, join_lines
from ..store import receipts, tasks
from ..store.database import Change

MOST = 5
_LONGEST = 300
# What only a run of the checks clears.
_NOT_RUN = ("check-blocked", "criterion-blocked")


def add_fix_task(change: Change, session: Session, plan: Sequence[Task]) -> None:
    """Add one task for everything: its criteria are failing checks, open findings and the verifier's findings."""
    criteria = [*_gates(change), *_list_held_against(change), *_findings(session)]
    name = f"mend-{session.iteration}"
    if not criteria or any(task.id == name for task in plan):
        return
    task = Task(
        id=name,
        subject="Fix what verification found",
        description="All tasks were resolved, but the whole result was not accepted.",
        complexity=core_task.COMPLEX,
        criteria=criteria[:MOST],
        created_at=change.now,
        updated_at=change.now,
    )
    tasks.create(change, [task])
    if any(planned_task.id == VERIFY for planned_task in plan):
        tasks.wait_for_all(change, VERIFY)


def _gates(change: Change) -> list[str]:
    """Return the failing checks. A task's own failing criteria are left out: they go back to that task."""
    last = receipts.find_last_verdict(change.database, change.session)
    red = [
        receipts.get(change.database, change.session, gate["receipt"])
        for gate in (last["gates"] if last else {}).values()
        if gate["result"] != GREEN and gate["receipt"] and not gate.get("task")
    ]
    return [str(receipt["gate"]["command"]) + " => exit 0" for receipt in red]


def _list_held_against(change: Change) -> list[str]:
    """Return findings that count against the work although the checks pass: a verifier has to judge them."""
    last = receipts.find_last_verdict(change.database, change.session)
    return [
        cut(f"judged: no longer so: {join_lines(finding['what'])}", _LONGEST)
        for finding in list_mendable(last)
        if last and (last["gates"].get(finding["gate"]) or {}).get("result", GREEN) == GREEN
    ]


def list_mendable(last: Document | None) -> list[Document]:
    """Return findings that count against the work and that another round can clear."""
    findings = last["findings"] if last else []
    return [finding for finding in findings if finding["level"] in (STRONG, WEAK) and finding["rule"] not in _NOT_RUN]


def name_finding(finding: Document) -> str:
    """Return what identifies a finding within a session, without its numbers."""
    return f"{finding['rule']} {finding['gate'] or finding['where']}"


def _findings(session: Session) -> list[str]:
    criteria = session.state.verification.get("criteria")
    return [cut(join_lines(str(text)), _LONGEST) for text in criteria or []]


def _find_undone(change: Change) -> dict[str, str]:
    """Return tasks whose own criteria fail on the delivered files, with the reason."""
    last = receipts.find_last_verdict(change.database, change.session) or {"gates": {}}
    reasons: dict[str, str] = {}
    for name, gate in last["gates"].items():
        if gate.get("task") and gate["result"] == RED:
            texts = [finding["what"] for finding in last["findings"] if finding["gate"] == name]
            reasons.setdefault(gate["task"], texts[0] if texts else f"{name} fails")
    return reasons


def begin(change: Change, session: Session) -> None:
    """Start a round: failed and verify tasks become pending, and the iteration is counted; attempts stay."""
    plan = tasks.list_all(change.database, change.session)
    undone = _find_undone(change) if session.phase == VERIFICATION else {}
    for task in plan:
        if task.id in undone:
            tasks.update(
                change, task.id, status=core_task.PENDING, retry_count=task.retry_count + 1, reason=undone[task.id]
            )
        if task.status == core_task.FAILED or (task.is_verify and task.status != core_task.PENDING):
            tasks.update(change, task.id, status=core_task.PENDING, retry_count=task.retry_count + 1)
    session.iteration += 1
    sent = list(session.state.verification.get("sent") or ())
    if session.phase == VERIFICATION:
        add_fix_task(change, session, plan)
        last = receipts.find_last_verdict(change.database, change.session)
        sent += [name_finding(finding) for finding in list_mendable(last)]
    session.phase = EXECUTION
    findings = session.state.verification.get("findings")
    # The next verifier gets these findings, and no finding is sent back forever.
    kept = {"before": findings, "sent": sorted(set(sent))}
    session.state.verification = {name: value for name, value in kept.items() if value}

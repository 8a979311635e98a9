"""Handle what agents deliver: an explorer's report, a verifier's verdict, a worker's claim.

A task is resolved by its own criteria, which we run, never by an agent's statement."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.course import judges
from ..core.errors import UltraworkError
from ..core.plan import criteria
from ..core.plan.criteria import Criterion
from ..core.plan.evidence import UNJUDGED, find_hedges
from ..core.plan.task import FAILED, RESOLVED, Task
from ..core.session.exploration import Explorer, read_findings
from ..core.stop import last_message
from ..core.value import Value, fresh
from ..core.verdict import verdict as verdicts
from ..core.verdict.gate_run import GREEN
from ..core.wording import cut
from ..gates.context import GateContext
from ..gates.run.receipt import NEW, RunReceipt, RunTarget, make_receipt
from ..gates.session import pinning
from ..store import agents, pins, receipts, sessions, tasks
from ..store.pins import Pin
from ..store.store import Store
from .planning import parse_block


def record_report(store: Store, session: str, explorer: str, report: str) -> None:
    """Store an explorer's last message as its report; its first line is the summary."""
    summary = next((line.strip("# ").strip() for line in report.splitlines() if line.strip()), "")
    known = {entry.id: entry for entry in sessions.list_explorers(store.database, session)}
    hint = known[explorer].hint if explorer in known else ""
    with store.change(session) as change:
        sessions.take_report(
            change,
            Explorer(id=explorer, hint=hint, summary=summary[:200], report=report, findings=read_findings(report)),
        )


def record_ruling(store: Store, session: str, message: str, part: str = judges.VERIFY) -> bool:
    """Record a structured verdict, which can only lower ours; missing or malformed is not PASS. It applies only to the
    files that the checks judged last."""
    answer = read_verdict_block(message)
    who = "verifier" if part == judges.VERIFY else "reviewer"
    ruling, findings = judges.read_ruling(answer, who)
    clean = ruling == judges.APPROVED
    with store.change(session) as change:
        last = receipts.find_last_verdict(change.database, session)
        stored_session = sessions.get(change.database, session)
        judgement = {"ruling": ruling, "tree": last["tree"] if last else "", "findings": findings}
        stored_session.state.verification = _with(stored_session.state.verification, part, judgement)
        details = {"part": part, "verdict": answer.get("verdict"), "clean": clean}
        sessions.save(change, stored_session, "verifier.ended", details)
    return clean


def _with(known: dict[str, Any], part: str, judgement: dict[str, Any]) -> dict[str, Any]:
    judged = {**known.get("judged", {}), part: judgement}
    neutral = (judges.APPROVED, judges.UNCLEAR)
    against = [name for name in judged if judged[name]["ruling"] not in neutral]
    approved = judgement["ruling"] == judges.APPROVED
    more = {"verifier": verdicts.PASS if approved else verdicts.FAIL}
    return {
        **known,
        **(more if part == judges.VERIFY else {}),
        "judged": judged,
        "findings": [text for name in against for text in judges.list_texts(judged[name]["findings"], name)],
        "criteria": [
            criterion for name in against for criterion in judges.list_mend_criteria(judged[name]["findings"], name)
        ],
    }


def read_verdict_block(message: str) -> dict[str, Any]:
    """Return a judge's verdict, from its block, else from a last line that names one."""
    try:
        return parse_block(message)
    except UltraworkError:
        return judges.read_prose(message)


SECONDS = 240.0
DIRECT = "the main agent did it, as you asked"


class CriteriaResult(Value):
    """
    The outcome of a task's criteria. `unrun`: those that only the agent may start. `lacking`: programs missing on
    this machine, which no work can fix.
    """

    met: list[str] = fresh(list)
    failed: list[str] = fresh(list)
    judged: list[str] = fresh(list)
    unrun: list[str] = fresh(list)
    lacking: list[str] = fresh(list)

    @property
    def reason(self) -> str:
        return "; ".join(self.failed[:2])


def check_criteria(
    store: Store,
    environ: Mapping[str, str],
    session: str,
    task: Task,
    *,
    by: str,
    may_run: Callable[[str], bool] | None = None,
    place: str = "",
    tick: Callable[[], None] | None = None,
) -> CriteriaResult:
    """Run every criterion of a task that is a command on the current files, in `place` or where the session works."""
    pin = pins.get(store.database, session)
    work = _make_context(store, environ, session, pin, place, by=by, seconds=SECONDS, may_run=may_run, tick=tick)
    place = work.root
    checked = CriteriaResult()
    tree = pinning.take_tree(place, store, environ)
    for text in task.criteria:
        _check(work, task, criteria.parse(text), tree, checked)
    return checked


def _check(work: GateContext, task: Task, criterion: Criterion, tree: str, checked: CriteriaResult) -> None:
    if criterion.judged:
        checked.judged.append(criterion.text)
        return
    if not work.may_run(criterion.command):
        checked.unrun.append(criterion.text)
        return
    gate = criteria.make_gate(task.id, criterion)
    run = make_receipt(work, gate, RunTarget(work.root, tree, NEW))
    if criteria.is_met(criterion, exit=run.document["run"]["exit"], output=run.result.output):
        checked.met.append(f"{criterion.text}: met (#{run.number})")
    else:
        colour = run.result.colour if run.result.colour != GREEN else "not as expected"
        tail = cut(_tail(run.result.output), 200)
        checked.failed.append(f"{criterion.text}: {colour} (#{run.number}) {tail}".rstrip())
        checked.lacking += _list_lacking(task, run)


def _list_lacking(task: Task, run: RunReceipt) -> list[str]:
    if not run.missing:
        return []
    from ..gates.run.remedy import is_of_machine, word_cure

    text = f"{task.id} needs {run.missing}, which is not installed; {word_cure(run.missing, run.remedy)}"
    return [text] if is_of_machine(run.missing) else []


def run_gates(
    store: Store,
    environ: Mapping[str, str],
    session: str,
    *,
    by: str,
    seconds: float = SECONDS,
    place: str = "",
    may_run: Callable[[str], bool] | None = None,
    tick: Callable[[], None] | None = None,
    before: str = "",
    beside: Sequence[str] = (),
) -> tuple[bool, str]:
    """Run the project's checks on the current files. Only failures stop a result; unknowns are left to the final
    verification. `before` is the tree without this result, `beside` the paths that others added meanwhile: their tests
    must hold."""
    from ..core.verdict.rules import BENT_RULES
    from ..gates.judge.verify import verify

    pin = pins.get(store.database, session)
    if pin is None or not pin.gates:
        return True, ""
    work = _make_context(
        store, environ, session, pin, place, by=by, seconds=seconds, may_run=may_run, tick=tick, part=True
    )
    outcome = verify(work, pin)
    bent = any(finding.rule in BENT_RULES for finding in outcome.open_findings)
    words = "; ".join([outcome.line, *outcome.details()][:4])
    if outcome.value == verdicts.FAIL or bent:
        return False, words
    if beside:
        from ..gates.session.earlier import find_undone

        undone = find_undone(work, before, beside)
        return not undone, undone or words
    return True, words


def _make_context(
    store: Store, environ: Mapping[str, str], session: str, pin: Pin | None, place: str, **options: Any
) -> GateContext:
    """Return the context for checks, in `place` or where the session works, with the settings that it began with."""
    stored_session = sessions.get(store.database, session)
    place = place or stored_session.place
    settings = (
        pinning.read_pinned_settings(place, store, environ, pin)
        if pin is not None
        else pinning.read_settings(place, store, environ)
    )
    return GateContext(store, stored_session, root=place, settings=settings, environ=environ, **options)


def _tail(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return " | ".join(lines[-3:])


def decide_end(checked: CriteriaResult, message: str) -> tuple[str, str, list[str]]:
    """Return resolved or failed, why, and the evidence; if all criteria are judged, the agent's message is the
    reason."""
    evidence = [*checked.met, *(f"{text} {UNJUDGED}" for text in checked.judged)]
    reason = checked.reason or ("its criteria have not run" if checked.unrun else "")
    blocked = last_message.find_blocked_reason(message)
    if not reason and blocked:
        reason = f"the worker reports that it is blocked: {blocked}"
    hedges = find_hedges(message)
    if not reason and not checked.met and hedges:
        reason = f'no criterion ran, and the worker only wrote "{hedges[0]}"'
    elif hedges and checked.met:
        evidence.append(f'the worker wrote "{hedges[0]}", so only the criteria count')
    return FAILED if reason else RESOLVED, reason, evidence


def finish_task(store: Store, session: str, task: Task, checked: CriteriaResult, message: str) -> str:
    status, reason, evidence = decide_end(checked, message)
    with store.change(session) as change:
        tasks.update(change, task.id, status=status, evidence=evidence, reason=reason or None)
        agents.release(change, task.id)
    return status


def resolve_directly(store: Store, session: str, task: Task, checked: CriteriaResult) -> str:
    """Resolve a task that the main agent did because the user asked for that, if its criteria are met. Return its new
    status, empty if unchanged."""
    settled = task.status == RESOLVED or checked.failed or checked.unrun
    if settled or not sessions.get(store.database, session).state.direct:
        return ""
    _, _, evidence = decide_end(checked, "")
    with store.change(session) as change:
        tasks.claim(change, DIRECT, task.id)
        tasks.update(change, task.id, status=RESOLVED, evidence=[*evidence, DIRECT])
    return RESOLVED

"""A planned session in words: its plan, how far it is, and how it ended."""

from collections.abc import Sequence
from typing import Any

from ..core.course import steps
from ..core.course.judges import list_judge_notes
from ..core.course.steps import NextStep
from ..core.plan.evidence import SHELL, UNJUDGED
from ..core.plan.task import FAILED, RESOLVED, SKIPPED, Task
from ..core.session.session import FULL, Session
from ..core.times import format_duration
from ..core.verdict.summary import name_ungraded_kind
from ..core.verdict_values import FAIL, PASS, UNVERIFIED
from ..core.wording import count_things
from ..store import agents, attempts, receipts, sessions, tasks
from ..store.database import Database
from ..store.store import Store
from ..system.git import FileChange
from .blocks import Block, Grid, Heading, Items, Pairs, render_blocks
from .plan import count_tasks, list_plan, list_progress
from .summary import SessionSummary, summarize
from .why import read_cause

_FILES_SHOWN = 40
# Without a plan there is nothing to carry out again.
_AGAIN = {
    False: ("check the current files: ultrawork verify", "try again in the client: ulw <task>"),
    True: ("check the current files: ulw verify", "try again: ulw <task>"),
}
# What to do next, by the result: in a terminal, and in the client, which has other commands.
NEXT_STEPS = {
    PASS: (
        ("review the change: ultrawork report --diff", "see the receipts: ultrawork evidence"),
        ("see the receipts: ulw evidence", "review the change, then commit it"),
    ),
    FAIL: (
        ("see why: ultrawork why TASK", "try again: ultrawork exec --restart"),
        ("see why: ulw why", "try again: /ultrawork:ultrawork-exec --restart"),
    ),
    UNVERIFIED: (
        ("check the current files: ultrawork verify", "resume it: ultrawork exec"),
        ("check the current files: ulw verify", "resume it: /ultrawork:ultrawork-exec"),
    ),
}


def list_ending(
    database: Database,
    summary: SessionSummary,
    listed: Sequence[Task],
    files: Sequence[FileChange] = (),
    *,
    client: bool = False,
    changed: int | None = None,
) -> list[Block]:
    """Return how the session ended: what is proved, what failed and why, where the work is, what to do next. `changed`
    is the number of changed files where neither they nor a verdict are known."""
    session, outcome = summary.session, summary.outcome
    verdict = receipts.find_last_verdict(database, session.id)
    passed = outcome.verdict == PASS
    kind = name_ungraded_kind(verdict) if passed and verdict else ""
    issues = list_issues(session, verdict)
    facts = [
        ("Result", f"{'✓' if passed else '✗'} {'; '.join(filter(None, (summary.word, kind)))}"),
        ("Because", "" if passed else read_cause(database, session.id)),
        ("Goal", session.goal),
        ("Approved by", describe_approval(session)),
        *([("Tasks", f"{count_tasks(listed)} resolved")] if listed or session.kind == FULL else []),
        ("Rounds", summary.rounds),
        ("Tries", str(summary.tries or "")),
        ("Sent back", count_things(summary.sent_back, "time")),
        ("Took", format_duration(summary.seconds)),
        ("Cost", summary.cost or "not reported"),
        ("Files changed", _count_changed(verdict, files) or str(changed or "")),
        ("Work", sessions.find_delivery(database, session.id) or summary.folder),
        ("Session", session.id),
    ]
    parts: list[Block] = [
        Heading("Execution complete" if passed else "Execution ended"),
        Pairs(facts),
        *_titled("Evidence", Items([*_evidence(listed, judged=passed), *_list_idle(verdict)])),
        *_failures(listed),
        *_titled("Verification", Items(issues)),
        *_titled("Notes of the verifier", Items(list_judge_notes(session.state.verification))),
        *_titled("Skipped", Items([session.state.skipped] if session.state.skipped else [])),
        *_files(files),
    ]
    steps = NEXT_STEPS.get(outcome.verdict, ((), ()))[int(client)] if session.kind == FULL or passed else _AGAIN[client]
    return [*parts, *_titled("Next steps", Items(steps))]


def describe_approval(session: Session) -> str:
    """Return how the user approved the plan or PRD; empty if it was not needed."""
    confirmed = session.state.lead.get("confirmed_by")
    return str(confirmed or session.plan.get("approved_by") or "")


def _titled(title: str, block: Items) -> list[Block]:
    return [Heading(title, 3), block] if block.lines else []


def _count_changed(verdict: dict[str, Any] | None, files: Sequence[FileChange]) -> str:
    if files:
        lines = sum(file.added for file in files), sum(file.removed for file in files)
        return f"{len(files)}, +{lines[0]} -{lines[1]} lines"
    changed = (verdict or {}).get("changed")
    if not changed:
        return ""
    return f"{changed['files']}, +{changed['added']} -{changed['removed']} lines"


def _files(files: Sequence[FileChange]) -> list[Block]:
    rows = [(f"+{file.added} -{file.removed}", file.path) for file in files[:_FILES_SHOWN]]
    more = [("", f"and {len(files) - _FILES_SHOWN} more")] if files[_FILES_SHOWN:] else []
    return [Heading("Files changed", 3), Grid(("Lines", "File"), [*rows, *more])] if rows else []


def _evidence(listed: Sequence[Task], *, judged: bool) -> list[str]:
    """Return what shows each resolved task; after a PASS the verifier has judged what no command could."""
    shown = {
        task.id: describe_evidence(task.evidence[-1]) for task in listed if task.evidence and task.status == RESOLVED
    }
    after = "(judged by the verifier)" if judged else UNJUDGED
    return [f"{name}: {text.replace(UNJUDGED, after)}" for name, text in shown.items()]


def _list_idle(verdict: dict[str, Any] | None) -> list[str]:
    """Return the criteria that were met but prove nothing, with the reason."""
    findings = (verdict or {"findings": []})["findings"]
    return [finding["what"] for finding in findings if finding["rule"] == "criterion-idle"]


def describe_evidence(entry: object) -> str:
    """Return one piece of evidence as people read it."""
    if not isinstance(entry, dict):
        return str(entry)
    if entry.get("type") == SHELL:
        return f"through the shell: {', '.join(map(str, entry.get('files') or ()))}"
    return "; ".join(f"{key} {value}" for key, value in entry.items())


def _sent_back(rows: Sequence[attempts.AttemptRow]) -> list[Block]:
    """Return attempts of a headless run whose work was rejected."""
    lines = [
        (f"{row.subject}.{row.epoch}", row.reason.partition("\n")[0][:160]) for row in rows if row.status == FAILED
    ]
    return [Heading("Sent back"), Grid(("Attempt", "Why"), lines)] if lines else []


def _failures(listed: Sequence[Task]) -> list[Block]:
    bad = [
        (task.id, task.subject, f"{task.status}: {task.reason or ''}")
        for task in listed
        if task.status in (FAILED, SKIPPED)
    ]
    head = ("ID", "Task", "Reason")
    return [Heading("Failed and skipped tasks", 3), Grid(head, bad)] if bad else []


def list_issues(session: Session, verdict: dict[str, Any] | None) -> list[str]:
    """Return what checks and verifier report against the work."""
    issues = [finding["what"] for finding in (verdict or {"findings": []})["findings"] if finding["level"] != "note"]
    findings = session.state.verification.get("findings")
    return issues + [
        str(finding.get("what", finding)) if isinstance(finding, dict) else str(finding) for finding in findings or []
    ]


def render(
    store: Store,
    session: Session,
    files: Sequence[FileChange] = (),
    *,
    now: float,
    markdown: bool = False,
    client: bool = False,
) -> str:
    """Return plan, progress and ending, as far as the session has come; its result first."""
    database = store.database
    listed = tasks.list_all(database, session.id)
    explored = [explorer.id for explorer in sessions.list_explorers(database, session.id) if explorer.done_at]
    parts: list[Block] = [Heading(session.goal, 1)]
    summary = summarize(store, session)
    if not session.active:
        parts += list_ending(database, summary, listed, files, client=client)
    elif not listed:
        sent_back = count_things(summary.sent_back, "time")
        facts = [("State", summary.state.line), ("Rounds", summary.rounds), ("Sent back", sent_back)]
        parts += [Pairs([*facts, ("Session", session.id)])]
    if listed or session.kind == FULL:
        parts += list_plan(session, listed) if listed else [Items(["No plan yet."])]
    parts += [Pairs([("Explored", ", ".join(explored))])]
    if listed:
        working = len(agents.list_at_work(database, session.id, now=now))
        models = {agent_call.subject: agent_call.model for agent_call in agents.list_all(database, session.id)}
        parts += list_progress(session, listed, working, models)
    parts += _sent_back(attempts.list_all(database, session.id))
    crew = list_crew(database, session.id)
    parts += [Heading("Programs"), Items(crew)] if len(crew) > 1 else []
    if session.state.shell:
        parts += [Heading("Changed through the shell"), Items(session.state.shell)]
    return render_blocks(parts, markdown=markdown)


def list_crew(database: Database, session: str) -> list[str]:
    """Return what each program of a crew did and cost."""
    return [
        f"{name} {count_things(agents, 'agent')}, {tokens:,} tokens, "
        + ("cost unknown" if usd is None else f"${usd:.2f}")
        for name, agents, tokens, usd in attempts.sum_by_backend(database, session)
    ]


def render_plan_of(database: Database, session: Session) -> str:
    """Return the plan alone, or that there is none yet."""
    listed = tasks.list_all(database, session.id)
    return render_blocks(list_plan(session, listed)) if listed else "no plan yet"


def render_step(step: NextStep) -> str:
    """Return the next step: for whom, and the prompt."""
    lines = [f"{step.kind}: {step.text}"]
    for spawn in step.spawns:
        lines += ["", f"{spawn.agent} ({spawn.model}): {spawn.description}", *_indented(spawn.prompt)]
    if step.kind == steps.ASK:
        lines += [step.question, *(f"  - {option}" for option in step.options)]
    return "\n".join(lines)


def _indented(prompt: str) -> list[str]:
    return [f"  {line}".rstrip() for line in prompt.splitlines()]

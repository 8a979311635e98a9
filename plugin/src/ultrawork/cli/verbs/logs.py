"""`ultrawork logs`: what the agents of a task said and did, attempt by attempt."""

from collections import Counter
from typing import Any

from ...core.errors import NotFound
from ...core.session.session import Session
from ...core.times import format_duration
from ...core.wording import cut, join_lines
from ...engine.agents.prompts import read_said
from ...report.summary import summarize
from ...store import agents, attempts
from ..command import Command, Result
from ..environment import SESSION, Args, VerbEnvironment

_WHY = 90
_IN_CLIENT = "in the client's transcripts"


def show(args: Args, env: VerbEnvironment) -> Result:
    session = env.shown_session(args)
    rows = attempts.list_all(env.store.database, session.id)
    calls = agents.list_all(env.store.database, session.id)
    wanted = [row for row in rows if not args.rest or row.subject in args.rest]
    agent_calls = [call for call in calls if not args.rest or call.subject in args.rest]
    if not wanted and not agent_calls:
        subjects = [*(row.subject for row in rows), *(call.subject for call in calls)]
        known = ", ".join(dict.fromkeys(subjects)) or "none yet"
        subject = " ".join(args.rest) or session.id[:8]
        raise NotFound(f"no agent has worked on {subject}; tasks with agents: {known}")
    documents = [_attempt(row, session, env) for row in wanted]
    texts = [_text(document) for document in documents] + _describe_calls(env, session, agent_calls)
    data = {"attempts": documents, "calls": [agent_call.document() for agent_call in agent_calls]}
    return Result({**data, "summary": summarize(env.store, session).document()}, "\n\n".join(texts))


def _describe_calls(env: VerbEnvironment, session: Session, calls: list[agents.AgentCall]) -> list[str]:
    """Agents of a client: when each worked, what a run showed against its words, and where these are."""
    if not calls:
        return []
    lines, tries = [], Counter[str]()
    for call in calls:
        tries[call.subject] += 1
        took = format_duration(call.ended_at - call.asked_at) if call.ended_at else "running"
        lines.append(f"{call.subject}.{tries[call.subject]}  {call.role}, {call.model}, {took}")
    for claim in agents.list_refuted(env.store.database, session.id):
        if claim["subject"] in tries:
            text = cut(join_lines(claim["said"]), 60)
            why = cut(join_lines(claim["why"]), _WHY)
            lines.append(f'  {claim["subject"]} said "{text}"\n  -> sent back: {why}')
    return ["\n".join(lines), f"transcripts: {session.state.subagents or _IN_CLIENT}"]


def _attempt(row: attempts.AttemptRow, session: Session, env: VerbEnvironment) -> dict[str, Any]:
    if row.state == attempts.RUNNING and row.machine:
        from ...cluster.live_log import read_live

        settings = env.read_settings(session.working_dir)
        words = read_live(row, session.id, settings, env.environ)
    else:
        words = read_said(row.backend, row.folder)
    return {**row.document(), "words": words}


def _text(attempt: dict[str, Any]) -> str:
    ended = attempt["ended_at"]
    took = f", {format_duration(ended - attempt['claimed_at'])}" if ended else ", running"
    state = f", {attempt['status'] or attempt['state']}" if ended else ""
    head = (
        f"{attempt['subject']}.{attempt['epoch']}  {attempt['role']}, {attempt['backend']} {attempt['model']}".rstrip()
    )
    why = [f"  -> {line}" for line in str(attempt["reason"]).splitlines()[:20]]
    where = f", on {attempt['machine']}" if attempt["machine"] else ""
    return "\n".join(
        [f"{head}{where}{took}{state}", *(f"  {line}" for line in attempt["words"]), *why, f"  {attempt['folder']}"]
    )


COMMANDS = (
    Command(
        "",
        "Also shows why their work was sent back",
        show,
        flags=(SESSION,),
        rest="[TASK ...]",
        example="ultrawork logs\nultrawork logs 3",
    ),
)

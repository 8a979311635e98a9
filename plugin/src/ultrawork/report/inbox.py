"""One list of what needs the user, over all projects of this machine, in a fixed order with the command to type."""

import os
from typing import Any

from ..core import state as states
from ..core.course.steps import find_question
from ..core.errors import Conflict, NotFound
from ..core.prompt.acceptance import is_name_of
from ..core.session.session import Session
from ..core.stop.rules import BLOCKED
from ..core.times import format_duration, format_iso
from ..core.value import Value
from ..core.verdict.missing import FailedAssertion, find_statement, read_failure, split_values
from ..core.wording import cut, join_lines
from ..store import decisions, inbox, receipts
from ..store.codec import digest
from ..store.ending import list_accepted_tests
from ..store.store import Store
from .board import BoardRow, read_board

_WIDTH = 300
_LARGEST = 1 << 20
WEEK = 7 * 86400.0
BLOCKS, FAILED, DONE, WORKING = "blocks you", "failed", "done", "working"
ORDER = (BLOCKS, FAILED, DONE, WORKING)
PLAN, TEST, CLIENT, RESULT = "plan", "test", "client", "result"
_RANKS = {
    states.NEEDS_YOU: BLOCKS,
    states.FAILING: FAILED,
    states.LOST: FAILED,
    states.COULD_NOT_RUN: FAILED,
    states.PROVED: DONE,
    states.PASSING: DONE,
    states.CLAIMED: DONE,
    states.ENDED: DONE,
    states.STOPPED: DONE,
}
_ALLOWS = "ulw accept test "
_FACT = 160


class InboxItem(Value):
    """An item. `kind` decides how it is answered; `question` comes first on every screen, `command` is what to type."""

    id: str
    rank: str
    kind: str
    row: BoardRow
    question: str
    since: float
    command: str
    options: tuple[str, ...] = ()
    test: str = ""
    assertion: FailedAssertion | None = None

    @property
    def facts(self) -> list[tuple[str, str]]:
        """Return what the user needs for the answer, each with its label."""
        return self.assertion.facts if self.assertion is not None else []

    def document(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "rank": self.rank,
            "kind": self.kind,
            "question": self.question,
            "since": format_iso(self.since or None),
            "command": self.command,
            "options": list(self.options),
            "test": self.test or None,
            "assertion": self.assertion.document() if self.assertion is not None else None,
            **{
                key: value
                for key, value in self.row.document().items()
                if key in ("session_id", "project", "folder", "goal", "word", "state", "driver")
            },
        }


def read_inbox(store: Store, rows: list[BoardRow] | None = None) -> list[InboxItem]:
    """Return the items; what ended and was seen is left out. Within a rank, the longest wait comes first."""
    marks = inbox.read_all(store.database)
    since = store.now() - WEEK
    inbox_items = [make_item(store, row) for row in (read_board(store, since=since) if rows is None else rows)]
    kept = [item for item in inbox_items if not _is_over(item, marks.get(item.id))]
    return sorted(kept, key=lambda item: (ORDER.index(item.rank), item.since))


def count_blocking(items: list[InboxItem]) -> int:
    """Return the number for the badge: only what blocks the user counts."""
    return sum(item.rank == BLOCKS for item in items)


def _is_over(item: InboxItem, mark: inbox.Mark | None) -> bool:
    if mark is None or item.rank == WORKING:
        return False
    return mark.answered_at is not None or (item.rank != BLOCKS and mark.seen_at is not None)


def make_item(store: Store, row: BoardRow) -> InboxItem:
    session, state = row.session, row.state
    rank = _RANKS.get(state.word, WORKING)
    test = "" if session.active else _find_disputed(store, session.id)
    if test:
        return _dispute(store, row, test)
    if rank == BLOCKS:
        own = find_question(session)
        if own is not None and state.what == own[0]:
            name = _name(session.id, PLAN, str(session.plan.get("created_at")), str(session.plan.get("version")))
            command = f"ultrawork answer {name} approve"
            return InboxItem(name, BLOCKS, PLAN, row, own[0], state.since, command, own[1])
        name = _name(session.id, CLIENT, state.what, str(state.since))
        where = f"in its client (process {row.driver.pid})" if row.driver.pid else "in its client"
        return InboxItem(name, BLOCKS, CLIENT, row, state.what, state.since, f"answer {where}")
    name = _name(session.id, RESULT, state.word, str(session.ended_at))
    text = state.what or row.word
    command = _COMMANDS.get(state.word, "ultrawork status --session {id}").format(id=row.id)
    since = state.since or session.updated_at
    return InboxItem(name, rank, RESULT, row, text if rank != WORKING else "", since, command)


_COMMANDS = {
    states.FAILING: "ultrawork why --session {id}",
    states.COULD_NOT_RUN: "ultrawork why --session {id}",
    states.CLAIMED: "ultrawork why --session {id}",
    states.LOST: "ultrawork resume --session {id}",
    states.STOPPED: "ultrawork resume --session {id}",
    states.PROVED: "ultrawork evidence --session {id}",
    states.PASSING: "ultrawork evidence --session {id}",
}


def _dispute(store: Store, row: BoardRow, test: str) -> InboxItem:
    last = decisions.find_last(store.database, row.session.id)
    assert last is not None
    name = _name(row.session.id, TEST, test, str(last.number))
    command = f"ultrawork answer {name} accept"
    text = join_lines(last.because)
    options = ("accept", "deny")
    assertion = find_dispute(store, row.session, test)
    return InboxItem(name, BLOCKS, TEST, row, text, last.at, command, options, test, assertion)


def _find_disputed(store: Store, name: str) -> str:
    """Return the test that the agent called wrong in its last message, unless the user has allowed it since."""
    last = decisions.find_last(store.database, name)
    if last is None or last.rule != BLOCKED or not last.clears.startswith(_ALLOWS):
        return ""
    test = last.clears.removeprefix(_ALLOWS)
    return "" if test in list_accepted_tests(store, name) else test


def _name(session: str, *key: str) -> str:
    """Return an id of the session and this question, so that an answer never reaches another one."""
    return f"{session[:8]}-{digest(' '.join((session, *key)))[:4]}"


def find_item(store: Store, given: str) -> InboxItem:
    """Return an item by its id, or by a prefix that only one open question has."""
    known = [make_item(store, row) for row in read_board(store)]
    inbox_items = [item for item in known if item.id.startswith(given) and item.rank == BLOCKS]
    inbox_items = [item for item in inbox_items if item.id == given] or inbox_items
    if len(inbox_items) == 1:
        return inbox_items[0]
    if inbox_items:
        raise Conflict(
            f"{given} is the start of {len(inbox_items)} questions: {', '.join(inbox_item.id for inbox_item in inbox_items)}"
        )
    raise _explain_absent(store, given)


def _explain_absent(store: Store, given: str) -> Conflict | NotFound:
    mark = inbox.read_all(store.database).get(given)
    if mark is not None and mark.answered_at is not None:
        return Conflict(inbox.explain_answered(mark))
    begin = given.partition("-")[0]
    row = store.database.row("SELECT id FROM sessions WHERE substr(id, 1, 8)=? LIMIT 1", begin)
    if row is None:
        return NotFound(f"nothing in the inbox is called {given}; ultrawork inbox lists what is")
    last = inbox.find_last_answer(store.database, row[0])
    if last is None:
        return Conflict(f"{given} is no longer open; ultrawork inbox lists what is")
    answer, at, how = last
    when = (format_iso(at) or "")[11:16]
    return Conflict(f"{given} is no longer open: {answer} was answered at {when} ({how})")


def render(items: list[InboxItem], now: float) -> str:
    """Render the question first, then whose it is, then what to type."""
    if not items:
        return "nothing needs you, and nothing is running"
    lines: list[str] = []
    for rank in ORDER:
        inbox_items = [item for item in items if item.rank == rank]
        if inbox_items:
            lines += [f"{rank} ({len(inbox_items)})", *(line for item in inbox_items for line in _lines(item, now))]
    return "\n".join(lines)


def render_facts(facts: list[tuple[str, str]]) -> list[str]:
    """Return each fact on a line of its own, with the values below each other."""
    width = max((len(label) for label, _ in facts), default=0)
    return [f"    {label:<{width}}  {cut(text, _FACT)}" for label, text in facts]


def _lines(item: InboxItem, now: float) -> list[str]:
    age = format_duration(max(0.0, now - item.since)) if item.since else ""
    row = item.row
    where = f"{row.project}: {cut(join_lines(row.session.goal), 50)}"
    if item.rank == WORKING:
        text = ", ".join(part for part in (row.state.word, row.state.what, row.progress, row.cost) if part)
        return [f"  {item.id}  {where}  {cut(text, 60)}  {age}"]
    shown = 300 if item.rank == BLOCKS else 90
    return [
        f"  {cut(join_lines(item.question), shown)}",
        *render_facts(item.facts),
        f"    {item.id}  {where}  {row.word}, {age}",
        f"    {item.command}" + (f"   ({' | '.join(item.options)})" if item.options else ""),
    ]


def find_dispute(store: Store, session: Session, test: str) -> FailedAssertion | None:
    """Return how the test last failed on the session's own files; None if no run of it is known."""
    for number in reversed(receipts.list_failed_runs(store.database, session.id)):
        stored = receipts.find(store.database, session.id, number)
        messages = (stored.report or {}).get("messages") or {} if stored is not None else {}
        message = next((text for name, text in messages.items() if is_name_of(test, name)), "")
        if stored is not None and message:
            return _describe(session, message, stored.minted_at)
    return None


def _describe(session: Session, message: str, ran_at: float) -> FailedAssertion:
    failure = read_failure(message)
    if failure.path:
        text = _read_unchanged(session.working_dir, failure.path, ran_at)
        failure.source = find_statement(text, failure.line)
    failure.expected, failure.got = split_values(failure.said, failure.source)
    for field in ("said", "source", "expected", "got"):
        setattr(failure, field, cut(join_lines(getattr(failure, field)), _WIDTH))
    return failure


def _read_unchanged(folder: str, name: str, ran_at: float) -> str:
    """Return the text of a test file; empty if it has changed since that run, as its lines may have moved, or lies
    outside the project: the name comes from the output of a test."""
    path = os.path.realpath(os.path.join(folder, name))
    if not path.startswith(f"{os.path.realpath(folder)}/"):
        return ""
    try:
        status = os.stat(path)
        if status.st_mtime > ran_at or status.st_size > _LARGEST:
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""

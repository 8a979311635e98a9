"""Carry out the keys of the full screen: a request to an engine, an answer, or a command of this program."""

import asyncio
import os
import shlex
from collections.abc import Callable, Mapping

from ..clients.find import NAMES, get_client
from ..clients.headless import table
from ..clients.headless.attempt import read_note
from ..core.errors import Conflict, NotFound
from ..core.plan.task import BLOCKED, FAILED, PENDING, SKIPPED
from ..core.session.session import Session
from ..core.value import Value
from ..flow.answers import answer_item, mark_results_seen
from ..report.inbox import BLOCKS, CLIENT, InboxItem, find_item
from ..report.summary import find_driver
from ..store import agents, anchors, attempts, controls, sessions, tasks
from ..store.store import Store
from ..system.program import find_program

_OPENERS = ("xdg-open", "open")


class VerbCall(Value):
    """A program to start. `front` gives it the terminal; otherwise the screen shows the end of its output."""

    argv: list[str]
    cwd: str
    front: bool = False


async def start_beside(call: VerbCall, environ: Mapping[str, str]) -> asyncio.subprocess.Process:
    """Start a program that needs no terminal; what it prints and its errors come from one pipe."""
    return await asyncio.create_subprocess_exec(
        *call.argv,
        cwd=call.cwd,
        env=dict(environ),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )


class Acts:
    """`program` starts this program. `name_person` returns the terminal of the user, or refuses."""

    def __init__(
        self, store: Store, environ: Mapping[str, str], program: list[str], name_person: Callable[[], str]
    ) -> None:
        self._store = store
        self._environ = environ
        self._program = program
        self._name_person = name_person

    def find_question(self, items: list[InboxItem], session: str) -> InboxItem:
        """Return the question of this session that the user can answer here."""
        item = next((item for item in items if item.row.session.id == session and item.rank == BLOCKS), None)
        if item is None:
            raise NotFound(f"{session[:8]} asks nothing")
        if item.kind == CLIENT:
            raise Conflict(f"{item.question}: {item.command}")
        return item

    def answer(self, name: str, words: str) -> str:
        """Answer an item, and return what follows. It is refused if it was answered meanwhile, on any screen."""
        where = self._name_person()
        return answer_item(self._store, find_item(self._store, name), words, where)[1]

    def see(self, items: list[InboxItem], session: str) -> str:
        """Mark the result of a session as seen, so that no inbox lists it again."""
        if not mark_results_seen(self._store, [item for item in items if item.row.session.id == session]):
            raise Conflict(f"{session[:8]} has no result to mark as seen")
        return f"the result of {session[:8]} is marked as seen"

    def pause(self, name: str) -> str:
        """Ask an engine to pause, or to continue if it was asked to pause before."""
        session = self._find_driven(name)
        paused = controls.find_pause(self._store.database, name)
        kind = controls.RESUME if paused is not None else controls.PAUSE
        self._order(session.id, kind)
        word = "continue" if kind == controls.RESUME else "pause; running agents finish first"
        return f"asked {name[:8]} to {word}"

    def cancel(self, name: str, subject: str) -> "VerbCall | str":
        """Cancel one task of a run, or the whole session."""
        if not subject:
            return self._call(self._get(name), "cancel")
        self._find_driven(name)
        tasks.get(self._store.database, name, subject)
        self._order(name, controls.CANCEL, subject)
        return f"asked {name[:8]} to cancel {subject}"

    def retry(self, name: str, subject: str) -> "VerbCall | str":
        """Put a task back into the queue, or resume a run without an engine in this terminal."""
        session = self._get(name)
        if subject:
            task = tasks.get(self._store.database, name, subject)
            if task.status not in (FAILED, BLOCKED, SKIPPED):
                raise Conflict(f"task {subject} is {task.status}; only one that failed can be retried")
            with self._store.change(name) as change:
                tasks.update(change, subject, status=PENDING)
            return f"task {subject} is back in the queue"
        if not session.state.run:
            raise Conflict(f"{name[:8]} runs in its client; press t to attach, then ask it again")
        if find_driver(self._store, session).is_alive:
            raise Conflict(f"{name[:8]} is running; open it to retry one task")
        return self._call(session, "resume", front=True)

    def undo(self, name: str, subject: str) -> VerbCall:
        if not subject:
            raise Conflict("open a session and choose a task to undo")
        tasks.get(self._store.database, name, subject)
        return self._call(self._get(name), "undo", subject)

    def attach(self, name: str, agent: str) -> VerbCall:
        """Resume the conversation of an agent, or of the session itself, in its own client."""
        session = self._get(name)
        client, conversation, place = self._find_attempt(session, agent) if agent else self._find_conversation(session)
        adapter = get_client(client)
        command = adapter.name_resume(conversation)
        argv = shlex.split(command)
        if not adapter.restore_conversation(conversation, self._store.home.conversations(name), place, self._environ):
            raise NotFound(f"{adapter.title} no longer has the conversation of {agent or name[:8]}")
        if argv[0] not in adapter.one_shot.split():
            raise NotFound(f"{adapter.title} cannot resume a conversation from a command; {command}")
        program = find_program(argv[0], self._environ)
        if program is None:
            raise NotFound(f"{argv[0]} is not installed; to attach elsewhere: {command}")
        return VerbCall([program, *argv[1:]], place, front=True)

    def _find_attempt(self, session: Session, agent: str) -> tuple[str, str, str]:
        """Return client, conversation and folder of an agent that has ended."""
        rows = attempts.list_all(self._store.database, session.id)
        matching = [row for row in rows if agent in (row.subject, f"{row.subject}.{row.epoch}")]
        if not matching:
            raise Conflict(f"{agent} runs inside its client; attach to the session instead")
        row = matching[-1]
        if row.state == attempts.RUNNING:
            raise Conflict(f"{row.subject}.{row.epoch} is running; attach when it has ended")
        if row.machine:
            raise Conflict(f"{row.subject}.{row.epoch} ran on {row.machine}; its conversation is there")
        note = read_note(row.folder)
        conversation = table.get(row.backend).read(note).session if note is not None else ""
        if not conversation or row.backend not in NAMES or note is None:
            raise NotFound(f"{row.backend} keeps no conversation of {agent} that can be resumed")
        place = note.place if os.path.isdir(note.place) else session.working_dir
        return row.backend, conversation, place

    def _find_conversation(self, session: Session) -> tuple[str, str, str]:
        """Return client, conversation and folder of a session that no client has open."""
        if session.state.run:
            raise Conflict("open this run and choose one of its agents to attach to")
        driver = find_driver(self._store, session)
        if driver.is_alive and driver.pid:
            raise Conflict(f"{session.id[:8]} is open in process {driver.pid}; go to its terminal")
        client = anchors.read_client_name(self._store.database, session.id)
        if not client:
            raise NotFound(f"the client of {session.id[:8]} is not known")
        transcript = agents.find_transcript(self._store.database, session.id)
        start = get_client(client).find_start(transcript.path) if transcript is not None else ""
        return client, session.id, start if os.path.isdir(start) else session.working_dir

    def make_page(self, name: str) -> tuple[VerbCall, str]:
        """Return the call that writes the page, and the path of the page."""
        path = f"{self._store.home.session(name)}/report.html"
        return self._call(self._get(name), "report", "--html", path), path

    def find_opener(self) -> str | None:
        """Return a program that shows a page in a window; None if there is no display."""
        has_window = any(self._environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
        names = _OPENERS[:1] if has_window else _OPENERS[1:]
        return next(filter(None, (find_program(name, self._environ) for name in names)), None)

    def read_patch(self, name: str) -> VerbCall:
        return self._call(self._get(name), "report", "--diff")

    def _call(self, session: Session, verb: str, *words: str, front: bool = False) -> VerbCall:
        argv = [*self._program, verb, *words, "--session", session.id]
        place = session.working_dir if os.path.isdir(session.working_dir) else os.sep
        return VerbCall(argv, place, front)

    def _get(self, name: str) -> Session:
        return sessions.get(self._store.database, name)

    def _find_driven(self, name: str) -> Session:
        """Return a session that an engine runs, or refuse."""
        session = self._get(name)
        if not session.state.run or not session.active:
            raise Conflict(f"{name[:8]} has no engine to ask; use its client, or ultrawork cancel")
        return session

    def _order(self, name: str, kind: str, subject: str = "") -> None:
        with self._store.change(name) as change:
            controls.ask(change, kind, subject)

"""
The contract of a backend: find an agent program, say how it is run, read what it printed.

A backend keeps no state: `read` needs the attempt's folder and nothing else, so an engine that was
killed and started again reads the same. What the program printed is in `out.jsonl` and `err.log`.
"""

import os

from ...core.wording import one_line
from ..attempt import RUNNING, Outcome
from . import ending, stream
from .ending import LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..attempt import Attempt, Command, Report

PATIENCE = 30.0
LAST = 200
# What an agent must not take from whoever started the engine: another client's session, another
# checkout of git. With our own hooks in its client a worker would be held to a session of its own.
_FOREIGN = (
    "CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_MESSAGING_SOCKET",
    "CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_ENV_FILE", "CLAUDE_PID",
    "CLAUDE_CODE_SSE_PORT", "CLAUDE_PLUGIN_DATA", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PROJECT_DIR", "AI_AGENT", "CODEX_CI",
    "CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID", "GEMINI_CLI", "OPENCODE",
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE",
)  # fmt: skip
_OURS = {"ULTRAWORK_DISABLE": "1"}


class Program:
    """An agent program that was found and said its version."""

    __slots__ = ("name", "path", "version")

    def __init__(self, name: str, path: str, version: str) -> None:
        self.name = name
        self.path = path
        self.version = version


class Reading(Outcome):
    """
    An outcome in the making. `finished`: the program itself said that it had come to its end.
    `retry_after`: seconds for which a provider asked to wait, counted from the newest output.
    `speaking`: the last words may go on in the next event.
    """

    __slots__ = ("finished", "retry_after", "speaking")

    def __init__(self) -> None:
        super().__init__()
        self.finished = False
        self.retry_after = 0.0
        self.speaking = False

    def say(self, text: str) -> None:
        """The agent's words; the newest ones are its answer."""
        if text.strip():
            self.text = text
            self.show(text.strip().rpartition("\n")[2])

    def say_more(self, piece: str) -> None:
        """Words that come in pieces: all up to the next step belong together."""
        self.say(self.text + piece if self.speaking else piece)
        self.speaking = True

    def show(self, line: str) -> None:
        self.speaking = False
        if line.strip():
            self.last = one_line(line)[:LAST]

    def fail(self, trouble: str, detail: str) -> None:
        self.trouble = trouble
        self.detail = one_line(detail)[:LAST]

    def fail_as(self, message: str) -> None:
        """An error of which there is nothing but its message."""
        self.fail(ending.kind(message), message)
        self.retry_after = ending.patience(message)

    def wait(self, seconds: float) -> None:
        """The provider asked for patience, and the program has it: others had better wait too."""
        self.fail(LIMIT, f"the provider asks to wait {seconds:.0f} s")
        self.retry_after = seconds

    def go_on(self) -> None:
        """What was waited for has come."""
        if self.trouble == LIMIT:
            self.trouble = self.detail = ""
            self.retry_after = self.retry_at = 0.0


class Backend:
    """
    One agent program. `name` is what people type, `program` what is looked for on the PATH,
    `how_to_get` what to do if it is not there; an `automatic` one may be chosen when nobody says which.
    """

    name = ""
    title = ""
    program = ""
    how_to_get = ""
    automatic = True

    def available(self, environ: "Mapping[str, str]") -> Program | None:
        """The program, if it is there and answers `--version`."""
        from shutil import which

        path = which(self.program, path=environ.get("PATH", os.defpath))
        if path is None:
            return None
        known = _versions.get(path)
        if known is None:
            known = _versions[path] = _version(path, environ)
        return Program(self.name, path, known) if known else None

    def command(self, attempt: "Attempt", environ: "Mapping[str, str]") -> "Command":
        """What to run for this attempt; `environ` is the person's own."""
        raise NotImplementedError

    def take(self, event: "dict[str, Any]", reading: Reading) -> None:
        """One line of what the program printed."""
        raise NotImplementedError

    def overhear(self, errors: str, reading: Reading) -> None:
        """While it runs and its error output is the newest: what a program tells there alone."""

    def read(self, attempt: "Attempt", report: "Report | None" = None) -> Outcome:
        """
        What came of it, or while it runs (no report) the session, the last line, and whether it waits
        for its provider. Never raises for what a program printed; reads a bounded part of it.
        """
        out = os.path.join(attempt.folder, "out.jsonl")
        running = report is None or report.state == RUNNING
        reading = Reading()
        for event in stream.ends(out) if running else stream.whole(out):
            _take(self, event, reading)
        err = os.path.join(attempt.folder, "err.log")
        if report is not None and not running:
            ending.conclude(attempt, report, reading, stream.tail(err))
        elif stream.newest(err) > stream.newest(out):
            self.overhear(stream.tail(err), reading)
        if reading.trouble != LIMIT:
            reading.retry_at = 0.0
        elif reading.retry_after and not reading.retry_at:
            reading.retry_at = stream.newest(out) + reading.retry_after
        return reading

    def path(self, environ: "Mapping[str, str]") -> str:
        """For a command: the program's path, or its name if it has gone since it was chosen."""
        found = self.available(environ)
        return found.path if found else self.program


def environment(environ: "Mapping[str, str]", **more: str) -> dict[str, str]:
    """The person's own, without what belongs to the session that started us."""
    kept = {name: value for name, value in environ.items() if name not in _FOREIGN}
    return {**kept, **_OURS, **more}


def spoken(prompt: str, schema: "dict[str, Any] | None" = None) -> bytes:
    """A prompt as a program reads it; to one that takes no schema the wish is put in words."""
    if schema is not None:
        from ...store.fast import dumps

        wish = "End with one JSON object, alone in a ```json block, that fits this JSON schema:"
        prompt = f"{prompt}\n\n{wish}\n{dumps(schema)}\n"
    return prompt.encode("utf-8", "replace")


def _take(backend: Backend, event: "dict[str, Any]", reading: Reading) -> None:
    """A line of a shape that nobody expected says nothing; the end of the run tells whether it matters."""
    try:
        backend.take(event, reading)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        pass


def _version(path: str, environ: "Mapping[str, str]") -> str:
    """Empty when it does not start."""
    from ...system.process import run

    done = run([path, "--version"], cwd="/", env=environment(environ), deadline=PATIENCE)
    lines = [line.strip() for line in done.output.splitlines() if line.strip()]
    return lines[-1] if done.exit == 0 and lines else ""


_versions: dict[str, str] = {}

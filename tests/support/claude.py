"""The real Claude Code: headless runs, live conversations, and its terminal."""

import json
import os
import subprocess
import threading
from queue import Empty, Queue

from . import process
from .client import LIMIT, Client
from .process import ClientError, Finished
from .terminal import Terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Self

KEY = "sk-test-not-a-real-key-0123456789"
INPUT = "\u276f"
STREAM = ("--output-format", "stream-json", "--verbose", "--include-hook-events")


class Claude(Client):
    """A separate seat at the client: program, HOME, project folder, and its model."""

    def variables(self) -> "Mapping[str, str]":
        return {
            "SHELL": "/bin/sh",
            "TERM": "xterm",
            "ANTHROPIC_BASE_URL": self.model.url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_MAX_RETRIES": "2",
            "IS_SANDBOX": "1",  # as root the client refuses bypassPermissions without it
        }

    def run(
        self,
        prompt: str,
        *,
        plugins: "Sequence[str]" = (),
        mode: str = "",
        allowed: "Sequence[str]" = (),
        resume: str = "",
        flags: "Sequence[str]" = (),
        env: "Mapping[str, str] | None" = None,
        timeout: float = LIMIT,
    ) -> "ClaudeRun":
        """Run one `claude -p`; `resume` takes the session of an earlier run."""
        options = _options(plugins, mode, allowed, resume, flags)
        done = process.run(
            [self.program, "-p", prompt, *STREAM, *options],
            env={**self.env, **(env or {})},
            cwd=self.project,
            timeout=timeout,
        )
        return ClaudeRun(done)

    def call(self, *words: str, timeout: float = LIMIT, cwd: str = "") -> Finished:
        """Run a command of the client's own, such as `plugin validate DIR`."""
        argv = [self.program, *words]
        return process.run(argv, env=self.env, cwd=cwd or self.project, timeout=timeout)

    def live(
        self,
        *,
        plugins: "Sequence[str]" = (),
        mode: str = "",
        allowed: "Sequence[str]" = (),
        flags: "Sequence[str]" = (),
    ) -> "LiveClaude":
        """Start one process that gets several prompts in sequence."""
        options = _options(plugins, mode, allowed, "", flags)
        return LiveClaude([self.program, "-p", *STREAM, *options], self.env, self.project)

    def terminal(
        self,
        *,
        plugins: "Sequence[str]" = (),
        mode: str = "default",
        allowed: "Sequence[str]" = (),
        resume: str = "",
        flags: "Sequence[str]" = (),
        rows: int = 50,
        columns: int = 120,
    ) -> Terminal:
        """Open the client in a terminal, its first questions answered, waiting for input."""
        self.trust(self.project)
        options = _options(plugins, mode, allowed, resume, flags)
        env = {**self.env, "TERM": "xterm-256color"}
        argv = [self.program, *options]
        terminal = Terminal(argv, env=env, cwd=self.project, rows=rows, columns=columns)
        try:
            terminal.wait_for(INPUT)
            terminal.settle()
        except BaseException:
            terminal.close()
            raise
        return terminal

    def trust(self, folder: str) -> None:
        """Answer what the client asks at its first start in a folder."""
        path = os.path.join(self.home, ".claude.json")
        known: dict[str, Any] = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                known = json.load(file)
        projects = known.setdefault("projects", {})
        projects.setdefault(folder, {})["hasTrustDialogAccepted"] = True
        known |= {"hasCompletedOnboarding": True, "theme": "dark"}
        known["customApiKeyResponses"] = {"approved": [KEY[-20:]], "rejected": []}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(known, file)


def _options(
    plugins: "Sequence[str]", mode: str, allowed: "Sequence[str]", resume: str, flags: "Sequence[str]"
) -> list[str]:
    options = [word for folder in plugins for word in ("--plugin-dir", folder)]
    options += ["--permission-mode", mode] if mode else []
    options += ["--allowedTools", ",".join(allowed)] if allowed else []
    options += ["--resume", resume] if resume else []
    return [*options, *flags]


class HookCall:
    """One hook that ran, as the client reports it."""

    __slots__ = ("err", "event", "exit", "out", "outcome")

    def __init__(self, reported: "dict[str, Any]") -> None:
        self.event = str(reported.get("hook_event", ""))
        self.out = str(reported.get("stdout", ""))
        self.err = str(reported.get("stderr", ""))
        self.exit = reported.get("exit_code")
        self.outcome = str(reported.get("outcome", ""))

    @property
    def answer(self) -> "dict[str, Any]":
        """Return what the hook printed, if it is a JSON object."""
        try:
            value = json.loads(self.out)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}


class Conversation:
    """The events of a client's stream, by what a test asks about them."""

    def __init__(self, events: "list[dict[str, Any]]") -> None:
        self.events = events

    @property
    def results(self) -> "list[dict[str, Any]]":
        """Return one result per turn; a run has several if something woke the client."""
        return [event for event in self.events if event.get("type") == "result"]

    @property
    def final(self) -> "dict[str, Any]":
        if not self.results:
            raise ClientError(f"no result in {len(self.events)} events: {self.events[-3:]}")
        return self.results[-1]

    @property
    def result(self) -> str:
        """The last words as a script gets them; empty where the client leaves them out."""
        return str(self.final.get("result") or "")

    @property
    def session(self) -> str:
        return next((str(e["session_id"]) for e in self.events if e.get("session_id")), "")

    @property
    def hooks(self) -> list[HookCall]:
        return [HookCall(event) for event in self._system("hook_response")]

    def hooks_of(self, event: str) -> list[HookCall]:
        return [call for call in self.hooks if call.event == event]

    @property
    def notices(self) -> list[str]:
        """`systemMessage` lines; 2.1.197 does not put them into its stream."""
        return [str(event.get("content", "")) for event in self._system("informational")]

    @property
    def said(self) -> list[str]:
        """The model's texts."""
        return [b["text"] for b in self._blocks("assistant") if b.get("type") == "text"]

    @property
    def feedback(self) -> list[str]:
        """Return what the client told the model in the user's place, such as a refused stop."""
        made = (event for event in self.events if event.get("isSynthetic"))
        return [b["text"] for b in _blocks_of(made) if b.get("type") == "text"]

    @property
    def tool_results(self) -> "list[dict[str, Any]]":
        return [b for b in self._blocks("user") if b.get("type") == "tool_result"]

    def _system(self, subtype: str) -> "list[dict[str, Any]]":
        return [event for event in self.events if event.get("type") == "system" and event.get("subtype") == subtype]

    def _blocks(self, kind: str) -> "list[dict[str, Any]]":
        return _blocks_of(event for event in self.events if event.get("type") == kind)


def _blocks_of(events: "Iterable[dict[str, Any]]") -> "list[dict[str, Any]]":
    contents = (event.get("message", {}).get("content") for event in events)
    lists = (content for content in contents if isinstance(content, list))
    return [block for content in lists for block in content]


class ClaudeRun(Conversation):
    """A headless run that has ended."""

    def __init__(self, done: Finished) -> None:
        super().__init__([json.loads(line) for line in done.out.splitlines() if line[:1] == "{"])
        self.exit = done.exit
        self.err = done.err
        self.seconds = done.seconds


class LiveClaude(Conversation):
    """A context manager around a process that reads prompts from its input."""

    def __init__(self, argv: "Sequence[str]", env: "Mapping[str, str]", cwd: str) -> None:
        super().__init__([])
        self._mark = process.new_mark()
        self._arrived: Queue[dict[str, Any] | None] = Queue()
        self._child = subprocess.Popen(
            [*argv, "--input-format", "stream-json"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**env, process.MARK: self._mark},
            cwd=cwd,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._collect, daemon=True)
        self._reader.start()

    def say(self, prompt: str, timeout: float = LIMIT) -> "dict[str, Any]":
        """Send a prompt; the result of its turn."""
        self.send({"type": "user", "message": {"role": "user", "content": prompt}})
        return self.wait_result(timeout)

    def send(self, message: "dict[str, Any]") -> None:
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps(message).encode() + b"\n")
        self._child.stdin.flush()

    def wait_result(self, timeout: float = LIMIT) -> "dict[str, Any]":
        while True:
            try:
                event = self._arrived.get(timeout=timeout)
            except Empty:
                raise ClientError(f"no event for {timeout:.0f} s: {self.events[-3:]}") from None
            if event is None:
                raise ClientError(f"the client ended without a result: {self.events[-3:]}")
            if event.get("type") == "result":
                return event

    def close(self) -> None:
        process.end_group(self._child.pid)
        self._child.wait()
        process.end_all(process.MARK, self._mark)
        self._reader.join(5)
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe:
                pipe.close()

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _collect(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            if line.startswith(b"{"):
                event = json.loads(line)
                self.events.append(event)
                self._arrived.put(event)
        self._arrived.put(None)

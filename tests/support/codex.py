"""The real Codex CLI: headless runs, and its terminal."""

import json
import os

from . import process
from .client import LIMIT, Client
from .process import Finished
from .terminal import ENTER, Terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

INPUT = "\u203a"
# What it asks at its first start in a folder, with an untrusted plugin, and the number to type.
_QUESTIONS = (("Trust and continue", "1"), ("Trust all and continue", "2"))
# Our program in its shell, where no plugin is on the PATH.
OURS = "$(ls -d ~/.codex/plugins/cache/ultrawork/ultrawork/*/bin/ultrawork)"
CONFIG = """\
model = "mock"
model_provider = "loop"
[model_providers.loop]
name = "loop"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "LOOP_KEY"
request_max_retries = 0
stream_max_retries = 0
"""


def sh(command: str) -> "dict[str, object]":
    """A command as the model runs it there."""
    return {"tool": {"name": "exec_command", "input": {"cmd": command}}}


# With one of its current models, which writes JavaScript that calls the tools. Others get the tools themselves.
CODE_MODE = ("-c", 'model="gpt-6.1-sol"')


def js(tool: str, given: object) -> "dict[str, object]":
    """A call of one of the tools as a model does it in code mode."""
    code = f"text(await tools.{tool}({json.dumps(given)}))"
    return {"tool": {"name": "exec", "custom": True, "input": code}}


class Codex(Client):
    """A separate seat at the client: program, HOME, project folder, and its model."""

    def variables(self) -> "Mapping[str, str]":
        return {"LOOP_KEY": "x"}

    def furnish(self) -> None:
        self.keep(".codex/config.toml", CONFIG.format(url=self.model.url))

    def run(
        self, prompt: str, *, sandbox: str = "", resume: str = "", flags: "Sequence[str]" = (), timeout: float = LIMIT
    ) -> "CodexRun":
        """Run one `codex exec`, or `codex exec resume` with the thread of an earlier run. Without `sandbox` nothing is
        confined or asked. Hooks run as if trusted: untrusted ones would be skipped silently."""
        before = ["exec", "resume", resume] if resume else ["exec"]
        free = ["--dangerously-bypass-approvals-and-sandbox"]
        confined = ["-c", f'sandbox_mode="{sandbox}"'] if sandbox else free
        options = ["--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
        argv = [*before, *options, *confined, *flags, prompt]
        return CodexRun(self.call(*argv, timeout=timeout))

    def terminal(self, *, flags: "Sequence[str]" = (), rows: int = 50, columns: int = 120) -> Terminal:
        """Open the client in a terminal, in a trusted folder, waiting for input; nothing is confined."""
        with open(os.path.join(self.home, ".codex", "config.toml"), "a", encoding="utf-8") as file:
            file.write(f'\n[projects."{self.project}"]\ntrust_level = "trusted"\n')
        free = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
        return self._open([*free, *flags], (), rows, columns)

    def open_as_people_do(
        self, *, flags: "Sequence[str]" = (), again: bool = False, rows: int = 50, columns: int = 120
    ) -> Terminal:
        """Open it with its own defaults: a daemon, a sandbox, questions; the folder and our hooks are trusted by hand.
        Opened `again`, it asks nothing, and finds its daemon running."""
        return self._open(flags, () if again else _QUESTIONS, rows, columns)

    def _open(
        self, flags: "Sequence[str]", questions: "Sequence[tuple[str, str]]", rows: int, columns: int
    ) -> Terminal:
        env = {**self.env, "TERM": "xterm-256color"}
        argv = [self.program, *flags]
        terminal = Terminal(argv, env=env, cwd=self.project, rows=rows, columns=columns)
        try:
            for question, answer in questions:
                terminal.wait_for(question, LIMIT)
                terminal.settle()
                terminal.type(answer)
                terminal.settle()
                terminal.type(ENTER)
            terminal.wait_for(f"{INPUT} Ask Codex", LIMIT)
            terminal.settle()
        except BaseException:
            terminal.close()
            raise
        return terminal

    def list_records(self) -> "list[dict[str, Any]]":
        """Return what it recorded at the start of each thread: who asked for it, and through what."""
        found = []
        for folder, _, names in os.walk(f"{self.home}/.codex/sessions"):
            for name in names:
                with open(f"{folder}/{name}", encoding="utf-8") as file:
                    found.append(json.loads(file.readline())["payload"])
        return found

    def install(self, marketplace: str, plugin: str) -> None:
        """Add a folder as a marketplace and install `name@market` from it."""
        self.call("plugin", "marketplace", "add", marketplace).checked()
        self.call("plugin", "add", plugin).checked()

    def call(self, *words: str, timeout: float = LIMIT, cwd: str = "") -> Finished:
        argv = [self.program, *words]
        return process.run(argv, env=self.env, cwd=cwd or self.project, timeout=timeout)


class CodexRun:
    def __init__(self, done: Finished) -> None:
        lines = (line for line in done.out.splitlines() if line.startswith("{"))
        self.events: list[dict[str, Any]] = [json.loads(line) for line in lines]
        self.exit = done.exit
        self.err = done.err
        self.seconds = done.seconds

    @property
    def thread(self) -> str:
        started = (event for event in self.events if event.get("type") == "thread.started")
        return str(next(started, {}).get("thread_id", ""))

    @property
    def session(self) -> str:
        """The name that hooks know it by."""
        return self.thread

    @property
    def items(self) -> "list[dict[str, Any]]":
        return [event["item"] for event in self.events if event.get("type") == "item.completed"]

    @property
    def said(self) -> list[str]:
        return [str(item["text"]) for item in self.items if item.get("type") == "agent_message"]

    @property
    def result(self) -> str:
        return self.said[-1] if self.said else ""

    @property
    def commands(self) -> "list[dict[str, Any]]":
        return [item for item in self.items if item.get("type") == "command_execution"]

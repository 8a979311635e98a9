"""
A session without a client: events go straight into the hooks, in a real little project.

`Scene` sends events in this process; the gates, git and the state folder are real.
"""

import json
import os
import subprocess
import warnings

from ultrawork.hooks.caller import find_self
from ultrawork.hooks.main import reply
from ultrawork.hooks.stop.facts import StopLoop
from ultrawork.store import checkouts
from ultrawork.store.paths import Home

from . import sample, template
from .floor import PLUGIN, TERMINAL, Console

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ultrawork.core.session.session import Session
    from ultrawork.core.stop.rules import StopDecision, StopFacts
    from ultrawork.hooks.stop.message import StopVerdict

SESSION = "5e551040-0000-4000-8000-000000000001"
GOAL = sample.GOAL
GIT = (
    "git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main", "-c", "gc.auto=0",
    "-c", "maintenance.auto=false",
)  # fmt: skip
# A project whose one check is a shell script: quick, passing or failing by one word in one file.
QUICK = {
    "Makefile": "test:\n\t@sh check.sh\n",
    "check.sh": "grep -q right app.txt && echo 1 passed\n",
    "app.txt": "right\n",
}
NO_CHECK = {"report.py": "print('pages')\n"}
_FIXED = sample.REAL_FIX[1]


class Scene:
    """Everything of one session: its folder, its environment, its answers."""

    def __init__(self, root: str, files: "Mapping[str, str] | None" = None, *, attended: bool = True) -> None:
        self.root = os.path.realpath(root)
        self.home, self.place = f"{self.root}/state", f"{self.root}/project"
        self.data = f"{self.root}/plugin-data"
        os.makedirs(self.place)
        os.makedirs(self.data)
        self.environ = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": self.root,
            "ULTRAWORK_HOME": self.home,
            "ULTRAWORK_SKIP_HOOKS": "base-run,program-copy",
            "CLAUDE_CODE_SESSION_ID": SESSION,
            "CLAUDE_CODE_SESSION_ATTENDED": "1" if attended else "0",
            "CLAUDE_PLUGIN_DATA": self.data,
            "CLAUDE_PLUGIN_ROOT": PLUGIN,
        }
        self.mode = "bypassPermissions"
        self.prompts = 0
        self.find_caller = find_self
        template.prepare_cache(self.home)
        given = sample.FILES if files is None else files
        template.fill(self.place, ("scene", *given.items()), lambda: self._lay(given))

    def _lay(self, files: "Mapping[str, str]") -> None:
        for name, text in files.items():
            self.write(name, text)
        self.commit()

    def write(self, name: str, text: str) -> str:
        path = f"{self.place}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def read(self, name: str) -> str:
        with open(f"{self.place}/{name}", encoding="utf-8") as file:
            return file.read()

    def commit(self) -> None:
        for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "--allow-empty", "-m", "x")):
            subprocess.run([*GIT, *words], cwd=self.place, check=True, capture_output=True)

    def fix(self) -> None:
        """Make the change that the sample's goal asks for."""
        self.edit("book.py", _FIXED)

    def idle(self) -> None:
        """Make a change that fixes nothing: without any, no check runs."""
        self.edit("book.py", sample.FIRST_TRY[1] + f"# {self.prompts}\n")

    def spoil(self) -> None:
        """A change that breaks a test which passed."""
        self.edit("book.py", sample.BOOK.replace("people.append((name, city))", "people = [(name, city)]"))

    def edit(self, name: str, text: str) -> "dict[str, Any]":
        """Edit like the agent: the file, then the event that reports it."""
        path = self.write(name, text)
        return self.tool("Edit", {"file_path": path, "new_string": text[:50]})

    def event(self, name: str, **data: "Any") -> "dict[str, Any]":
        """The answer of one event, as the client reads it; `wake` and `plain` beside it."""
        given = {
            "session_id": SESSION,
            "cwd": self.place,
            "hook_event_name": name,
            "permission_mode": self.mode,
            "prompt_id": f"prompt-{self.prompts}",
            **data,
        }
        with warnings.catch_warnings():
            # A hook ends without closing its database; here garbage collection closes it.
            warnings.simplefilter("ignore", ResourceWarning)
            out, wake = reply(name, json.dumps(given).encode(), self.environ, self.find_caller)
        answer: dict[str, Any] = json.loads(out) if out.startswith("{") else {}
        if out and not answer:
            answer["plain"] = out
        if wake:
            answer["wake"] = wake
        return answer

    def prompt(self, text: str, **data: "Any") -> "dict[str, Any]":
        self.prompts += 1
        return self.event("UserPromptSubmit", prompt=text, **data)

    def typed(self, name: str, words: str = "") -> "dict[str, Any]":
        """Type a skill as the user."""
        self.prompts += 1
        prompt = f"/{name} {words}".strip()
        return self.event("UserPromptExpansion", command_name=name, command_args=words, prompt=prompt)

    def tool(self, name: str, given: "Mapping[str, Any]", *, ok: bool = True, **data: "Any") -> "dict[str, Any]":
        event = "PostToolUse" if ok else "PostToolUseFailure"
        return self.event(event, tool_name=name, tool_input=dict(given), duration_ms=5, **data)

    def stop(self, message: str = "Done.", **data: "Any") -> "dict[str, Any]":
        given = {"background_tasks": [], "session_crons": [], **data}
        return self.event("Stop", last_assistant_message=message, **given)

    def as_codex(self, sandbox: str = "danger-full-access", **turn: object) -> dict[str, str]:
        """Drop Claude Code's variables; return what Codex adds to each event."""
        self.environ.pop("CLAUDE_CODE_SESSION_ID", None)
        policy = {"sandbox_policy": {"type": sandbox}, "approval_policy": "on-request"}
        record = {"type": "turn_context", "payload": {**policy, **turn}}
        path = f"{self.root}/rollout-1.jsonl"
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        return {"turn_id": "turn-1", "transcript_path": path}

    def run(self, *words: str, env: "Mapping[str, str] | None" = None, stdin: bytes = b"") -> str:
        """Run our own program as a user does, in the project; in this process, which is faster."""
        return self._call(words, env, stdin)[1]

    def status(self, *words: str) -> int:
        """The exit status of the same."""
        return self._call(words, None, b"")[0]

    def status_and_text(self, *words: str, env: "Mapping[str, str] | None" = None) -> tuple[int, str]:
        return self._call(words, env, b"")

    def _call(self, words: "Sequence[str]", env: "Mapping[str, str] | None", stdin: bytes) -> tuple[int, str]:
        from ultrawork.cli.main import main

        with Console(self.place, stdin) as console:
            status = main(words, {**self.person, **(env or {})}, lambda: TERMINAL)
        return status, console.out.text() + console.err.text()

    @property
    def person(self) -> dict[str, str]:
        """Return the environment of a user's own terminal: nothing of the client's."""
        names = ("PATH", "HOME", "ULTRAWORK_HOME")
        return {name: self.environ[name] for name in names}

    def session(self) -> "dict[str, Any]":
        """Return the session as its view shows it."""
        with open(f"{self.home}/sessions/{SESSION}/session.json", encoding="utf-8") as file:
            found: dict[str, Any] = json.load(file)
        return found

    @property
    def state_folder(self) -> Home:
        return Home(self.home)

    def know(self) -> None:
        """Make the checkout known: the user works with us here."""
        checkouts.say(self.state_folder, self.place, checkouts.KNOWN)

    def is_on(self) -> bool:
        return os.path.exists(f"{self.home}/active/{SESSION}")


def refused(answer: "Mapping[str, Any]") -> str:
    """The words with which a stop was refused, strongly or weakly; empty if it passed."""
    specific = answer.get("hookSpecificOutput") or {}
    return str(answer.get("reason") or specific.get("additionalContext") or "")


class HeardLoop(StopLoop):
    """A mode over a session that only records what a stop asks of it."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def weigh(self, facts: "StopFacts", standing: "StopVerdict") -> None:
        self.heard.append(f"weigh {facts.verdict} {standing.verdict}")

    def describe_closed(self) -> str:
        return "3 rounds done"

    def keep(self, session: "Session", decision: "StopDecision", now: float) -> None:
        self.heard.append(f"keep {decision.action} {now > 0} {session.id == SESSION}")

    def tell(self, decision: "StopDecision") -> None:
        self.heard.append(f"tell {decision.action}")

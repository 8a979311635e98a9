"""Our own client: every event goes through the launcher, as a process, and agents act in a real shell.

The client is a separate process: it makes the socket on which each hook gets its event, as Claude Code does, starts
the hooks and the agent's shells, and is gone when its session ends. State is where a plugin has it, below the home."""

import json
import os
import shutil
import subprocess
import sys
import time

from . import process, template
from .floor import PLUGIN
from .scene import GIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .layouts import Layout

SESSION = "5e551040-0000-4000-8000-00000000a77a"
LATER = "5e551040-0000-4000-8000-00000000b0b0"
HOOK = f"{PLUGIN}/bin/ultrawork-hook"
SECONDS = 100.0
WORDS = "Done. The bug is fixed and all tests pass."
TOOLS = {"LANG": "", "RUSTUP_HOME": "~/.rustup", "CARGO_HOME": "~/.cargo", "GOCACHE": ""}
# As in real clients: after so many refusals the turn ends whatever the hook says.
MOST = 9
# The client: a line says what to start and its input, a line reports the result.
CLIENT = """
import json, socket, subprocess, sys
for line in sys.stdin:
    told = json.loads(line)
    ours, theirs = socket.socketpair()
    data = told["data"]
    child = subprocess.Popen(told["argv"], stdin=subprocess.DEVNULL if data is None else theirs.fileno(),
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=told["env"], cwd=told["cwd"])
    theirs.close()
    if told["kill"]:
        child.kill()
    try:
        if data is not None:
            ours.sendall(data.encode())
            ours.shutdown(socket.SHUT_WR)
    except (BrokenPipeError, ConnectionResetError):
        pass
    out, err = child.communicate()
    ours.close()
    texts = [text.decode("utf-8", "replace") for text in (out, err)]
    print(json.dumps([child.returncode, *texts]), flush=True)
"""


class Launched:
    """One session in its own checkout, from its start to the start of the next one there."""

    def __init__(
        self,
        root: str,
        files: "Mapping[str, str]",
        *,
        git: bool = True,
        attended: bool = False,
        mode: str = "bypassPermissions",
    ) -> None:
        self.root = os.path.realpath(root)
        self.place, self.home = f"{self.root}/project", f"{self.root}/home"
        self.state = f"{self.home}/.claude/ultrawork"
        self.mark = process.new_mark()
        self.mode, self.attended = mode, attended
        self.prompts = 0
        self.git = git
        self.layout: Layout
        self.said: list[str] = []
        self._client: subprocess.Popen[str] | None = None
        # What the client's own settings would pass to every hook from now on; and whether hooks die.
        self.carried: dict[str, str] = {}
        self.is_killing = False
        self.refusals: list[str] = []
        for folder in (self.place, f"{self.root}/data"):
            os.makedirs(folder)
        template.prepare_cache(self.state)
        key = ("launched", git, *files.items())
        template.fill(self.place, key, lambda: self._lay(files))

    def _lay(self, files: "Mapping[str, str]") -> None:
        for name, text in files.items():
            self.put(name, text)
        if self.git:
            for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "start")):
                subprocess.run([*GIT, *words], cwd=self.place, check=True, capture_output=True)

    @property
    def environ(self) -> dict[str, str]:
        """Return the client's start environment; pytest plugins of this machine do not belong to the project."""
        path = f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}"
        own = {
            "PATH": path, "HOME": self.home, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
        }  # fmt: skip
        return {**toolchain_variables(), **own, process.MARK: self.mark}

    def of_hooks(self, session: str = SESSION) -> dict[str, str]:
        return {
            **self.environ,
            "CLAUDE_CODE_SESSION_ID": session,
            "CLAUDE_CODE_SESSION_ATTENDED": "1" if self.attended else "0",
            "CLAUDE_PLUGIN_DATA": f"{self.root}/data",
            "CLAUDE_PLUGIN_ROOT": PLUGIN,
            "CLAUDE_PROJECT_DIR": self.place,
            **(self.carried if session == SESSION else {}),
        }

    @property
    def of_shells(self) -> dict[str, str]:
        """Return a tool shell's environment: the programs of plugins, and the client's marks."""
        path = f"{self.environ['PATH']}{os.pathsep}{PLUGIN}/bin"
        marks = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION, "SHELL": "/bin/sh"}
        return {**self.environ, "PATH": path, **marks}

    def event(self, name: str, *, session: str = SESSION, **data: "Any") -> "dict[str, Any]":
        """Run one hook and return its answer; messages to the user are kept."""
        given = {
            "session_id": session, "transcript_path": f"{self.root}/{session}.jsonl", "cwd": self.place,
            "hook_event_name": name, "permission_mode": self.mode, "prompt_id": f"prompt-{self.prompts}", **data,
        }  # fmt: skip
        out = self._call(name, json.dumps(given), self.of_hooks(session))
        answer: dict[str, Any] = json.loads(out) if out.startswith("{") else {}
        self._note(answer)
        return answer if answer or not out else {"plain": out}

    def _note(self, answer: "Mapping[str, Any]") -> None:
        # A stop that is answered without the model gives its text as the reason for the end.
        for key in ("systemMessage", "stopReason"):
            if answer.get(key):
                self.said.append(str(answer[key]))

    def _call(self, name: str, data: str, env: "Mapping[str, str]") -> str:
        is_killed = self.is_killing and name != "SessionStart"
        _, out, self.errors = self._start(["/bin/sh", HOOK, name], env, data, is_killed=is_killed)
        return out.strip()

    def _start(
        self, argv: "Sequence[str]", env: "Mapping[str, str]", data: str | None = None, *, is_killed: bool = False
    ) -> "tuple[int, str, str]":
        """The client starts a program; a first call starts the client."""
        if self._client is None:
            words = [sys.executable, "-I", "-c", CLIENT]
            self._client = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.environ, text=True
            )
        assert self._client.stdin
        assert self._client.stdout
        told = {"argv": argv, "env": dict(env), "cwd": self.place, "data": data, "kill": is_killed}
        self._client.stdin.write(json.dumps(told) + "\n")
        self._client.stdin.flush()
        status, out, err = json.loads(self._client.stdout.readline())
        return status, out, err

    def _end_client(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.communicate(timeout=SECONDS)

    def begin(self, goal: str) -> "dict[str, Any]":
        self.event("SessionStart", source="startup")
        return self.ask(f"ulw {goal}")

    def ask(self, prompt: str) -> "dict[str, Any]":
        self.prompts += 1
        return self.event("UserPromptSubmit", prompt=prompt)

    def stop(self, words: str = WORDS) -> "dict[str, Any]":
        """End a turn; a refusal is kept."""
        answer = self.event("Stop", last_assistant_message=words, background_tasks=[], session_crons=[])
        if text := refusal(answer):
            self.refusals.append(text)
        return answer

    def insist(self, words: str = WORDS, most: int = MOST) -> str:
        """Repeat the same words until it may stop; return the last message to the user, empty if none."""
        heard = len(self.said)
        for _ in range(most):
            if not refusal(self.stop(words)):
                break
        return self.said[-1] if len(self.said) > heard else ""

    def leave(self) -> str:
        """End the session and start another in this checkout; return the message that the user then sees."""
        heard = len(self.said)
        self.event("SessionEnd", reason="other")
        self._end_client()
        self.event("SessionStart", session=LATER, source="startup")
        told = [text for text in self.said[heard:] if "is ready" not in text]
        return told[-1] if told else ""

    # What an agent does.

    def sh(self, command: str, **env: str) -> "subprocess.CompletedProcess[str]":
        """A command in the agent's shell."""
        given = {"command": command}
        if _is_denied(self.event("PreToolUse", tool_name="Bash", tool_input=given)):
            return subprocess.CompletedProcess(command, 126, "", "denied")
        found = self._start(["sh", "-c", command], {**self.of_shells, **env})
        done = subprocess.CompletedProcess(command, *found)
        name = "PostToolUse" if done.returncode == 0 else "PostToolUseFailure"
        shown = {"stdout": done.stdout[-2000:], "stderr": done.stderr[-2000:]}
        self.event(
            name, tool_name="Bash", tool_input=given, tool_response=shown, duration_ms=5,
            error=done.stderr[-500:],
        )  # fmt: skip
        return done

    def write(self, name: str, text: str) -> None:
        """The client's Write."""
        path = name if name.startswith("/") else f"{self.place}/{name}"
        given = {"file_path": path, "content": text}
        if not _is_denied(self.event("PreToolUse", tool_name="Write", tool_input=given)):
            self.put(name, text)
            self.event("PostToolUse", tool_name="Write", tool_input=given, duration_ms=5)

    def edit(self, name: str, before: str, after: str) -> None:
        """The client's Edit: the first occurrence, which has to be there."""
        text = self.read(name)
        assert before in text, f"{name} has no {before!r}"
        given = {"file_path": f"{self.place}/{name}", "old_string": before, "new_string": after}
        if not _is_denied(self.event("PreToolUse", tool_name="Edit", tool_input=given)):
            self.put(name, text.replace(before, after, 1))
            self.event("PostToolUse", tool_name="Edit", tool_input=given, duration_ms=5)

    def make(self, move: str) -> None:
        """Make one of the layout's own edits."""
        for name, before, after in self.layout.moves[move]:
            self.edit(name, before, after)

    def wait(self, seconds: float) -> None:
        """An agent that thinks."""
        time.sleep(seconds)

    # What no event reports.

    def shell(self, command: str, env: "Mapping[str, str] | None" = None) -> "subprocess.CompletedProcess[str]":
        """A command of the person's, unless the environment is an agent's."""
        return subprocess.run(
            ["sh", "-c", command],
            cwd=self.place,
            env=dict(env or self.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def prepare(self, command: str) -> None:
        """Run what was there before the session began; it has to succeed."""
        done = self.shell(f"set -e\n{command}")
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"

    def put(self, name: str, text: str) -> None:
        path = name if name.startswith("/") else f"{self.place}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name: str) -> str:
        with open(f"{self.place}/{name}", encoding="utf-8") as file:
            return file.read()

    def program(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run our own program in a user's terminal, afterwards."""
        return subprocess.run(
            [f"{PLUGIN}/bin/ultrawork", *words],
            env=self.environ,
            cwd=self.place,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def close(self) -> None:
        """End everything that was left running."""
        self._end_client()
        process.end_all(process.MARK, self.mark)
        shutil.rmtree(self.home, ignore_errors=True)


def toolchain_variables() -> dict[str, str]:
    """Return variables of compilers below the test user's home; the client's home is another one."""
    usual = {name: os.path.expanduser(path) for name, path in TOOLS.items()}
    found = {name: os.environ.get(name) or path for name, path in usual.items()}
    return {name: path for name, path in found.items() if path and (name == "LANG" or os.path.isdir(path))}


def refusal(answer: "Mapping[str, Any]") -> str:
    if answer.get("decision") == "block":
        return str(answer.get("reason"))
    return str((answer.get("hookSpecificOutput") or {}).get("additionalContext") or "")


def _is_denied(answer: "Mapping[str, Any]") -> bool:
    specific = answer.get("hookSpecificOutput") or {}
    return specific.get("permissionDecision") == "deny" or answer.get("decision") == "block"


def outcome_of(line: str) -> str:
    """Return the word that a line to the user stands for."""
    words = ("PASS", "UNVERIFIED", "FAIL", "CANCELLED", "off", "not on")
    told = line.removeprefix("ultrawork: ")
    return next((word for word in words if told.startswith(word)), "said" if line else "silent")


def wanted(names: "Sequence[str]", path: str) -> list[str]:
    """Return programs that are not installed."""
    return [name for name in names if shutil.which(name, path=path) is None]

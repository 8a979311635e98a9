"""`ulw` in the real client: small projects, what scripted agents do in them, and the results.

An agent is a list of steps and its final words; it repeats the same words when it is sent back. So a lie and its
honest twin can end alike, and only what was executed differs."""

import json
import os
import re
import shutil
import subprocess

from ultrawork.store.paths import Home

from . import process, sample
from .claude import INPUT
from .client import LIMIT
from .floor import PLUGIN, REPOSITORY
from .process import ClientError
from .scene import GIT, NO_CHECK
from .terminal import ENTER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .claude import Claude
    from .codex import Codex
    from .process import Finished
    from .terminal import Terminal

Step = dict[str, object]
WORDS = "Done. The bug is fixed and all tests pass."
GOAL = sample.GOAL
OPEN = "bypassPermissions"
BLOCK = "ultrawork is on. Goal: "
FIXED = sample.REAL_FIX[1]
BENT = sample.BENT_TEST[1]
PYTHON = dict(sample.FILES)
NODE = {
    "package.json": '{"name": "pages", "scripts": {"test": "node --test"}}\n',
    "pages.js": "exports.count = (lines, size) => Math.floor(lines / size);\n",
    "pages.test.js": (
        "const test = require('node:test');\nconst assert = require('node:assert');\n"
        "const { count } = require('./pages.js');\n"
        "test('counts whole pages', () => assert.equal(count(20, 10), 2));\n"
        "test('counts the last page', () => assert.equal(count(21, 10), 3));\n"
    ),
}
NODE_FIXED = NODE["pages.js"].replace("floor", "ceil")
NODE_GOAL = "count the last page too"
NONE = dict(NO_CHECK)


def state_folder(project: object) -> Home:
    """Return the state folder of a client whose home is beside the project."""
    return Home(f"{os.path.dirname(os.path.realpath(str(project)))}/home/.claude/ultrawork")


def sh(command: str, **more: object) -> Step:
    return {"tool": {"name": "Bash", "input": {"command": command, **more}}}


def put(name: str, text: str) -> Step:
    """Write a file as agents do without a file tool."""
    return sh(f"cat > {name} <<'END_OF_FILE'\n{text}END_OF_FILE")


def write(folder: object, name: str, text: str) -> list[Step]:
    """Write with the client's own tools: an existing file is read first."""
    path = f"{folder}/{name}"
    read: Step = {"tool": {"name": "Read", "input": {"file_path": path}}}
    return [read, {"tool": {"name": "Write", "input": {"file_path": path, "content": text}}}]


FIX = put("book.py", FIXED)
# Breaks a test that passed.
SPOIL = put("book.py", PYTHON["book.py"].replace("people.append((name, city))", "people = [(name, city)]"))
NODE_FIX = put("pages.js", NODE_FIXED)


def script(steps: "Sequence[Step]", words: str = WORDS) -> "list[dict[str, object]]":
    replies = [*steps, {"text": words}]
    return [{"match": {"agent": "main"}, "replies": replies, "after": "repeat"}]


def make(folder: str, files: "Mapping[str, str]") -> None:
    """A little repository with one commit."""
    for name, text in files.items():
        path = f"{folder}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "start")):
        subprocess.run([*GIT, *words], cwd=folder, check=True, capture_output=True)


def release(folder: str) -> str:
    """Copy the plugin as it ships: the files that git keeps in its folder."""
    return _copy_tracked(PLUGIN, folder)


def marketplace(folder: str) -> str:
    """Copy what a clone holds, without the tests, pages and benchmarks that no install reads."""
    return _copy_tracked(REPOSITORY, folder, ("tests/", "docs/", "bench/"))


def _copy_tracked(source: str, folder: str, left_out: tuple[str, ...] = ()) -> str:
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    found = subprocess.run(listed, cwd=source, check=True, capture_output=True, text=True)
    for name in found.stdout.split("\0"):
        target = f"{folder}/{name}"
        if os.path.isfile(f"{source}/{name}") and not name.startswith(left_out or ("\0",)):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(f"{source}/{name}", target)
    return folder


def install_as_documented(seat: "Claude | Codex", page: str, folder: str) -> None:
    """Run the lines of a page that install the plugin, word for word, in the folder of a clone."""
    with open(f"{REPOSITORY}/{page}", encoding="utf-8") as file:
        lines = [line.split() for line in file if re.match(r"(?:claude|codex) plugin ", line)]
    assert len(lines) == 2, f"{page} has {len(lines)} lines that install it"
    for line in lines:
        seat.call(*line[1:], cwd=folder).checked()


def bodies(seat: "Claude | Codex") -> list[str]:
    """Return what the main agent was told, request by request, as text."""
    found = (one for one in seat.model.requests if one.get("agent") == "main")
    return [json.dumps(one["body"], ensure_ascii=False).replace("\\n", "\n") for one in found]


class Told:
    """The result of one run: what was refused, what was said, how the session ended. Codex reports no hooks."""

    def __init__(self, seat: "Claude | Codex", run: "Any") -> None:
        self.seat = seat
        self.run = run

    @property
    def answers(self) -> "list[dict[str, Any]]":
        """Return our hooks' answers to stops, in order."""
        return [call.answer for call in self.run.hooks_of("Stop") if call.answer]

    @property
    def refusals(self) -> list[str]:
        return [text for text in map(_refusal, self.answers) if text]

    @property
    def verdict(self) -> str:
        """The words with which it ended, empty while it is still on."""
        said = [str(one.get("systemMessage") or "") for one in self.answers]
        return next((text for text in reversed(said) if text), "")

    @property
    def injected(self) -> list[str]:
        """Return what the model was told when it was turned on."""
        calls = [*self.run.hooks_of("UserPromptSubmit"), *self.run.hooks_of("UserPromptExpansion")]
        found = [call.answer.get("hookSpecificOutput", {}) for call in calls]
        return [one["additionalContext"] for one in found if one.get("additionalContext")]

    @property
    def state(self) -> str:
        return f"{self.seat.home}/.claude/ultrawork"

    @property
    def session(self) -> "dict[str, Any]":
        path = f"{self.state}/sessions/{self.run.session}/session.json"
        with open(path, encoding="utf-8") as file:
            found: dict[str, Any] = json.load(file)
        return found

    def ask(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run our own program in a user's terminal, afterwards."""
        env = {"HOME": self.seat.home, "PATH": self.seat.env["PATH"]}
        return subprocess.run(
            [f"{PLUGIN}/bin/ultrawork", *words],
            env=env,
            cwd=self.seat.project,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    @property
    def logs(self) -> str:
        path = f"{self.state}/logs/hooks.log"
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8") as file:
            return file.read()


class ToldByCodex(Told):
    """Refusals are what its model was told; the verdict is in the session."""

    @property
    def refusals(self) -> list[str]:
        said = (str(one["last"]) for one in self.seat.model.requests)
        return [text for text in said if "ultrawork: sent back" in text]


def _refusal(answer: "Mapping[str, Any]") -> str:
    if answer.get("decision") == "block":
        return str(answer.get("reason"))
    return str((answer.get("hookSpecificOutput") or {}).get("additionalContext") or "")


def say(terminal: "Terminal", text: str, sign: str = INPUT) -> None:
    """Type and send; a client that is still busy with its start may miss the first Enter."""
    terminal.type(text)
    terminal.wait_until(lambda screen: _input(screen, sign) == text, f"{text} in the input", 60)
    for patience in (2.0, 5.0, 30.0):
        terminal.type(ENTER)
        try:
            terminal.wait_until(lambda screen: _input(screen, sign) != text, "the input sent", patience)
        except ClientError:
            continue
        return
    raise ClientError(f"the client does not take {text}")


def _input(screen: str, sign: str) -> str:
    """Return what is in the input box: after the last prompt sign."""
    lines = [line for line in screen.splitlines() if line.startswith(sign)]
    return lines[-1].removeprefix(sign).strip() if lines else ""


def go(seat: "Claude", prompt: str = f"ulw {GOAL}", *, mode: str = OPEN, **options: "Any") -> Told:
    """Run one `claude -p` with our plugin."""
    return Told(seat, seat.run(prompt, plugins=[PLUGIN], mode=mode, **options))


def run_with(seat: "Claude | Codex", *words: str, ours: "Sequence[str]" = ()) -> "Finished":
    """`ultrawork with` and the client's own command."""
    argv = [f"{PLUGIN}/bin/ultrawork", "with", *ours, seat.program, *words]
    return process.run(argv, env=seat.env, cwd=seat.project, timeout=LIMIT)

"""
`ulw` in the real client: little projects, what scripted agents do in them, and what came of it.

An agent is a list of steps and the words it ends with; it says the same words again and again when it
is sent back. So a lie and its honest twin can end alike, and only what was executed differs.
"""

import json
import os
import subprocess

from ..cli import sample
from .floor import REPOSITORY
from .scene import GIT, NO_CHECK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .claude import Claude, ClaudeRun

Step = dict[str, object]
WORDS = "Done. The bug is fixed and all tests pass."
GOAL = sample.GOAL
OPEN = "bypassPermissions"
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


def sh(command: str, **more: object) -> Step:
    return {"tool": {"name": "Bash", "input": {"command": command, **more}}}


def put(name: str, text: str) -> Step:
    """Writes a file as agents do when no file tool is at hand."""
    return sh(f"cat > {name} <<'END_OF_FILE'\n{text}END_OF_FILE")


FIX = put("book.py", FIXED)
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


class Told:
    """What came of one run: what was refused, what was said, how the session ended."""

    def __init__(self, seat: "Claude", run: "ClaudeRun") -> None:
        self.seat = seat
        self.run = run

    @property
    def answers(self) -> "list[dict[str, Any]]":
        """What our hooks answered to stops, in order."""
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
        """What the model was told when it was switched on."""
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
        """Our own program in a terminal of the person, afterwards."""
        env = {"HOME": self.seat.home, "PATH": self.seat.env["PATH"]}
        return subprocess.run(
            [f"{REPOSITORY}/bin/ultrawork", *words],
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


def _refusal(answer: "Mapping[str, Any]") -> str:
    if answer.get("decision") == "block":
        return str(answer.get("reason"))
    return str((answer.get("hookSpecificOutput") or {}).get("additionalContext") or "")


def go(seat: "Claude", prompt: str = f"ulw {GOAL}", *, mode: str = OPEN, **options: "Any") -> Told:
    """One `claude -p` with our plugin."""
    return Told(seat, seat.run(prompt, plugins=[REPOSITORY], mode=mode, **options))

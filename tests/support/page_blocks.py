"""
Command blocks of pages: what they are, and what the program really answers to them.

A page is played from top to bottom in one sandbox project. Kinds of blocks:

    console   `$ ` commands of a terminal, each with its output
    client    a session: what a person types, what the agent says, and what hooks answer
    prompts   lines that a person types, each starting something in a project of its own
    sh        a script that must succeed
    toml      must parse; with a path in its first comment it is written into the project

A line `…` stands for any lines. `python -m support.page_blocks` writes the output of every page anew.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass

from .floor import PLUGIN, REPOSITORY
from .page_projects import ACTS, NOT_RUN, PROJECTS, STARTS, WRITES
from .scene import Scene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

PLAYED = ("console", "client", "prompts", "sh")
DATA = ("toml", "yaml", "json", "ini", "dockerfile", "text", "sql")
MOST = 14
ANY = "…"
# What a terminal, a user and an agent begin a line with.
TYPED = "$❯● "  # noqa: RUF001
USAGE = 2
_FENCE = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
# What differs between two runs of the same command.
_VOLATILE = (
    (re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d)?(\.\d+)?( UTC|Z)?)?"), "DATE"),
    (re.compile(r"~?\b\d+(\.\d+)? (ms|s|min|h|kB|MB|bytes|B)\b( \d+ s\b)?"), "TIME"),
    (re.compile(r"\b\d{8}-\d{6}-\d+\b|\b[0-9a-f]{4}(?=  \d\d:\d\d\b)|\b[0-9a-f]{7,64}\b"), "ID"),
    (re.compile(r"\b\d+:\d\d\b(?!:)"), "CLOCK"),
    (re.compile(r" {2,}"), "  "),
)


@dataclass(frozen=True)
class Block:
    """One fenced block; `first` and `last` are its place in the page."""

    kind: str
    text: str
    indent: str
    first: int
    last: int

    @property
    def name(self) -> str:
        """Return its first typed line, by which tables name it."""
        lines = [line for line in self.text.splitlines() if line.strip()]
        return lines[0].lstrip(TYPED) if lines else ""


def list_blocks(text: str) -> list[Block]:
    return [
        Block(found[2].strip(), _unindent(found[3], found[1]), found[1], found.start(), found.end())
        for found in _FENCE.finditer(text)
    ]


def _unindent(text: str, indent: str) -> str:
    return "".join(line.removeprefix(indent) for line in text.splitlines(keepends=True))


def read_page(page: str) -> str:
    with open(f"{REPOSITORY}/{page}", encoding="utf-8") as file:
        return file.read()


def list_pages() -> list[str]:
    """Pages that are followed literally, and others that show a terminal."""
    found = ["README.md"]
    for folder, _, names in os.walk(f"{REPOSITORY}/docs"):
        found += [f"{folder}/{name}"[len(REPOSITORY) + 1 :] for name in names if name.endswith(".md")]
    return sorted(page for page in found if _is_followed(page))


def _is_followed(page: str) -> bool:
    kinds = {block.kind for block in list_blocks(read_page(page))}
    is_guide = page.startswith(("docs/tutorial/", "docs/how-to/", "README"))
    return bool(kinds & {"console", "client"}) or (is_guide and bool(kinds & set(PLAYED)))


def mask(text: str, scene: Scene) -> str:
    places = ((scene.home, "STATE"), (scene.place, "PROJECT"), (scene.root, "HOME"))
    return mask_places(text, places)


def mask_places(text: str, places: "Iterable[tuple[str, str]]" = ()) -> str:
    """The text without what differs between two runs; of places, the first that fits counts."""
    for place, name in places:
        text = text.replace(place, name)
    return _mask(text)


def _mask(text: str) -> str:
    text = text.replace("~/.claude/ultrawork", "STATE").replace("~/project", "PROJECT")
    for pattern, word in _VOLATILE:
        text = pattern.sub(word, text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def fits(shown: str, masked: str) -> bool:
    """Return whether a page shows this output; a line `…` matches any lines."""
    parts = [re.escape(part.strip("\n")) for part in re.split(rf"^ *{ANY}$", _mask(shown), flags=re.MULTILINE)]
    return re.fullmatch(r"\n?(?:.*\n)*?.*\n?".join(parts) if len(parts) > 1 else parts[0], masked) is not None


class Player:
    """One page in one sandbox: `play` yields each typed line with the shown and the real output."""

    def __init__(self, page: str, root: str) -> None:
        self.page = page
        self.scene = Scene(root, PROJECTS.get(page, PROJECTS["*"]))
        self.scene.mode = "default"
        self.env: dict[str, str] = {}
        self.failed: list[str] = []
        if page in STARTS:
            STARTS[page](self.scene)

    def play(self, block: Block) -> "Iterator[tuple[str, str, str]]":
        if (self.page, block.name) in NOT_RUN:
            return
        if block.kind == "sh":
            self._run_script(block.text)
        elif block.kind == "toml":
            self._take_toml(block.text)
        elif block.kind in PLAYED:
            yield from self._play_lines(block)

    def _play_lines(self, block: Block) -> "Iterator[tuple[str, str, str]]":
        for typed, shown in split_typed(block.text):
            if (self.page, typed.lstrip(TYPED)) in NOT_RUN:
                continue
            for act in ACTS.get((self.page, typed), ()):
                act(self.scene)
            if block.kind == "prompts":
                with tempfile.TemporaryDirectory() as root:
                    fresh = Scene(root, PROJECTS["*"])
                    if not render_answer(*_send(fresh, typed)):
                        self.failed.append(f"{typed}: nothing answers it")
            else:
                yield typed, shown, self._answer(typed)

    def _answer(self, typed: str) -> str:
        if not typed.startswith("$ "):
            return render_answer(*_send(self.scene, typed))
        words = typed[2:]
        if words.startswith("ultrawork ") and not re.search(r"[|&;<>]", words):
            status, out = self._call(shlex.split(words)[1:])
        else:
            status, out = self._shell(words)
        if status == USAGE:
            self.failed.append(f"{typed}: wrong usage: {out}")
        return out

    def _call(self, words: list[str]) -> tuple[int, str]:
        return self.scene.status_and_text(*words, env=self.env)

    def _shell(self, script: str) -> tuple[int, str]:
        environ = {**self.scene.person, **self.env}
        environ["PATH"] = f"{PLUGIN}/bin:{environ['PATH']}"
        for who in ("AUTHOR", "COMMITTER"):
            environ |= {f"GIT_{who}_NAME": "you", f"GIT_{who}_EMAIL": "you@example.org"}
        done = subprocess.run(
            ["sh", "-eu", "-c", script], cwd=self.scene.place, env=environ, text=True, timeout=60,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout

    def _run_script(self, script: str) -> None:
        for found in re.finditer(r"^export (\w+)=(\S+)", script, re.MULTILINE):
            self.env[found[1]] = found[2]
        lines = [shlex.split(line, comments=True) for line in script.splitlines()]
        if all(not words or words[0] == "ultrawork" for words in lines):
            answers = [self._call(words[1:]) for words in lines if words]
        else:
            answers = [self._shell(script)]
        self.failed += [f"{script}: exit {status}: {out}" for status, out in answers if status]

    def _take_toml(self, text: str) -> None:
        tomllib.loads(text)
        if (self.page, text.splitlines()[0]) in WRITES:
            self.scene.write(text.splitlines()[0].lstrip("# ").split()[0].rstrip(","), text)


def split_typed(text: str) -> list[tuple[str, str]]:
    """Each typed line with the lines below it."""
    found: list[tuple[str, str]] = []
    for line in text.splitlines(keepends=True):
        if line.startswith(tuple(f"{sign} " for sign in TYPED.strip())) and "stopped by hook" not in line:
            found.append((line.rstrip("\n"), ""))
        elif found:
            found[-1] = (found[-1][0], found[-1][1] + line)
    return found


def _send(scene: Scene, typed: str) -> "tuple[str, dict[str, Any]]":
    words = typed[2:]
    if typed.startswith("● "):
        return "Stop", scene.stop(words)
    if words.startswith("/ultrawork:"):
        name, _, rest = words[1:].partition(" ")
        return "UserPromptExpansion", scene.typed(name, rest)
    return "UserPromptSubmit", scene.prompt(words)


def render_answer(event: str, answer: "dict[str, Any]") -> str:
    """Return what the client shows of an answer, in its own frame."""
    told = {**answer}
    if event == "Stop":
        told |= answer.get("hookSpecificOutput") or {}
    frames = (
        ("systemMessage", f"  ⎿  {event} says: "),
        ("reason", f"  ⎿  {event} hook error: "),
        ("additionalContext", f"  ⎿  {event} hook feedback: "),
        ("stopReason", "● Operation stopped by hook: "),
    )
    shown = [head + str(told[key]).replace("\n", "\n     ") for key, head in frames if told.get(key)]
    return "\n".join(shown)


def find_differences(page: str, root: str) -> list[str]:
    """Return typed lines whose output differs from the page, and what could not run."""
    player = Player(page, root)
    lost = []
    for block in list_blocks(read_page(page)):
        for typed, shown, answer in player.play(block):
            masked = mask(answer, player.scene)
            if not fits(shown, masked):
                lost.append(f"{typed}\n--- page\n{_mask(shown)}\n--- program\n{masked}")
    return lost + player.failed


def rewrite(page: str, root: str) -> str:
    """The page with the output of now where another one is shown."""
    text, player = read_page(page), Player(page, root)
    made, at = "", 0
    for block in list_blocks(text):
        parts = list(player.play(block))
        if not parts:
            continue
        lines = [_render(typed, shown, answer, player.scene) for typed, shown, answer in parts]
        body = "".join(f"{block.indent}{line}\n" if line else "\n" for line in "\n".join(lines).split("\n"))
        made += text[at : block.first] + f"{block.indent}```{block.kind}\n{body}{block.indent}```"
        at = block.last
    for one in player.failed:
        print(page, one, file=sys.stderr)
    return made + text[at:]


def _render(typed: str, shown: str, answer: str, scene: Scene) -> str:
    if fits(shown, mask(answer, scene)):
        kept = shown.rstrip("\n")
        return f"{typed}\n{kept}" if kept else typed
    for place, name in ((scene.home, "~/.claude/ultrawork"), (scene.place, "~/project"), (scene.root, "~")):
        answer = answer.replace(place, name)
    lines = answer.strip("\n").splitlines()
    head, tail = _count_kept(shown)
    if len(lines) > head + tail:
        lines = [*lines[:head], ANY, *lines[len(lines) - tail :]]
    return "\n".join([typed, *(line.rstrip() for line in lines)])


def _count_kept(shown: str) -> tuple[int, int]:
    """How many lines a page shows before its first `…` and after its last one."""
    lines = shown.rstrip("\n").splitlines()
    places = [at for at, line in enumerate(lines) if line.strip() == ANY]
    return (places[0], len(lines) - 1 - places[-1]) if places else (MOST, 0)


def main() -> None:
    for page in sys.argv[1:] or list_pages():
        with tempfile.TemporaryDirectory() as root:
            made = rewrite(page, f"{root}/x")
        if made != read_page(page):
            with open(f"{REPOSITORY}/{page}", "w", encoding="utf-8") as file:
                file.write(made)


if __name__ == "__main__":
    main()

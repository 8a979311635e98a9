"""
A reader who has nothing but a page: a fresh clone, an empty HOME, an empty environment, every command as it is written.

No command is repeated here: all of them come from the page, as it is in the clone. The folder is the one that the
words name ("the folder of a clone"), until a command of the page changes it. Variables that a block exports stay, as in
a shell. `console` blocks also have to print what the page shows.
"""

import os
import re
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

from . import installers
from .floor import PATH, REPOSITORY
from .page_blocks import Block, fits, list_blocks, mask_places, split_typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

CLONE = "folder of a clone"
# Seconds from `git clone` that a person is promised.
DEMO_SECONDS, VERDICT_SECONDS = 30.0, 60.0
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
# The machine's own Python, which a version manager may keep elsewhere.
_PYTHON = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
_PATIENCE = 280
_TAIL = 1500
_IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "you"), ("EMAIL", "you@example.org"))
}


class WordsError(AssertionError):
    """Words of a page that are not so."""


@dataclass(frozen=True)
class Instruction:
    """A block with the heading that it stands below and the words since the block before it."""

    block: Block
    heading: str
    words: str


def list_instructions(text: str) -> list[Instruction]:
    found, at = [], 0
    heads = [(one.start(), one[1]) for one in _HEADING.finditer(_FENCED.sub(_blank, text))]
    for block in list_blocks(text):
        above = [name for place, name in heads if place < block.first]
        found.append(Instruction(block, above[-1] if above else "", text[at : block.first]))
        at = block.last
    return found


def _blank(found: "re.Match[str]") -> str:
    """As long as it was: places stay where they are."""
    return " " * len(found[0])


def list_ways(text: str) -> list[str]:
    """The headings below which something is installed."""
    return list(dict.fromkeys(one.heading for one in list_instructions(text) if _runs(one.block)))


def _runs(block: Block) -> bool:
    return block.kind in ("sh", "console")


class Reader:
    """`began` is when cloning started; `programs` are folders of what the reader has installed beforehand."""

    def __init__(self, root: str, programs: "Sequence[str]" = (), repository: str = REPOSITORY) -> None:
        self.root = os.path.realpath(root)
        self.home, self.clone = f"{self.root}/home", f"{self.root}/ultrawork"
        self.folder = self.home
        os.makedirs(self.home)
        self.env = {
            "HOME": self.home,
            "PATH": ":".join((*programs, PATH, os.path.dirname(_PYTHON))),
            "LANG": "C.UTF-8",
            **_IDENTITY,
            **installers.list_network_variables(),
        }
        self.began = time.monotonic()
        words = ["git", "clone", "-q", repository, self.clone]
        subprocess.run(words, check=True, timeout=_PATIENCE, env=self.env, capture_output=True)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def read(self, page: str) -> str:
        with open(f"{self.clone}/{page}", encoding="utf-8") as file:
            return file.read()

    def follow(self, page: str, heading: str = "") -> int:
        """Do what the page says, below one heading if it is named; return how many commands were run."""
        count = 0
        for one in list_instructions(self.read(page)):
            if CLONE in one.words:
                self.folder = self.clone
            if _runs(one.block) and heading in ("", one.heading):
                count += self._do(one.block, page)
        return count

    def _do(self, block: Block, page: str) -> int:
        if block.kind == "sh":
            done = self.run(block.text, strict=True)
            if done.returncode:
                raise WordsError(f"{page}: {block.text}exits with {done.returncode}\n{done.stdout[-_TAIL:]}")
            return len(block.text.splitlines())
        typed = split_typed(block.text)
        for line, shown in typed:
            answer = mask_places(self.run(line.removeprefix("$ ")).stdout, self._list_places())
            if not fits(shown, answer):
                raise WordsError(f"{page}: {line}\n--- page\n{shown}\n--- program\n{answer[-_TAIL:]}")
        return len(typed)

    def _list_places(self) -> list[tuple[str, str]]:
        return [(f"{self.home}/.claude/ultrawork", "STATE"), (self.folder, "PROJECT"), (self.home, "HOME")]

    def run(self, script: str, *, strict: bool = False) -> "subprocess.CompletedProcess[str]":
        """In the reader's shell, which remembers its folder and what was exported; `strict` ends at a failure."""
        kept = f"{self.root}/shell"
        whole = f"{script}\nstatus=$?\npwd >{kept}.folder\nenv -0 >{kept}.env\nexit $status"
        done = subprocess.run(
            ["sh", "-eu" if strict else "-u", "-c", whole], cwd=self.folder, env=self.env, text=True,
            timeout=_PATIENCE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        self._remember(kept)
        return done

    def _remember(self, kept: str) -> None:
        try:
            with open(f"{kept}.folder", encoding="utf-8") as file:
                self.folder = file.read().rstrip("\n")
            with open(f"{kept}.env", encoding="utf-8") as file:
                pairs = [one.partition("=") for one in file.read().split("\0") if one]
        except FileNotFoundError:
            return
        private = ("_", "PWD", "OLDPWD", "SHLVL")
        self.env = {name: value for name, _, value in pairs if name not in private}


class Pace:
    """
    How much slower than alone this machine is meanwhile: the wall time of small pieces of work over their CPU time.

    A promise in seconds is about a machine that does nothing else; a test may have neighbors.
    """

    def __init__(self) -> None:
        self._ends = threading.Event()
        self._wall = self._used = 0.0
        self._thread = threading.Thread(target=self._watch, daemon=True)

    @property
    def factor(self) -> float:
        return max(1.0, self._wall / self._used) if self._used else 1.0

    def _watch(self) -> None:
        while not self._ends.wait(0.5):
            started, used = time.monotonic(), time.thread_time()
            while time.thread_time() - used < 0.02:
                pass
            self._wall += time.monotonic() - started
            self._used += time.thread_time() - used

    def __enter__(self) -> "Self":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()

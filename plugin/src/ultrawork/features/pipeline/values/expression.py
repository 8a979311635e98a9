"""Parse a pipeline as a user writes it: `explore:haiku -> architect -> [executor, writer] "the task"`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from ....core.check import find_nearest, parse_number, quote, require_choice
from ....core.errors import UsageError
from ....core.registry import FEATURES
from ....core.value import Value
from .agents import MODELS, TABLE

Stages = Sequence[Sequence["StageMember"]]

ABORT = "abort"
SKIP = "skip"
RETRY = "retry"
FALLBACK = "fallback"
ON_ERROR = FEATURES["pipeline"].run_flags["--on-error"].choices
CONCAT = "concat"
SUMMARIZE = "summarize"
VOTE = "vote"
MERGES = FEATURES["pipeline"].run_flags["--merge"].choices
PRESETS = {
    "review": "explore -> architect -> critic -> executor",
    "implement": "planner -> executor -> tdd-guide",
    "debug": "explore -> architect -> build-fixer",
    "research": "[document-specialist, explore] -> architect -> writer",
    "refactor": "explore -> architect -> executor -> qa-tester",
    "security": "explore -> security-reviewer -> executor -> security-reviewer",
}
CUSTOM = "custom"
# The preset for work that the catalogue has an agent for.
_PRESET_FOR = {
    "security-reviewer": "security", "debugger": "debug", "build-fixer": "debug", "performance-reviewer": "debug",
    "document-specialist": "research", "dependency-expert": "research", "architect": "research",
    "deep-executor": "refactor", "code-reviewer": "review", "critic": "review",
}  # fmt: skip
MOST_STAGES = 20
MOST_BESIDE = 8
MOST_TRIES = 10
EXAMPLE = 'explore -> executor "task"'
_ARROWS = ("->", "→")
_QUOTES = {'"': '"', "'": "'", "“": "”"}
_BEFORE_WORDS = "`/@#._"
_FIRST = 20
_TRIES = {RETRY: 3}
_SWITCHES = {"--skip-verify": "skip_verify", "--auto": "auto_mode", "--help": "help"}
_VALUES = ("--retry", "--on-error", "--merge", "--max-workers", "--max-iterations")


class StageMember(Value):
    """One agent of a stage; `model` is empty if the user names none."""

    name: str
    model: str = ""

    @property
    def text(self) -> str:
        return f"{self.name}:{self.model}" if self.model else self.name


class Pipeline:
    """`stages` run one after the other, the members of one beside each other; `name` is a preset's or custom."""

    def __init__(self, stages: Stages, task: str, name: str = CUSTOM) -> None:
        self.stages = tuple(tuple(stage) for stage in stages)
        self.task = task
        self.name = name

    @property
    def expression(self) -> str:
        drawn = [", ".join(stage_member.text for stage_member in stage) for stage in self.stages]
        return " -> ".join(
            f"[{text}]" if len(stage) > 1 else text for text, stage in zip(drawn, self.stages, strict=True)
        )


class PipelineOptions:
    """How often a stage is retried, what then happens to the rest, and how parallel results are merged."""

    def __init__(self, retry: int | None = None, on_error: str = ABORT, merge: str = CONCAT) -> None:
        self.on_error = require_choice(on_error, ON_ERROR, "value for --on-error")
        self.merge = require_choice(merge, MERGES, "value for --merge")
        self.retry = _TRIES.get(on_error, 1) if retry is None else retry


def parse_tries(word: str) -> int:
    return parse_number(word, "value for --retry", 0, MOST_TRIES)


def parse(text: str) -> Pipeline:
    """Parse the whole text; an error names the place and what to write there."""
    reader = _Reader(text)
    preset = reader.preset()
    stages = _Reader(PRESETS[preset]).stages() if preset else reader.stages()
    return Pipeline(stages, reader.task(), preset or CUSTOM)


@dataclass(slots=True)
class _Reader:
    text: str
    at: int = field(init=False, default=0)

    def preset(self) -> str:
        """A preset is a first word that no arrow follows."""
        word = self.text.split(None, 1)[0] if self.text.strip() else ""
        rest = self.text.lstrip()[len(word) :].lstrip()
        if word not in PRESETS or rest.startswith(_ARROWS):
            return ""
        self.at = self.text.index(word) + len(word)
        return word

    def stages(self) -> list[list[StageMember]]:
        stages = [self._stage()]
        while self._take(*_ARROWS):
            stages.append(self._stage())
        if len(stages) > MOST_STAGES:
            self._refuse(f"{len(stages)} stages. A pipeline has at most {MOST_STAGES}")
        if self._take(","):
            self.at -= 1
            self._refuse('"," between stages. Put parallel agents in brackets: [a, b]')
        return stages

    def _stage(self) -> list[StageMember]:
        if not self._take("["):
            return [self._member()]
        opened = self.at
        stage_members = [self._member()]
        while self._take(","):
            stage_members.append(self._member())
        if not self._take("]"):
            self.at = opened - 1
            self._refuse('"[" is never closed; write the agents of one stage as [a, b]')
        if len(stage_members) > MOST_BESIDE:
            self._refuse(f"{len(stage_members)} agents in one stage. At most {MOST_BESIDE} run in parallel")
        return stage_members

    def _member(self) -> StageMember:
        word = self._word()
        if not word:
            self._refuse(f"an agent's name is missing; write {EXAMPLE}")
        name, _, last = word.rpartition(":")
        is_model = bool(name) and (last in MODELS or any(character.isdigit() for character in last))
        return StageMember(name, last) if is_model else StageMember(word)

    def _word(self) -> str:
        self._blank()
        start = self.at
        while self.at < len(self.text) and self._in_word():
            self.at += 1
        word = self.text[start : self.at]
        if word and (not word[0].isalpha() or word.endswith(":") or "::" in word):
            self.at = start
            self._refuse(f"{quote(word)} is not an agent. Write name or name:model, such as explore:haiku")
        return word

    def _in_word(self) -> bool:
        character = self.text[self.at]
        if character == "-":
            return not self.text.startswith("->", self.at)
        return (character.isascii() and character.isalnum()) or character in "_.:"

    def task(self) -> str:
        self._blank()
        rest = self.text[self.at :].strip()
        if not rest:
            self._refuse(f"the task is missing; end with it in quotes: {EXAMPLE}")
        if rest[0] in _QUOTES:
            return self._quoted(rest)
        if any(arrow in rest for arrow in _ARROWS):
            self._refuse(f"{quote(rest)} is not a stage. Put the task in quotes at the end")
        self._plain(rest)
        return rest

    def _plain(self, rest: str) -> None:
        """Read a task without quotes; what looks like another stage is an error."""
        if not rest.lstrip(_BEFORE_WORDS)[:1].isalnum():
            mark = rest[0] if rest[0] in "[],>" else _first(rest)[:_FIRST]
            self._refuse(f"{quote(mark)} does not belong here; write stages as a -> b -> [c, d]")
        if _first(rest) in TABLE or any(f" {mark}" in " ".join(rest.split()) for mark in _QUOTES):
            word = quote(_first(rest)[:_FIRST])
            self._refuse(f"no arrow before {word}; write one, or quote the whole task")

    def _quoted(self, rest: str) -> str:
        close = _QUOTES[rest[0]]
        self._one_text(rest, close)
        if len(rest) < 2 or not rest.endswith(close):
            self._refuse(f"the quote {rest[0]} is not closed at the end; close it after the task")
        inside = rest[1:-1].strip()
        return inside or self._refuse("the task is empty. Write the task between the quotes")

    def _one_text(self, rest: str, close: str) -> None:
        for at in range(1, len(rest) - 1):
            if rest[at] == close and not _belongs(rest, at):
                self.at += at + 1
                self._blank()
                follows = quote(_first(self.text[self.at :]).strip(rest[0] + close)[:_FIRST])
                self._refuse(f"{follows} follows the task. Put the whole task in one pair of quotes")

    def _take(self, *marks: str) -> bool:
        self._blank()
        for mark in marks:
            if self.text.startswith(mark, self.at):
                self.at += len(mark)
                return True
        return False

    def _blank(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def _refuse(self, why: str) -> NoReturn:
        raise UsageError(f"pipeline, character {self.at + 1}: {why}")


def _first(text: str) -> str:
    return text.split(None, 1)[0]


def _belongs(text: str, at: int) -> bool:
    """Return whether a quote inside a task is part of it: escaped, or the apostrophe of a word."""
    apostrophe = text[at] == "'" and text[at - 1].isalnum() and text[at + 1].isalnum()
    return apostrophe or text[at - 1] == "\\"


def parse_command(text: str) -> tuple[dict[str, str], str]:
    """Return flags and the rest of what was typed after the skill; flags come first, or after a quoted task."""
    given: dict[str, str] = {}
    rest = text.strip()
    while rest.startswith("--"):
        word, _, rest = rest.partition(" ")
        rest = _flag(given, word, rest.lstrip())
    for end in _QUOTES.values():
        task, mark, flags = rest.rpartition(f"{end} --")
        words = f"--{flags}".split()
        if mark and all(argument.startswith("--") or argument.isalnum() for argument in words):
            behind, _ = parse_command(" ".join(words))
            return {**given, **behind}, task + end
    return given, rest


def _flag(given: dict[str, str], word: str, rest: str) -> str:
    name, equals, value = word.partition("=")
    if name in _SWITCHES:
        given[_SWITCHES[name]] = ""
        return rest
    if name not in _VALUES:
        close = find_nearest(name, (*_SWITCHES, *_VALUES))
        hint = f"did you mean {close}?" if close else f"known: {', '.join(_VALUES)}"
        raise UsageError(f"no flag {quote(name)}; {hint}")
    if not equals:
        value, _, rest = rest.partition(" ")
    if not value:
        raise UsageError(f"{name} requires a value: {name}=VALUE")
    given[name] = value
    return rest.lstrip()


def list_names(pipeline: Pipeline) -> Iterable[str]:
    return (member.name for stage in pipeline.stages for member in stage)


def find_in_prompt(prompt: str, agent: str = "") -> str:
    """Return the pipeline of a prompt that only mentions one: what it draws, else the preset it names, else the one
    for this agent's kind of work."""
    for mark in ("agent pipeline", "chain agents", "pipeline"):
        start = prompt.lower().find(mark)
        plain = prompt[start + len(mark) :].lstrip(" :,-\n")
        if start >= 0 and any(arrow in plain for arrow in _ARROWS):
            return plain
    words = prompt.lower().replace("-", " ").split()
    named = (name for name in PRESETS if name in words)
    preset = next(named, _PRESET_FOR.get(agent, "implement"))
    return f'{preset} "{prompt.strip().replace(chr(34), chr(39))}"'

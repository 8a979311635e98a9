"""Commands seen through what wraps them: assignments, interpreters, environments, coverage."""

import re

from ...core.gate import LINT, TEST
from .shell import Simple
from .tools import PROGRAMS, TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# A program that runs another one; where it also does other things, the words that make it one.
WRAPPERS: dict[str, tuple[str, ...]] = {
    "bundle": ("exec",),
    "bunx": (),
    "c8": (),
    "command": (),
    "coverage": ("run",),
    "cross-env": (),
    "cross-env-shell": (),
    "dotenv": (),
    "env": (),
    "exec": (),
    "hatch": ("run",),
    "nice": (),
    "npm": ("exec",),
    "npx": (),
    "nyc": (),
    "pdm": ("run",),
    "pipenv": ("run",),
    "pnpm": ("exec", "dlx"),
    "poetry": ("run",),
    "rye": ("run",),
    "time": (),
    "timeout": (),
    "uv": ("run",),
    "uvx": (),
    "xvfb-run": (),
    "yarn": ("exec", "dlx"),
}
DOORS = frozenset(
    ("bun", "composer", "just", "make", "npm", "npm-run-all", "pnpm", "run-p", "run-s", "yarn")
)
# What runs in there is not installed here.
_ELSEWHERE = frozenset(("docker", "docker-compose", "kubectl", "nerdctl", "podman", "vagrant"))
INTERPRETERS = frozenset(("node", "php", "python", "ruby", "tsx"))
_KNOWN = PROGRAMS | DOORS | INTERPRETERS | WRAPPERS.keys()
_KEYWORDS = frozenset(("!", "do", "else", "if", "then", "until", "while", "{"))
_ALIASES = {
    "_mocha": "mocha",
    "gmake": "make",
    "gradlew": "gradle",
    "jlpm": "yarn",
    "mvnw": "mvn",
    "npm-run-all2": "npm-run-all",
}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_PYTHON = re.compile(r"(python|pypy)[\d.]*")
_TEST_SCRIPT = re.compile(r"(?:run|all)?[-_]?tests?(?:[-_]?(?:suite|all|runner))?\.[cm]?(?:py|js)")
_TEST_MODULE = re.compile(r"[\w.]+\.tests?(?:\.(?:run|runtests|__main__))?")
_SUFFIX = re.compile(r"\.(exe|cmd|bat|[cm]?js|phar)$")

IDLE = frozenset((":", "cd", "echo", "exit", "false", "printf", "true"))
_WATCHERS = frozenset(
    ("chokidar", "entr", "nodemon", "ptw", "pytest-watch", "tsc-watch", "watchexec")
)
_WATCH_OPTIONS = frozenset(("--watch", "--watchAll", "--watch-all"))
# Elsewhere -w means a workspace, a word, or the number of workers.
_SHORT_WATCH = frozenset(("ava", "mocha", "rollup", "tap", "tsc", "tsup", "vitest", "webpack"))
_REWRITES = frozenset(("--apply", "--fix", "--fix-only", "--write", "--auto-correct", "-A"))
_FORMATTERS = frozenset(("black", "isort", "mix format", "ruff format", "rustfmt"))
_ONLY_LOOKS = frozenset(("--check", "--check-formatted", "--check-only", "--diff", "-c"))


class Step:
    """
    One command as it does its work: `kind` and `tool` are "" where the table has no row;
    `is_module` if an interpreter was told to run it by `-m`.
    """

    __slots__ = ("forgiven", "is_module", "kind", "program", "tool", "words")

    def __init__(self, simple: Simple) -> None:
        self.words = bare(simple.words)
        before = simple.words[: len(simple.words) - len(self.words)]
        self.is_module = before[-1:] == ["-m"]
        self.forgiven = simple.forgiven
        self.program = name(self.words[0]) if self.words else ""
        self.kind, self.tool = _identify(self.program, self.words)

    def watches(self) -> bool:
        options = set(self.words[1:])
        short = "-w" in options and self.program in _SHORT_WATCH
        return self.program in _WATCHERS or short or bool(options & _WATCH_OPTIONS)

    def python_script(self) -> str:
        """The script that Python is given, if its name is plain and inside the project."""
        words = self.words if self.words[0].endswith(".py") else self.words[1:]
        if self.program != "python" and words is not self.words:
            return ""
        first = next((word for word in words if not word.startswith("-")), "")
        plain = first.endswith(".py") and first[0] != "/" and not set(first) & set("$*{~")
        return first if plain and not {"-c", "-m"} & set(words) else ""

    def rewrites(self) -> bool:
        options = set(self.words[1:])
        formats = self.tool in _FORMATTERS and not options & _ONLY_LOOKS
        writes = bool(options & _REWRITES) or (self.tool == "prettier" and "-w" in options)
        return formats or (self.kind == LINT and writes)


def name(word: str) -> str:
    """A program's name from how it was called: `./node_modules/.bin/jest`, `python3.12`."""
    parts = word.split("/")
    if "node_modules" in parts[:-2]:
        after = parts[parts.index("node_modules") + 1]
        parts = parts if after == ".bin" or after.startswith("@") else [after]
    last = _SUFFIX.sub("", parts[-1])
    if _PYTHON.fullmatch(last):
        return "python"
    return _ALIASES.get(last, last)


def bare(words: "Sequence[str]") -> list[str]:
    """The words from the program on that does the work: no assignments, wrappers, interpreters."""
    rest = list(words)
    for _ in range(len(words)):
        shorter = _peeled(rest)
        if len(shorter) == len(rest):
            break
        rest = shorter
    return rest


def _peeled(words: list[str]) -> list[str]:
    if not words:
        return words
    head = name(words[0])
    if head in _KEYWORDS or _ASSIGNMENT.match(words[0]):
        return words[1:]
    if head in WRAPPERS:
        return _unwrapped(words, WRAPPERS[head])
    if head not in _KNOWN | _ELSEWHERE and words[1:2] in (["exec"], ["run"]):
        return _checked_inside(words)
    if head == "python":
        return _module(words)
    if head in INTERPRETERS and not {"--test", "--run"} & set(words):
        return _script(words)
    return words


def _unwrapped(words: list[str], needed: "Sequence[str]") -> list[str]:
    start = 1
    if needed:
        start = next((i + 1 for i, word in enumerate(words) if word in needed), 0)
    rest = words[start:] if start else []
    known = next((i for i, word in enumerate(rest) if name(word) in _KNOWN), None)
    if known is None:
        known = next((i for i, word in enumerate(rest) if not word.startswith("-")), None)
    return words if known is None else rest[known:]


def _checked_inside(words: list[str]) -> list[str]:
    """An unknown program that runs another one, if that is one that checks."""
    inner = next((i for i, word in enumerate(words) if name(word) in PROGRAMS), 0)
    return words[inner:]


def _module(words: list[str]) -> list[str]:
    """`python -m pytest -q` is pytest, `python manage.py test` is manage.py."""
    if "-m" in words[:-1]:
        return words[words.index("-m") + 1 :]
    return _script(words)


def _script(words: list[str]) -> list[str]:
    """A file given to an interpreter counts as the program if its name is that of a check."""
    first = next((i for i, word in enumerate(words[1:], 1) if not word.startswith("-")), None)
    known = first is not None and (name(words[first]) in PROGRAMS or _runs_tests(words[first]))
    return words[first:] if known else words


def _identify(program: str, words: "Sequence[str]") -> tuple[str, str]:
    for word in words[1:12]:
        found = TOOLS.get(f"{program} {word}")
        if found:
            return found
    return TOOLS.get(program, (TEST, "") if words and _runs_tests(words[0]) else ("", ""))


def _runs_tests(word: str) -> bool:
    """A program of the project's own that is named as its tests: `runtests.py`, `x.test`."""
    last = word.rpartition("/")[2]
    return bool(_TEST_SCRIPT.fullmatch(last) or _TEST_MODULE.fullmatch(last))

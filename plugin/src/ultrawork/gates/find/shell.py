"""Split shell text far enough to see which programs it starts: through wrappers (assignments, interpreters,
environments, coverage), and into the project's own programs, which are part of its definition."""

import shlex
from collections.abc import Iterator, Sequence

from ...core.patterns import compile_late
from ...core.permission.shell_lines import IN_QUOTES, split_shell_words
from ...core.toolchains import toolchain
from ...core.toolchains.toolchain import Toolchains, get_built_in
from ...core.value import Value, fresh
from ...core.verdict.gate import LINT, TEST

TEXT_LIMIT = 20_000
# Package managers that run scripts.
_MANAGERS = frozenset(get_built_in().ecosystems["node"].locks.values())
_REDIRECTIONS = frozenset("<>")
_FORGIVING = (["true"], [":"], ["exit", "0"])
_MAKE = compile_late(r"\$[({]MAKE[)}]")
# The number of a redirection is not a word: `2>&1`.
_NUMBERED = compile_late(r"(?<=\s)\d([<>])")
_CALL = compile_late(r"\$\([^()]*\)|`[^`]*`")


class SimpleCommand(Value):
    """One simple command. `forgiven`: its failure does not count (`… || true`). `output` is the file it writes to,
    `into` the words of the last command of its pipe."""

    words: list[str]
    forgiven: bool = False
    output: str = ""
    into: list[str] = fresh(list)


def split_lines(text: str) -> Iterator[str]:
    """Yield logical lines: continued ones joined, empty ones and comments left out."""
    for line in text[:TEXT_LIMIT].replace("\\\n", " ").split("\n"):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            yield stripped


def split_commands(line: str) -> list[SimpleCommand]:
    """Return the simple commands of one line, in order."""
    parts = [("", SimpleCommand([]))]
    redirected = ""
    for token in split_shell_words(_CALL.sub("$_", _MAKE.sub("make", _NUMBERED.sub(r"\1", line)))):
        if redirected:
            parts[-1][1].output = token.replace(IN_QUOTES, "") if ">" in redirected else parts[-1][1].output
            redirected = ""
        elif not _REDIRECTIONS.isdisjoint(token) and set(token) <= set("<>&|"):
            redirected = token
        elif token and set(token) <= set("();|&"):
            parts.append((token, SimpleCommand([])))
        else:
            parts[-1][1].words.append(token.replace(IN_QUOTES, ""))
    return _pair_with_next(parts)


def quote_words(words: Sequence[str]) -> str:
    return " ".join(word if _needs_no_quotes(word) else shlex.quote(word) for word in words)


def _pair_with_next(parts: list[tuple[str, SimpleCommand]]) -> list[SimpleCommand]:
    mark, after = "", SimpleCommand([])
    for before, simple_command in reversed(parts):
        simple_command.forgiven = mark == "||" and after.words in _FORGIVING
        simple_command.into = (after.into or after.words) if mark == "|" else []
        mark, after = before, simple_command
    return [command for _, command in parts if command.words]


def _needs_no_quotes(word: str) -> bool:
    """Words that need no quotes in a shell, and read better without."""
    return bool(word) and not set(word) & set(" \t\n'\"\\$`*?[]{}()<>|&;!#~")


# Programs that run another one; with other uses too, the words that make them one.
WRAPPERS: dict[str, list[str]] = {
    **{name: [] for name in ("c8", "command", "cross-env", "cross-env-shell", "dotenv", "env", "exec", "nice", "nyc")},
    **{name: [] for name in ("time", "timeout", "xvfb-run")},
    "coverage": ["run"],
    **get_built_in().list_starters(),
}
# Options of wrappers whose value may look like a program.
_VALUED = frozenset(("--extra", "--from", "--group", "--only-group", "--package", "--with", "-E", "-G"))
SCRIPT_RUNNERS = frozenset(
    ("composer", "just", "lefthook", "make", "npm-run-all", "poe", "run-p", "run-s", "task", *_MANAGERS)
)
# What runs in there is not installed here.
_ELSEWHERE = frozenset(("docker", "docker-compose", "kubectl", "nerdctl", "podman", "vagrant"))
INTERPRETERS = frozenset(("node", "php", "python", "ruby", "tsx"))
# Programs that check something.
PROGRAMS = frozenset(call.partition(" ")[0] for call in get_built_in().calls)
# They count as tests because most of their environments are.
ENVIRONMENTS = frozenset(get_built_in().collect("wraps"))
_KNOWN = PROGRAMS | SCRIPT_RUNNERS | INTERPRETERS | WRAPPERS.keys()
_KEYWORDS = frozenset(("!", "do", "else", "if", "then", "until", "while", "{"))
_ALIASES: dict[str, str] = {
    "gmake": "make",
    "jlpm": "yarn",
    "npm-run-all2": "npm-run-all",
    **{
        alias: get_built_in().tables[name]["calls"][0].partition(" ")[0]
        for name, aliases in get_built_in().collect("aliases").items()
        for alias in aliases
    },
}
_ASSIGNMENT = compile_late(r"[A-Za-z_]\w*=")
_PYTHON = compile_late(r"(python|pypy)[\d.]*")
_TEST_SCRIPT = compile_late(r"(?:run|all)?[-_]?tests?(?:[-_]?(?:suite|all|runner))?\.[cm]?(?:py|js)")
_TEST_MODULE = compile_late(r"[\w.]+\.tests?(?:\.(?:run|runtests|__main__))?")
_SUFFIX = compile_late(r"\.(exe|cmd|bat|[cm]?js|phar)$")

IDLE = frozenset((":", "cd", "echo", "exit", "false", "printf", "true"))
_WATCHERS = frozenset(("chokidar", "entr", "nodemon", "ptw", "pytest-watch", "tsc-watch", "watchexec"))
_WATCH_OPTIONS = frozenset(("--watch", "--watchAll", "--watch-all"))
# Elsewhere -w means a workspace, a word, or the number of workers.
_SHORT_WATCH = frozenset(("rollup", "tsup", "webpack", *get_built_in().collect("short_watch")))
_REWRITES = frozenset(("--apply", "--fix", "--fix-only", "--write", "--auto-correct", "-A"))
_FORMATTERS = frozenset(get_built_in().collect("rewrites"))
_ONLY_LOOKS = frozenset(("--check", "--check-formatted", "--check-only", "--diff", "-c"))


class CommandStep:
    """
    One effective command. `kind` and `tool` are "" if the table has no row. `is_module`: an interpreter runs it
    by `-m`. `launcher`: the word that the shell itself starts.
    """

    def __init__(self, simple: SimpleCommand, known: Toolchains) -> None:
        self.words = unwrap_words(simple.words)
        before = simple.words[: len(simple.words) - len(self.words)]
        self.is_module = before[-1:] == ["-m"]
        self.launcher = next((word for word in simple.words if not _is_prefix(word)), "")
        self.forgiven = simple.forgiven
        self.program = get_program_name(self.words[0]) if self.words else ""
        self.kind, self.tool = _identify(self.program, self.words, known)

    def is_watching(self) -> bool:
        options = set(self.words[1:])
        short = "-w" in options and self.program in _SHORT_WATCH
        return self.program in _WATCHERS or short or bool(options & _WATCH_OPTIONS)

    def find_partial_option(self) -> str:
        """Return the option that makes it run only some tests; empty if it runs all."""
        return toolchain.find_partial_option(self.tool or self.program, self.words)

    def get_python_script(self) -> str:
        """Return the script that Python runs, if its name is plain and inside the project."""
        words = self.words if self.words[0].endswith(".py") else self.words[1:]
        if self.program != "python" and words is not self.words:
            return ""
        first = next((word for word in words if not word.startswith("-")), "")
        plain = first.endswith(".py") and first[0] != "/" and not set(first) & set("$*{~")
        return first if plain and not {"-c", "-m"} & set(words) else ""

    def is_rewriting(self) -> bool:
        options = set(self.words[1:])
        formats = self.tool in _FORMATTERS and not options & _ONLY_LOOKS
        writes = bool(options & _REWRITES) or (self.tool == "prettier" and "-w" in options)
        return formats or (self.kind == LINT and writes)


def _is_prefix(word: str) -> bool:
    return word in _KEYWORDS or bool(_ASSIGNMENT.match(word))


def get_program_name(word: str) -> str:
    """A program's name from how it was called: `./node_modules/.bin/jest`, `python3.12`."""
    parts = word.split("/")
    if "node_modules" in parts[:-2]:
        after = parts[parts.index("node_modules") + 1]
        parts = parts if after == ".bin" or after.startswith("@") else [after]
    last = _SUFFIX.sub("", parts[-1])
    if _PYTHON.fullmatch(last):
        return "python"
    return _ALIASES.get(last, last)


def unwrap_words(words: Sequence[str]) -> list[str]:
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
    head = get_program_name(words[0])
    if _is_prefix(words[0]):
        return words[1:]
    if head in WRAPPERS:
        return _unwrapped(words, WRAPPERS[head])
    if head not in _KNOWN | _ELSEWHERE and words[1:2] in (["exec"], ["run"]):
        # Return the checking program that an unknown program runs.
        inner = next((i for i, word in enumerate(words) if get_program_name(word) in PROGRAMS), 0)
        return words[inner:]
    if head == "python":
        # `python -m pytest -q` is pytest, `python manage.py test` is manage.py.
        if "-m" in words[:-1]:
            return words[words.index("-m") + 1 :]
        return _unwrap_script(words)
    if head in INTERPRETERS and not {"--test", "--run"} & set(words):
        return _unwrap_script(words)
    return words


def _unwrapped(words: list[str], needed: Sequence[str]) -> list[str]:
    start = 1
    if needed:
        start = next((i + 1 for i, word in enumerate(words) if word in needed), 0)
    rest = words[start:] if start else []
    programs = [i for i, word in enumerate(rest) if get_program_name(word) in _KNOWN]
    known = next((i for i in programs if i == 0 or rest[i - 1] not in _VALUED), None)
    if known is None:
        known = next((i for i, word in enumerate(rest) if not word.startswith("-")), None)
    return words if known is None else rest[known:]


def _unwrap_script(words: list[str]) -> list[str]:
    """Return the file that an interpreter runs as the program, if its name is that of a check."""
    first = next((i for i, word in enumerate(words[1:], 1) if not word.startswith("-")), None)
    known = first is not None and (get_program_name(words[first]) in PROGRAMS or _runs_tests(words[first]))
    return words[first:] if known else words


def _identify(program: str, words: Sequence[str], known: Toolchains) -> tuple[str, str]:
    for word in words[1:12]:
        call = known.calls.get(f"{program} {word}")
        if call:
            return call
    return known.calls.get(program, (TEST, "") if words and _runs_tests(words[0]) else ("", ""))


def _runs_tests(word: str) -> bool:
    """Return whether a project's own program is named like a test suite: `runtests.py`, `x.test`."""
    last = word.rpartition("/")[2]
    return bool(_TEST_SCRIPT.fullmatch(last) or _TEST_MODULE.fullmatch(last))

"""
Which commands may run without asking the person: a small table, and nothing beside it.

A command is in it only if its text is one simple command of literal words (`core.shellsafe`), its program
and subcommand are listed, and every further word is a listed flag or a place inside the worktree. `READ`
changes nothing. `CHECK` is one of a project's own checks: it executes what stands in the worktree, so it
may run only where the person has allowed that very command.
"""

from . import shellsafe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

READ = "read"
CHECK = "check"
# Fields of the client's shell tool that change nothing about what its command does.
_FIELDS = frozenset(("command", "description", "timeout", "run_in_background"))


class Rule:
    """
    `flags` are exact words, `valued` are flags written `--flag=value`, `letters` may stand together
    behind one dash, `places` says whether anything but flags may follow, `needs` are flags of which
    one must be there.
    """

    __slots__ = ("flags", "kind", "letters", "needs", "places", "valued")

    def __init__(
        self,
        kind: str,
        *,
        flags: str = "",
        valued: str = "",
        letters: str = "",
        places: bool = False,
        needs: str = "",
    ) -> None:
        self.kind = kind
        self.flags = frozenset((*flags.split(), *needs.split()))
        self.valued = frozenset(valued.split())
        self.letters = frozenset(letters)
        self.places = places
        self.needs = frozenset(needs.split())

    def covers(self, rest: "Sequence[str]") -> bool:
        needed = not self.needs or any(word in self.needs for word in rest)
        return needed and all(self._covers(word) for word in rest)

    def _covers(self, word: str) -> bool:
        if not word.startswith("-"):
            return self.places and is_inside(word)
        name, sign, value = word.partition("=")
        if word in self.flags or (sign and name in self.valued):
            # Both ask git to run the program that checks signatures.
            return "%G" not in value and "signature" not in value
        return len(word) > 1 and self.letters.issuperset(word[1:])


def is_inside(word: str) -> bool:
    """
    A place in the worktree, a revision or a pattern: never a path that leads out, never the `@file`
    of which several programs take further arguments.
    """
    return bool(word) and word[0] not in "/~@" and ".." not in word.split("/")


def kind(command: str) -> str:
    """What a command is in this table; empty for everything that is not in it."""
    words = simple(command)
    for length in (3, 2, 1):
        rule = TABLE.get(tuple(words[:length]))
        if rule is not None and len(words) >= length:
            return rule.kind if rule.covers(words[length:]) else ""
    return ""


def simple(command: str) -> list[str]:
    """The words of a simple command; none if it is more than that."""
    words = shellsafe.words(command) or []
    return ["git", *words[2:]] if words[:2] == ["git", "--no-pager"] else words


def command_of(tool: str, given: "Mapping[str, object]") -> str:
    """The command of a call of the client's own shell; empty if it is another tool, or asks for more."""
    command = given.get("command")
    if tool != "Bash" or not isinstance(command, str) or not _FIELDS.issuperset(given):
        return ""
    return command.strip(" ")


_DIFF = (
    "--stat --shortstat --numstat --summary --name-only --name-status --patch -p --no-patch -s -w -b --check"
    " --no-color --no-ext-diff --no-textconv --no-renames --word-diff --cached --staged --"
)
_DIFF_VALUED = "--stat --unified --diff-filter --color --word-diff --diff-algorithm --find-renames"
_LOG = (
    "--oneline --graph --all --decorate --no-decorate --no-merges --merges --first-parent --follow --reverse"
    " --branches --tags --remotes --abbrev-commit -n -i"
)
_LOG_VALUED = (
    "--format --pretty --since --until --after --before --author --committer --grep --max-count --skip --date"
    " --decorate --abbrev"
)
_HISTORY = Rule(
    READ,
    flags=f"{_LOG} {_DIFF}",
    valued=f"{_LOG_VALUED} {_DIFF_VALUED}",
    letters="0123456789",
    places=True,
)
_PYTEST = Rule(
    CHECK,
    flags="-q -qq -v -vv -x -l -k -m --exitfirst --last-failed --lf --failed-first --ff --no-header"
    " --collect-only --strict-markers",
    valued="--tb --maxfail --durations --timeout --color",
    places=True,
)
_SCRIPT = Rule(CHECK, flags="--silent -s")
_CARGO = Rule(
    CHECK,
    flags="--all --workspace --all-targets --all-features --no-default-features --release --locked --offline"
    " --frozen --quiet -q --verbose -v --lib --bins --tests --examples --doc --no-run --no-fail-fast",
    valued="--package --features --test --bin --jobs --message-format",
    places=True,
)
_GO = Rule(
    CHECK,
    flags="-v -race -short -failfast -json",
    valued="-run -count -timeout -tags -parallel -p",
    places=True,
)
_OWN = Rule(READ, flags="--json --all --markdown", valued="--since", places=True)
_RUNNERS = ("npm", "pnpm", "yarn", "bun")
_SCRIPTS = ("test", "lint", "build", "check", "typecheck", "type-check")
_TARGETS = ("test", "tests", "check", "lint", "typecheck", "types")

_LOOKING: "dict[tuple[str, ...], Rule]" = {
    ("git", "status"): Rule(
        READ,
        flags="-s --short -b --branch -sb --long --porcelain -uno -uall -unormal --ignored --",
        valued="--porcelain --untracked-files --ignored --column",
        places=True,
    ),
    ("git", "diff"): Rule(READ, flags=_DIFF, valued=_DIFF_VALUED, places=True),
    ("git", "log"): _HISTORY,
    ("git", "show"): _HISTORY,
    ("git", "branch"): Rule(
        READ,
        flags="-a -r -v -vv -av -avv --all --remotes --list --verbose --show-current --no-color --merged --no-merged",
        valued="--sort --format",
    ),
    ("git", "tag"): Rule(READ, flags="-l --list", valued="--sort --format"),
    ("git", "remote"): Rule(READ, flags="-v --verbose"),
    ("git", "stash", "list"): Rule(READ),
    ("git", "rev-parse"): Rule(
        READ,
        flags="--show-toplevel --show-prefix --show-cdup --git-dir --is-inside-work-tree --abbrev-ref --short"
        " --verify --quiet -q",
        valued="--abbrev-ref --short",
        places=True,
    ),
    ("git", "ls-files"): Rule(
        READ,
        flags="--others --cached --modified --deleted --exclude-standard --stage -o -c -m -d -s -z --",
        places=True,
    ),
    ("git", "blame"): Rule(READ, flags="-w -s -e --", valued="--date", places=True),
    ("git", "describe"): Rule(READ, flags="--tags --always --long --all", valued="--abbrev", places=True),
    ("ls",): Rule(
        READ,
        flags="--all --almost-all --recursive --human-readable --",
        valued="--color --sort --time",
        letters="aAbBcdfFgGhiIklmnNopqQrRsStTuUvxX1",  # not H and L: they follow links out of the worktree
        places=True,
    ),
    ("pwd",): Rule(READ, flags="-P -L"),
    **{("ultrawork", verb): _OWN for verb in ("status", "why", "version")},
    **{("ultrawork", noun, "list"): _OWN for noun in ("session", "task", "gates", "evidence")},
    ("ultrawork", "evidence", "show"): _OWN,
}  # fmt: skip
_CHECKING: "dict[tuple[str, ...], Rule]" = {
    ("pytest",): _PYTEST,
    ("python", "-m", "pytest"): _PYTEST,
    ("python3", "-m", "pytest"): _PYTEST,
    ("tsc",): Rule(
        CHECK, needs="--noEmit", flags="-p --project --strict --pretty --skipLibCheck", places=True
    ),
    ("eslint",): Rule(
        CHECK, flags="--quiet --no-color --color --no-fix", valued="--max-warnings --ext", places=True
    ),
    ("prettier",): Rule(CHECK, flags="--check -c --list-different -l", places=True),
    ("ruff", "check"): Rule(
        CHECK, flags="--no-fix --no-cache --quiet -q", valued="--output-format", places=True
    ),
    ("ruff", "format"): Rule(CHECK, needs="--check --diff", flags="--no-cache --quiet -q", places=True),
    ("black",): Rule(CHECK, needs="--check --diff", flags="--quiet -q", places=True),
    ("mypy",): Rule(CHECK, flags="--strict --no-color-output --no-incremental", places=True),
    ("cargo", "fmt"): Rule(CHECK, needs="--check", flags="--all"),
    **{("cargo", verb): _CARGO for verb in ("test", "check", "clippy", "build")},
    **{("go", verb): _GO for verb in ("test", "vet")},
    **{(program, "test"): _SCRIPT for program in _RUNNERS},
    **{(program, "run", script): _SCRIPT for program in _RUNNERS for script in _SCRIPTS},
    **{("make", target): Rule(CHECK, flags="-s -k") for target in _TARGETS},
    **{("just", target): Rule(CHECK) for target in _TARGETS},
}  # fmt: skip
# The first words of a command, and what may follow them.
TABLE = {**_LOOKING, **_CHECKING}

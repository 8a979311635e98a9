"""Which commands may run without asking the user: a small table, and nothing else. A command is in it only if its text
is one simple command of literal words, its program and subcommand are listed, and every further word is a listed flag
or a path inside the worktree. `READ` changes nothing. `CHECK` is one of the project's own checks: it executes code of
the worktree, so it runs only if the user allowed that exact command.

Words are read strictly: anything that may have a special meaning in bash or zsh is refused. Bare words are letters,
digits and a few signs; quoted text is literal; nothing is expanded, so what is judged is what runs.

Git starts what a repository's settings name: file monitors, diff and filter programs, pagers, hooks, transports, also
through included files. So only settings that are known to start nothing are harmless, and text that is not understood
exactly is not."""

from collections.abc import Mapping, Sequence
from re import match

READ = "read"
CHECK = "check"
# Fields of the client's shell tool that do not change what its command does.
_FIELDS = frozenset(("command", "description", "timeout", "run_in_background"))


class CommandRule:
    """One row. `flags` are exact words, `valued` are flags written `--flag=value`, `letters` may be combined after one
    dash, `places` says whether other words may follow, and one flag of `needs` is required."""

    def __init__(
        self, kind: str, *, flags: str = "", valued: str = "", letters: str = "", places: bool = False, needs: str = ""
    ) -> None:
        self.kind = kind
        self.flags = frozenset((*flags.split(), *needs.split()))
        self.valued = frozenset(valued.split())
        self.letters = frozenset(letters)
        self.places = places
        self.needs = frozenset(needs.split())

    def covers(self, rest: Sequence[str]) -> bool:
        needed = not self.needs or any(word in self.needs for word in rest)
        return needed and all(self._covers(word) for word in rest)

    def _covers(self, word: str) -> bool:
        if not word.startswith("-"):
            return self.places and is_inside(word)
        name, sign, value = word.partition("=")
        if word in self.flags or (sign and name in self.valued):
            # Both make git run the program that checks signatures.
            return "%G" not in value and "signature" not in value
        return len(word) > 1 and self.letters.issuperset(word[1:])


def is_inside(word: str) -> bool:
    """Return whether a word is a path in the worktree, a revision or a pattern: never a path that leads out, never
    `@file`, from which several programs read further arguments."""
    return bool(word) and word[0] not in "/~@" and ".." not in word.split("/")


def classify(command: str) -> str:
    """Return a command's kind in this table; empty if it is not in it."""
    words = split_command(command)
    for length in (3, 2, 1):
        rule = TABLE.get(tuple(words[:length]))
        if rule is not None and len(words) >= length:
            return rule.kind if rule.covers(words[length:]) else ""
    return ""


def split_command(command: str) -> list[str]:
    """Return the words of a simple command; none if it is more than that."""
    words = read_literal_words(command) or []
    return ["git", *words[2:]] if words[:2] == ["git", "--no-pager"] else words


def read_command(tool: str, given: Mapping[str, object]) -> str:
    """Return the command of the client's own shell tool; empty for another tool or further options."""
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
_HISTORY = CommandRule(
    READ, flags=f"{_LOG} {_DIFF}", valued=f"{_LOG_VALUED} {_DIFF_VALUED}", letters="0123456789", places=True
)
_PYTEST = CommandRule(
    CHECK,
    flags="-q -qq -v -vv -x -l -k -m --exitfirst --last-failed --lf --failed-first --ff --no-header"
    " --collect-only --strict-markers",
    valued="--tb --maxfail --durations --timeout --color",
    places=True,
)
_SCRIPT = CommandRule(CHECK, flags="--silent -s")
_CARGO = CommandRule(
    CHECK,
    flags="--all --workspace --all-targets --all-features --no-default-features --release --locked --offline"
    " --frozen --quiet -q --verbose -v --lib --bins --tests --examples --doc --no-run --no-fail-fast",
    valued="--package --features --test --bin --jobs --message-format",
    places=True,
)
_GO = CommandRule(
    CHECK, flags="-v -race -short -failfast -json", valued="-run -count -timeout -tags -parallel -p", places=True
)
_OWN = CommandRule(READ, flags="--json --all --markdown", valued="--since", places=True)
_PAGES = CommandRule(READ, flags="--json --skill --agent --skills --agents --own --review", places=True)
_RUNNERS = ("npm", "pnpm", "yarn", "bun")
_SCRIPTS = ("test", "lint", "build", "check", "typecheck", "type-check")
_TARGETS = ("test", "tests", "check", "lint", "typecheck", "types")

_LOOKING: dict[tuple[str, ...], CommandRule] = {
    ("git", "status"): CommandRule(
        READ,
        flags="-s --short -b --branch -sb --long --porcelain -uno -uall -unormal --ignored --",
        valued="--porcelain --untracked-files --ignored --column",
        places=True,
    ),
    ("git", "diff"): CommandRule(READ, flags=_DIFF, valued=_DIFF_VALUED, places=True),
    ("git", "log"): _HISTORY,
    ("git", "show"): _HISTORY,
    ("git", "branch"): CommandRule(
        READ,
        flags="-a -r -v -vv -av -avv --all --remotes --list --verbose --show-current --no-color --merged --no-merged",
        valued="--sort --format",
    ),
    ("git", "tag"): CommandRule(READ, flags="-l --list", valued="--sort --format"),
    ("git", "remote"): CommandRule(READ, flags="-v --verbose"),
    ("git", "stash", "list"): CommandRule(READ),
    ("git", "rev-parse"): CommandRule(
        READ,
        flags="--show-toplevel --show-prefix --show-cdup --git-dir --is-inside-work-tree --abbrev-ref --short"
        " --verify --quiet -q",
        valued="--abbrev-ref --short",
        places=True,
    ),
    ("git", "ls-files"): CommandRule(
        READ,
        flags="--others --cached --modified --deleted --exclude-standard --stage -o -c -m -d -s -z --",
        places=True,
    ),
    ("git", "blame"): CommandRule(READ, flags="-w -s -e --", valued="--date", places=True),
    ("git", "describe"): CommandRule(READ, flags="--tags --always --long --all", valued="--abbrev", places=True),
    ("ls",): CommandRule(
        READ,
        flags="--all --almost-all --recursive --human-readable --",
        valued="--color --sort --time",
        letters="aAbBcdfFgGhiIklmnNopqQrRsStTuUvxX1",  # not H and L: they follow links out of the worktree
        places=True,
    ),
    ("pwd",): CommandRule(READ, flags="-P -L"),
    **{("ultrawork", verb): _OWN for verb in ("status", "why", "version")},
    **{("ultrawork", noun, "list"): _OWN for noun in ("session", "task", "gates", "evidence")},
    ("ultrawork", "evidence", "show"): _OWN,
    **{("ultrawork", "content", noun): _PAGES for noun in ("show", "list", "try")},
    ("ultrawork", "route"): _PAGES,
}
_CHECKING: dict[tuple[str, ...], CommandRule] = {
    ("pytest",): _PYTEST,
    ("python", "-m", "pytest"): _PYTEST,
    ("python3", "-m", "pytest"): _PYTEST,
    ("tsc",): CommandRule(CHECK, needs="--noEmit", flags="-p --project --strict --pretty --skipLibCheck", places=True),
    ("eslint",): CommandRule(
        CHECK, flags="--quiet --no-color --color --no-fix", valued="--max-warnings --ext", places=True
    ),
    ("prettier",): CommandRule(CHECK, flags="--check -c --list-different -l", places=True),
    ("ruff", "check"): CommandRule(
        CHECK, flags="--no-fix --no-cache --quiet -q", valued="--output-format", places=True
    ),
    ("ruff", "format"): CommandRule(CHECK, needs="--check --diff", flags="--no-cache --quiet -q", places=True),
    ("black",): CommandRule(CHECK, needs="--check --diff", flags="--quiet -q", places=True),
    ("mypy",): CommandRule(CHECK, flags="--strict --no-color-output --no-incremental", places=True),
    ("cargo", "fmt"): CommandRule(CHECK, needs="--check", flags="--all"),
    **{("cargo", verb): _CARGO for verb in ("test", "check", "clippy", "build")},
    **{("go", verb): _GO for verb in ("test", "vet")},
    **{(program, "test"): _SCRIPT for program in _RUNNERS},
    **{(program, "run", script): _SCRIPT for program in _RUNNERS for script in _SCRIPTS},
    **{("make", target): CommandRule(CHECK, flags="-s -k") for target in _TARGETS},
    **{("just", target): CommandRule(CHECK) for target in _TARGETS},
}
# The first words of a command, and what may follow them.
TABLE = {**_LOOKING, **_CHECKING}


LONGEST = 2_000
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%")
# Special even inside double quotes.
_LIVE = frozenset('$`\\!"')
_QUOTES = "'\""


def read_literal_words(text: str) -> list[str] | None:
    """Return the words of a simple command; None if the text could be anything more than that."""
    text = text.strip(" ")
    if not text or len(text) > LONGEST:
        return None
    words: list[str] = []
    place = 0
    while place < len(text):
        if text[place] == " ":
            place += 1
            continue
        word, place = _word(text, place)
        if word is None:
            return None
        words.append(word)
    return words if _is_plain_start(text, words[0]) else None


def _word(text: str, place: int) -> tuple[str | None, int]:
    """Return the word that begins here and its end; None if it is not literal."""
    begin, parts = place, ""
    while place < len(text) and text[place] != " ":
        if text[place] in _QUOTES:
            inner = _quoted(text, place)
            if inner is None:
                return None, place
            parts += inner
            place += len(inner) + 2
        elif text[place] in _BARE:
            parts += text[place]
            place += 1
        else:
            return None, place
    # zsh expands `=name` to the path of a program.
    return (None if text[begin] == "=" else parts), place


def _quoted(text: str, place: int) -> str | None:
    quote = text[place]
    inner, closed, _ = text[place + 1 :].partition(quote)
    if not closed or not inner.isprintable():
        return None
    return inner if quote == "'" or _LIVE.isdisjoint(inner) else None


def _is_plain_start(text: str, first: str) -> bool:
    """Return whether the program is named bare: no assignment before it, no quotes, no keyword sign."""
    return text.startswith(first) and "=" not in first and first[:1].isalpha()


# By section; a subsection (`branch "main"`) makes no difference.
HARMLESS = {
    "branch": "description gh-merge-base merge pushremote rebase remote vscode-merge-base",
    "color": "auto branch diff grep interactive status ui",
    "commit": "gpgsign",
    "core": "abbrev autocrlf bare bigfilethreshold checkstat commentchar commitgraph compression eol filemode"
    " ignorecase logallrefupdates longpaths multipackindex precomposeunicode preloadindex protecthfs protectntfs"
    " quotepath repositoryformatversion safecrlf sparsecheckout sparsecheckoutcone symlinks trustctime untrackedcache"
    " whitespace",
    "diff": "algorithm colormoved context mnemonicprefix noprefix renames",
    "extensions": "objectformat refstorage worktreeconfig",
    "fetch": "prune prunetags",
    "gc": "auto autodetach pruneexpire reflogexpire",
    "index": "threads version",
    "init": "defaultbranch",
    "log": "abbrevcommit date decorate",
    "merge": "conflictstyle ff",
    "pull": "ff rebase",
    "push": "autosetupremote default followtags",
    "rebase": "autosquash autostash",
    "remote": "fetch prune pushurl tagopt url",
    "rerere": "autoupdate enabled",
    "status": "showuntrackedfiles",
    "tag": "gpgsign",
    "user": "email name signingkey",
}
_KNOWN = {f"{section}.{key}" for section, keys in HARMLESS.items() for key in keys.split()}


def are_harmless(text: str) -> bool:
    section = ""
    for line in text.removeprefix("\ufeff").splitlines():
        rest = line.strip()
        if rest.startswith("["):
            section, rest = _read_section(rest)
            if not section:
                return False
        if rest and rest[0] not in "#;" and not _is_harmless(section, rest):
            return False
    return "\0" not in text


def _read_section(line: str) -> tuple[str, str]:
    """Return the section's name in lowercase and the rest of the line; no name if it is not a plain one."""
    section = match(r'\[([A-Za-z][A-Za-z0-9-]*)(?:[ \t]+"(?:[^"\\]|\\.)*")?\][ \t]*(.*)$', line)
    return (section[1].lower(), section[2]) if section else ("", "")


def _is_harmless(section: str, line: str) -> bool:
    """Return whether a setting is harmless; values that continue on the next line are not."""
    key = line.partition("=")[0].strip().lower()
    return f"{section}.{key}" in _KNOWN and not line.endswith("\\")

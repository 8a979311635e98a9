"""Find the user's lost work: which uncommitted hunks were undone, and whether a command can have done it.

A hunk is undone if its place in the file is back to the committed text. Editing these lines is not a loss: only
commands that discard work are, so the trace must contain one that reaches the file."""

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from fnmatch import fnmatchcase

from ..value import Value

HUNK, FILE, IGNORED, STASH, COMMIT = "hunk", "file", "ignored", "stash", "commit"
# A longer file is compared as a whole: matching its lines takes too long.
_MOST_LINES = 20_000
# A file counts as moved if this share of its lines is in a new file.
_MOVED = 0.5
_SEPARATORS = (";", "&&", "||", "|", "&", "\n", "(", ")")
# Git commands that undo work everywhere, those that do with one of these flags, and those that name paths.
_EVERYWHERE = ("stash", "clean")
_WITH_FLAGS = {
    "reset": ("--hard", "--merge", "--keep"),
    "checkout": ("-f", "--force"),
    "switch": ("-f", "--force", "--discard-changes"),
}
_WITH_PATHS = ("checkout", "restore", "rm")
_LONGEST = 500


class LostFile(Value):
    """Lost work. `path` is what `ultrawork restore` takes: a file, `stash@{0}` or a branch. `held`: its content still
    exists, in our store or the repository. `source` is the tree, hash or commit that has it."""

    path: str
    kind: str
    held: bool
    source: str = ""


class Hunk(Value):
    """Lines of a committed file, and what the user had put in their place."""

    removed: list[str]
    added: list[str]


def find_undone_hunks(committed: Sequence[str], before: Sequence[str], now: Sequence[str]) -> list[Hunk]:
    """Return the user's hunks that are gone: the committed lines are back, or none of the added lines is left. Lines
    that moved within the file are not lost."""
    if max(len(committed), len(before), len(now)) > _MOST_LINES:
        return [Hunk(list(committed), list(before))] if list(now) == list(committed) else []
    kept = _find_kept(SequenceMatcher(None, committed, now, autojunk=False).get_matching_blocks())
    known = {line.strip() for line in now}
    undone_hunks = []
    hunks = SequenceMatcher(None, committed, before, autojunk=False).get_opcodes()
    for tag, i1, i2, j1, j2 in hunks:
        added = {line.strip() for line in before[j1:j2]} - {""}
        if tag == "equal" or (added and added <= known):
            continue
        if _is_back(i1, i2, kept) if i1 < i2 else not added & known:
            undone_hunks.append(Hunk(list(committed[i1:i2]), list(before[j1:j2])))
    return undone_hunks


def _find_kept(blocks: Iterable[tuple[int, int, int]]) -> dict[int, int]:
    """Return the current position of each committed line that still exists."""
    return {i + n: j + n for i, j, size in blocks for n in range(size)}


def _is_back(start: int, end: int, kept: dict[int, int]) -> bool:
    """Return whether these committed lines stand there again, with nothing in between."""
    places = [kept.get(line, -1) for line in range(start, end)]
    first = places[0]
    return first >= 0 and places == list(range(first, first + len(places)))


def is_found_in(before: str, others: Iterable[str]) -> bool:
    """Return whether a file lives on in one of these."""
    lines = {line.strip() for line in before.splitlines() if line.strip()}
    if not lines:
        return True
    shared = (len(lines & {line.strip() for line in text.splitlines()}) for text in others)
    return any(count >= _MOVED * len(lines) for count in shared)


def can_undo(command: str, path: str) -> bool:
    """Return whether a command throws away uncommitted work in this file; one that was cut short may."""
    return len(command) >= _LONGEST or any(_reaches(words, path) for words in _split(command))


def _split(command: str) -> Iterable[list[str]]:
    for separator in _SEPARATORS:
        command = command.replace(separator, " \0 ")
    words: list[str] = []
    for word in [*command.split(" "), "\0"]:
        if word == "\0":
            yield words
            words = []
        elif word:
            words.append(word.strip("'\""))


def _reaches(words: Sequence[str], path: str) -> bool:
    names = [word.rpartition("/")[2] for word in words]
    if "git" in names:
        verbs = words[names.index("git") + 1 :]
        return any(_does(verb, verbs[at + 1 :], path) for at, verb in enumerate(verbs))
    return "rm" in names and _names(words[names.index("rm") + 1 :], path)


def _does(verb: str, rest: Sequence[str], path: str) -> bool:
    if verb in _EVERYWHERE or any(flag in rest for flag in _WITH_FLAGS.get(verb, ())):
        return True
    return verb in _WITH_PATHS and _names(rest, path)


def _names(words: Sequence[str], path: str) -> bool:
    """Return whether one of these words means the file, from whichever folder."""
    for word in words:
        plain = word.removeprefix("./").rstrip("/")
        if plain in (".", "", "*", ":/") and word and not word.startswith("-"):
            return True
        inside = path == plain or path.startswith(f"{plain}/") or path.endswith(f"/{plain}")
        if inside or plain.endswith(f"/{path}") or fnmatchcase(path, plain) or f"/{plain}/" in path:
            return True
    return False

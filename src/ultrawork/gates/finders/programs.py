"""Programs of the project's own that a command starts: what they say is part of its definition."""

from .shell import commands, lines
from .steps import INTERPRETERS, bare, name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .place import Place

MANY = 20
_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "source", "."))
_ITSELF_A_RUNNER = frozenset(("-m", "-c", "-e", "--test", "--eval"))


def note_scripts(found: dict[str, str], place: "Place", words: "Sequence[str]") -> None:
    """Adds path and text of the script that these words start, and of those that it starts."""
    path = _script(place, words)
    text = place.read(path) if path else None
    if text is None or place.path(path) in found or len(found) >= MANY:
        return
    found[place.path(path)] = text
    if path.endswith(".sh") or _is_shell(text):
        for line in lines(text):
            for simple in commands(line):
                note_scripts(found, place, simple.words)


def _script(place: "Place", words: "Sequence[str]") -> str:
    """The file that is run: the first word, or what a shell or an interpreter is given first."""
    rest = bare(words)
    if not rest:
        return ""
    if name(rest[0]) not in _SHELLS | INTERPRETERS:
        return _own(place, rest[0])
    given = [word for word in rest[1:] if not word.startswith("-")]
    return "" if _ITSELF_A_RUNNER & set(rest) or not given else _own(place, given[0])


def _own(place: "Place", word: str) -> str:
    path = word.removeprefix("./")
    foreign = "node_modules" in path or path.startswith((".venv/", "venv/", "/"))
    if foreign or not ("." in path or "/" in path) or not place.exists(path):
        return ""
    from ..tests import is_test_path

    # Tests that are started one by one are tests, not the way to run them.
    return "" if is_test_path(path) else path


def _is_shell(text: str) -> bool:
    first = text.partition("\n")[0]
    return first.startswith("#!") and first.rstrip().endswith("sh")

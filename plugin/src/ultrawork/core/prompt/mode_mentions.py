"""Find words of the modes in a prompt, and which of them belong together."""

from ..value import Value
from . import mode_words as table
from .sentence import find_word_after, find_word_before, find_words, is_alone, skip_word, skip_word_back

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# By name: importing the modes would cost every prompt that says `my team`.
AUTOPILOT, PIPELINE, RALPH, TEAM, ULTRAWORK = "autopilot", "pipeline", "ralph", "team", "ultrawork"
CANCEL = "cancel"
# What mode words can be.
ORDER, AMBIGUOUS, NEITHER = "order", "ambiguous", ""


class ModeWords(Value):
    """Adjacent mode words. `own`: one of them has no other meaning. `telling`: one refers to agents by itself."""

    names: tuple[str, ...]
    start: int
    end: int
    own: bool
    telling: bool

    def join(self, mode_words: "ModeWords") -> "ModeWords":
        names = (*self.names, *(name for name in mode_words.names if name not in self.names))
        own, telling = self.own or mode_words.own, self.telling or mode_words.telling
        return ModeWords(names, self.start, mode_words.end, own=own, telling=telling)

    @property
    def named(self) -> list[str]:
        return [name for name in self.names if name in table.NAMES]

    @property
    def common(self) -> bool:
        """Return whether it is a single word that every project uses."""
        return not self.telling and len(self.named) == 1 and self.named[0] in table.COMMON


def name_words(words: "Sequence[str]") -> dict[str, str]:
    """Return every word to look for, and what it names."""
    known = {word: mode for mode, names in table.NAMES.items() for word in names}
    return {**dict.fromkeys(table.CANCEL, CANCEL), **known, **dict.fromkeys(words, ULTRAWORK), **table.OTHERS}


def find_runs(text: str, known: dict[str, str]) -> "Iterator[ModeWords]":
    run: ModeWords | None = None
    for place in _places(text, known):
        if run is not None and place.start >= run.end and _belongs(text[run.end : place.start]):
            run = run.join(place)
            continue
        if run is not None:
            yield run
        run = place
    if run is not None:
        yield run


def _belongs(between: str) -> bool:
    return "\n" not in between and between.strip() in table.JOINING


def _places(text: str, known: dict[str, str]) -> "Iterator[ModeWords]":
    for start, end in find_words(text, known):
        phrase = text[start:end]
        if is_alone(text, start, end):
            first, last = _widened(text, start, end)
            own = phrase in table.OWN or known[phrase] == ULTRAWORK
            telling = (first, last) != (start, end) or "agents" in phrase
            yield ModeWords((known[phrase],), first, last, own=own, telling=telling)


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    """Extend the place by words that clearly mean agents: `use a team of 3 agents`, `on autopilot`."""
    phrase = text[start:end]
    if phrase in table.NAMES[AUTOPILOT]:
        first = skip_word_back(text, start, ("on",))
        turned = find_word_before(text, first)[0] in ("turn", "switch")
        return (start if turned else first), end
    last = _workers_end(text, end) if phrase in table.WITH_WORKERS else end
    first = skip_word_back(text, start, table.QUALIFIED.get(phrase, ()))
    if (first, last) == (start, end):
        return start, end
    first = skip_word_back(text, first, table.ARTICLES)
    return skip_word_back(text, skip_word_back(text, first, ("up",)), table.CALLS), last


def _workers_end(text: str, end: int) -> int:
    """The end of `of 5 coding agents`; the same place if nothing of the kind follows."""
    place = skip_word(text, end, ("of",))
    word, stop = find_word_after(text, place)
    place = stop if word.isdigit() or word in table.NUMBERS else place
    place = skip_word(text, place, table.SORTS)
    last = skip_word(text, place, table.WORKERS)
    return last if last > place else end

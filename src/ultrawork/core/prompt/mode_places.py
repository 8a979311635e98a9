"""Where a prompt has words of the modes, which of them stand together, and what each of them comes to."""

from . import mode_words as table
from . import order, order_words, prose
from .grammar import find_opening, is_governed
from .mode_signs import ORDER, ModeWords, judge_words
from .sentence import (
    SPACELESS,
    Sentence,
    find_word_after,
    find_word_before,
    find_words,
    is_alone,
    skip_word,
    skip_word_back,
    split_tokens,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# By name: the module of the modes would be loaded for every prompt that says `my team`.
AUTOPILOT, ULTRAWORK, CANCEL = "autopilot", "ultrawork", "cancel"


class PromptModes:
    """All that a prompt asks for, before it is decided what goes together."""

    __slots__ = ("cancel", "goal", "hint", "modes", "others")

    def __init__(self) -> None:
        self.modes: list[str] = []
        self.others: list[str] = []
        self.goal = ""
        self.hint = ""
        self.cancel = False

    def take(self, names: "Sequence[str]", goal: str) -> None:
        self.cancel = self.cancel or CANCEL in names
        self.goal = self.goal or goal
        for name in names:
            into = self.others if name in table.OTHERS.values() else self.modes
            if name not in into:
                into.append(name)


def collect_modes(prompt: str, words: "Sequence[str]") -> PromptModes:
    found = PromptModes()
    known = _known(words)
    for offset, part in order.split_long_prompt(prompt):
        text = _spaced(order.lower_in_place(prose.keep_own_words(part)))
        found.cancel = found.cancel or (not offset and has_mode_end(text, words))
        for run in _runs(text, known):
            _judge(found, prompt, text, run, offset)
        _take_wishes(found, prompt, text)
    return found


def _take_wishes(found: PromptModes, prompt: str, text: str) -> None:
    if not any(stem in text for stem in table.EVERYDAY_STEMS):
        return
    from .everyday import find_mode_wishes

    for mode, certain in find_mode_wishes(text):
        if certain:
            found.take([mode], prompt.strip())
        found.hint = found.hint or mode


def _spaced(text: str) -> str:
    """`ralph-mode` as `ralph mode`, every character in its place."""
    for compound in table.COMPOUNDS:
        text = text.replace(compound, " " + compound[1:])
    return text


def _judge(found: PromptModes, prompt: str, text: str, run: ModeWords, offset: int) -> None:
    verdict = judge_words(text, run)
    if verdict == ORDER:
        found.take(run.names, _goal(prompt, text, run, offset))
    elif verdict and not found.hint:
        found.hint = run.named[0]


def _goal(prompt: str, text: str, run: ModeWords, offset: int) -> str:
    """Without the words, unless the sentence needs them; `please use ralph` asks for nothing by itself."""
    if _says_no_more(text, run):
        return ""
    if run.telling or is_governed(text, run.start, run.end) or _is_inside(text, run):
        return prompt.strip()
    rest = text[run.end :].lstrip(" ")
    has_mode = rest.startswith("mode") and not rest[4:5].isalpha()
    end = len(text) - len(rest) + 4 if has_mode else run.end
    return order.remove_word(prompt, run.start + offset, end + offset)


def _is_inside(text: str, run: ModeWords) -> bool:
    """`can you ralph the rest?`, `let autopilot handle it`: what is left without it is no sentence."""
    sentence = Sentence(text, run.start, run.end)
    return bool(find_opening(sentence.before) and sentence.after)


def _says_no_more(text: str, run: ModeWords) -> bool:
    around = split_tokens(text[: run.start]) + split_tokens(text[run.end :])
    empty = (
        order_words.USES,
        order_words.FILLERS,
        order_words.CLOSERS,
        order_words.DETERMINERS,
        order_words.MODES,
        table.TOWARDS,
    )
    return not run.telling and all(any(word in words for words in empty) for word in around)


def _known(words: "Sequence[str]") -> dict[str, str]:
    """Every word that is looked for, and what it is a name of."""
    known = {word: mode for mode, names in table.NAMES.items() for word in names}
    return {
        **dict.fromkeys(table.CANCEL, CANCEL),
        **known,
        **dict.fromkeys(words, ULTRAWORK),
        **table.OTHERS,
    }


def _runs(text: str, known: dict[str, str]) -> "Iterator[ModeWords]":
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
        said = text[start:end]
        if is_alone(text, start, end):
            first, last = _widened(text, start, end)
            own = said in table.OWN or known[said] == ULTRAWORK
            telling = (first, last) != (start, end) or "agents" in said
            yield ModeWords((known[said],), first, last, own=own, telling=telling)


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    """With what makes it plain that agents are meant: `use a team of 3 agents`, `on autopilot`."""
    said = text[start:end]
    if said in table.NAMES[AUTOPILOT]:
        first = skip_word_back(text, start, ("on",))
        turned = find_word_before(text, first)[0] in ("turn", "switch")
        return (start if turned else first), end
    last = _workers_end(text, end) if said in table.WITH_WORKERS else end
    first = skip_word_back(text, start, table.QUALIFIED.get(said, ()))
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


def has_mode_end(text: str, words: "Sequence[str]") -> bool:
    """`stop ralph`, `ralph off`, `please cancel autopilot, wrong branch`: at the beginning of a prompt."""
    spoken = " " + text.strip()
    place = 0
    while (further := skip_word(spoken, _past_comma(spoken, place), table.BEFORE_END)) > place:
        place = further
    verb = skip_word(spoken, place, table.END_VERBS)
    name, end = _name(spoken, skip_word(spoken, verb, ("the",)), words)
    if not name:
        return False
    manner = skip_word(spoken, end, table.FULL_NAMES.get(name, table.END_MANNERS))
    if manner == end and name in table.FULL_NAMES:
        return False
    if verb == place:
        after = skip_word(spoken, manner, table.LATE_ENDS)
        return after > manner and _is_over(spoken, after)
    return _is_over(spoken, manner)


def _past_comma(text: str, place: int) -> int:
    return place + 1 if text[place : place + 1] == "," else place


def _name(text: str, place: int, words: "Sequence[str]") -> tuple[str, int]:
    """The mode that is named next, and where its name ends."""
    word, end = find_word_after(text, place)
    if word == "auto":
        second, stop = find_word_after(text, end)
        word, end = (AUTOPILOT, stop) if second == "pilot" else (word, end)
    known = {**{mode: mode for mode in table.NAMES}, "auto-pilot": AUTOPILOT, **dict.fromkeys(words, ULTRAWORK)}  # fmt: skip
    return known.get(word, ""), end


def _is_over(text: str, place: int) -> bool:
    """The clause ends here, or goes on in another script, or with another request."""
    while (further := skip_word(text, place, table.AFTER_END)) > place:
        place = further
    rest = text[place:]
    first = rest.lstrip(" ")[:1]
    return first in ("", *".,!;\n") or first >= SPACELESS or rest.startswith(" and ")

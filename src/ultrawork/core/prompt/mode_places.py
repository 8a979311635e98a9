"""Where a prompt has words of the modes, which of them stand together, and what each of them comes to."""

from . import everyday, order, order_words, prose
from . import mode_words as table
from . import prose as look
from .mode_signs import ORDER, ModeWords, judge_words
from .sentence import Sentence, find_opening, split_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Between two words that belong together: `ralph + team`, `ralph and ulw`.
_JOINED = frozenset((
    "", "+", "and", "&", ",", "/", "with", "plus", "in", "mode", "mode,", "mode and", "mode +", "mit", "und",
    "et", "avec", "y", "con", "e", "com", "en", "met", "i", "и", "和", "与", "と", "랑", "과", "와", "하고", "및",
))  # fmt: skip
AUTOPILOT, ULTRAWORK = "autopilot", "ultrawork"
_COMPOUNDS = ("-modus", "-mode", "-modo", "-loop")


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
        self.cancel = self.cancel or table.CANCEL in names
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
        found.cancel = found.cancel or (not offset and everyday.has_mode_end(text, words))
        for run in _runs(text, known):
            _judge(found, prompt, text, run, offset)
        for mode, certain in everyday.find_mode_wishes(text):
            if certain:
                found.take([mode], prompt.strip())
            found.hint = found.hint or mode
    return found


def _spaced(text: str) -> str:
    """`ralph-mode` as `ralph mode`, every character in its place."""
    for compound in _COMPOUNDS:
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
    if run.telling or order.is_governed(text, run.start, run.end) or _is_inside(text, run):
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
    return {**known, **dict.fromkeys(words, ULTRAWORK), **table.OTHERS}


def _runs(text: str, known: dict[str, str]) -> "Iterator[ModeWords]":
    run: ModeWords | None = None
    for place in _places(text, known):
        if run is not None and place.start >= run.end and _belongs(text[run.end : place.start]):
            run = run.joined(place)
            continue
        if run is not None:
            yield run
        run = place
    if run is not None:
        yield run


def _belongs(between: str) -> bool:
    return "\n" not in between and between.strip() in _JOINED


def _places(text: str, known: dict[str, str]) -> "Iterator[ModeWords]":
    for start, end in look.find_words(text, known):
        said = text[start:end]
        if order.is_alone(text, start, end):
            first, last = _widened(text, start, end)
            own = said in table.OWN or known[said] == ULTRAWORK
            telling = (first, last) != (start, end) or "agents" in said
            yield ModeWords((known[said],), first, last, own=own, telling=telling)


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    """With what makes it plain that agents are meant: `use a team of 3 agents`, `on autopilot`."""
    said = text[start:end]
    if said in table.NAMES[AUTOPILOT]:
        first = look.skip_word_back(text, start, ("on",))
        turned = look.find_word_before(text, first)[0] in ("turn", "switch")
        return (start if turned else first), end
    last = _crewed(text, end) if said in table.CREWED else end
    first = look.skip_word_back(text, start, table.QUALIFIED.get(said, ()))
    if (first, last) == (start, end):
        return start, end
    first = look.skip_word_back(text, first, table.ARTICLES)
    return look.skip_word_back(text, look.skip_word_back(text, first, ("up",)), table.CALLS), last


def _crewed(text: str, end: int) -> int:
    """The end of `of 5 coding agents`; the same place if nothing of the kind follows."""
    place = look.skip_word(text, end, ("of",))
    word, stop = look.find_word_after(text, place)
    place = stop if word.isdigit() or word in table.NUMBERS else place
    place = look.skip_word(text, place, table.SORTS)
    last = look.skip_word(text, place, table.CREW)
    return last if last > place else end

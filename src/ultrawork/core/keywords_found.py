"""Where a prompt has words of the modes, which of them stand together, and what each of them comes to."""

from . import keywords_weak, prose, trigger
from . import keywords_words as table
from .keywords_signs import ORDER, Run, judged

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

MOST = 200
# Between two words that belong together: `ralph + team`, `ralph and ulw`.
_JOINED = frozenset((
    "", "+", "and", "&", ",", "/", "with", "plus", "in", "mode", "mode,", "mode and", "mode +", "mit", "und",
    "et", "avec", "y", "con", "e", "com", "en", "met", "i", "и", "和", "与", "と", "랑", "과", "와", "하고", "및",
))  # fmt: skip
# A word ends where one of a script without blanks begins.
_LETTER = r"[^\W\u3040-\uffff]"
_COMPOUNDS = ("-modus", "-mode", "-modo", "-loop")


class Asked:
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


def asked(prompt: str, words: "Sequence[str]") -> Asked:
    found = Asked()
    pattern = _pattern(words)
    for offset, part in trigger.parts(prompt):
        text = _spaced(trigger.lowered(prose.own_words(part)))
        found.cancel = found.cancel or (not offset and keywords_weak.ends_a_mode(text, words))
        for run in _runs(text, pattern):
            _judge(found, prompt, text, run, offset)
        for mode, certain in keywords_weak.wishes(text):
            if certain:
                found.take([mode], prompt.strip())
            found.hint = found.hint or mode
    return found


def _spaced(text: str) -> str:
    """`ralph-mode` as `ralph mode`, every character in its place."""
    for compound in _COMPOUNDS:
        text = text.replace(compound, " " + compound[1:])
    return text


def _judge(found: Asked, prompt: str, text: str, run: Run, offset: int) -> None:
    verdict = judged(text, run)
    if verdict == ORDER:
        found.take(run.names, _goal(prompt, text, run, offset))
    elif verdict and not found.hint:
        found.hint = run.named[0]


def _goal(prompt: str, text: str, run: Run, offset: int) -> str:
    """Without the words, unless the sentence needs them."""
    if run.telling or trigger.is_governed(text, run.start, run.end):
        return prompt.strip()
    rest = text[run.end :].lstrip(" ")
    has_mode = rest.startswith("mode") and not rest[4:5].isalpha()
    end = len(text) - len(rest) + 4 if has_mode else run.end
    return trigger.without(prompt, run.start + offset, end + offset)


def _pattern(words: "Sequence[str]") -> "re.Pattern[str]":
    import re

    own = "|".join(re.escape(word) for word in words if word)
    rows = [*table.PHRASES, *([("ultrawork", own)] if own else [])]
    groups = [f"(?P<{name}>{pattern})" for name, pattern in rows]
    others = "|".join(re.escape(word) for word in table.OTHERS)
    every = "|".join([*groups, f"(?P<other>{others})"])
    return re.compile(f"(?<!{_LETTER})(?:{every})(?!{_LETTER})")


def _runs(text: str, pattern: "re.Pattern[str]") -> "Iterator[Run]":
    run: Run | None = None
    for place in _places(text, pattern):
        if run is not None and _belongs(text[run.end : place.start]):
            run = run.joined(place)
            continue
        if run is not None:
            yield run
        run = place
    if run is not None:
        yield run


def _belongs(between: str) -> bool:
    return "\n" not in between and between.strip() in _JOINED


def _places(text: str, pattern: "re.Pattern[str]") -> "Iterator[Run]":
    for count, match in enumerate(pattern.finditer(text)):
        if count > MOST:
            return
        kind, said = match.lastgroup or "", match[0]
        name = table.OTHERS[said] if kind == "other" else kind
        if trigger.stands_alone(text, match.start(), match.end()):
            own = said in table.OWN or kind == "ultrawork"
            telling = any(word in said for word in table.TELLING)
            yield Run((name,), match.start(), match.end(), own=own, telling=telling)

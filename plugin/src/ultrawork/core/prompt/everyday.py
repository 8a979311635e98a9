"""
Recognize everyday phrases that may ask for a mode: `build me`, `I want a`, `don't stop`.

They ask for a mode only if the whole sentence does: for a product made from nothing, or for work that continues until
something is proved. Elsewhere they are at most a hint.
"""

from ..modes.modes import AUTOPILOT, RALPH
from . import everyday_words as words
from .grammar import find_asked_words, find_opening
from .mode_words import VERBS
from .order_words import FILLERS
from .sentence import Sentence, find_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_LONGEST_THING = 12
_MOST = 50


def find_mode_wishes(text: str) -> "Iterator[tuple[str, bool]]":
    """Yield the modes that such words mention, and whether they really request them."""
    plain = text.replace("\u2019", "'")
    for phrases, mode, judge in _ROWS:
        for start, end in find_words(plain, phrases, _MOST):
            certain = judge(plain, Sentence(plain, start, end))
            if certain is not None:
                yield mode, certain


def _is_bidding(sentence: Sentence) -> bool:
    return (sentence.before or [""])[-1] in words.BEFORE_BIDDING and not sentence.question


def _wanting(text: str, sentence: Sentence) -> bool | None:
    phrase = _thing(sentence.after)
    vague = len(phrase) == 1 and phrase[0] in words.VAGUE
    return None if vague else _making(text, sentence)


def _making(_text: str, sentence: Sentence) -> bool | None:
    """Return whether a product is requested; anything else is too small, and a wish in a story does not count."""
    asked_words = find_asked_words(sentence)
    if words.SOME.isdisjoint(sentence.after[:1]) or (sentence.question and asked_words is None):
        return None
    if find_opening(sentence.lead) or (find_opening(sentence.before) and asked_words != []):
        return None
    phrase = _thing(sentence.after)
    return True if phrase and phrase[-1] in words.PRODUCTS else None


def _thing(after: list[str]) -> list[str]:
    """`a small todo app that …` → small todo app."""
    phrase: list[str] = []
    for word in after[1 : _LONGEST_THING + 1]:
        if word in words.AFTER_THING:
            break
        phrase.append(word)
    return phrase


def _all_of_it(_text: str, sentence: Sentence) -> bool | None:
    bidding = _is_bidding(sentence) and not find_opening(sentence.lead)
    return True if bidding and not sentence.after else None


def _lasting(text: str, sentence: Sentence) -> bool | None:
    """Return whether work until a proof is requested, or endless work beside its description."""
    if not _is_bidding(sentence):
        return None
    after = sentence.after
    after = after[1:] if after[:1] and after[0] in words.WORKING else after
    after = after[2:] if after[:2] in (["on", "this"], ["on", "it"]) else after
    if not words.UNTIL.isdisjoint(after[:1]):
        return _is_proof(after)
    if after and after[0] not in words.AFTER_LASTING:
        return None
    work = find_opening(sentence.lead + sentence.before + sentence.tail) or find_opening(text.split())
    return True if work and work[0].strip(".,:;!") in VERBS else None


def _is_proof(after: "Sequence[str]") -> bool:
    if not words.DONE.isdisjoint(after):
        return True
    places = range(1, len(after))
    return any(after[n - 1] in words.BE and after[n].endswith("ed") for n in places)


def _keeping(_text: str, sentence: Sentence) -> bool | None:
    after = sentence.after
    place = next((n for n, word in enumerate(after) if word in words.UNTIL), -1)
    if place < 0 or after[0] == "to" or not _is_bidding(sentence):
        return None
    return _is_proof(after[place:])


def _insisting(_text: str, sentence: Sentence) -> bool | None:
    """Return whether `you must complete this` is meant: with the work after a colon it is."""
    if sentence.question or sentence.before[-1:] not in (["you"], ["this"]):
        return None
    work = find_opening(sentence.tail)
    return bool(work) and work[0] in VERBS and work[0] not in FILLERS


_ROWS: "tuple[tuple[tuple[str, ...], str, Callable[[str, Sentence], bool | None]], ...]" = (
    (words.MAKING, AUTOPILOT, _making),
    (words.WANTING, AUTOPILOT, _wanting),
    (words.ALL_OF_IT, AUTOPILOT, _all_of_it),
    (words.LASTING, RALPH, _lasting),
    (words.KEEPING, RALPH, _keeping),
    (words.INSISTING, RALPH, _insisting),
)

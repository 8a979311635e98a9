"""
Words of document 004 that everybody uses every day: `build me`, `I want a`, `don't stop`.

They ask for a mode only where the whole sentence does: for a product to be made from nothing, or for work
that is to go on until something is proved. Elsewhere they are a hint at most, mostly nothing.
"""

from . import keywords_words as table
from . import modes, trigger_words
from .trigger_sentence import Sentence, asked_you, opening_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_MAKING = (
    r"(?:build|create|make|develop) me(?= (?:an?|some|another) )|i want(?= an? )|i'd like(?= an? )"
)
_ALL_OF_IT = r"handle (?:it all|everything|all of it)(?=[.,;!\n]|$)"
_LASTING = (
    r"(?:don't|do not|dont|never) (?:stop|give up|quit|rest)"
    r"(?: (?:working|going|trying|iterating|fixing))?(?: on (?:this|it))?"
)
_KEEPING = r"keep (?:going|working|at it|trying|iterating|fixing)"
_INSISTING = r"must complete"
_NAMES = "ralph|auto[ -]?pilot|ultrapilot|ultraqa|swarm|team(?= (?:mode|run))|pipeline(?= mode)"
_ENDING = (
    r"(?:(?:please|ok|okay|now|hey|and|bitte)[, ]+)*"
    r"(?:(?:cancel|stop|abort|end|exit|quit|kill|leave)(?: the)? (?:{0})(?: (?:mode|loop|run))?"
    r"|(?:{0})(?: mode)? (?:off|stop|cancel))"
    r"(?: (?:now|please|it|here|bitte|immediately))*(?=[.,!;\n]|$| [\u3040-\ud7ff]| and )"
)
# What may stand before a clause that bids.
_BEFORE = ("", "and", "but", "then", "so", "please", "just", "you", "also", "now", "ok", "okay")
_BE = ("is", "are", "been", "be", "were", "was")
_LONGEST_THING = 12
_MOST = 50


def ends_a_mode(text: str, words: "Sequence[str]") -> bool:
    """`stop ralph`, `please cancel autopilot, wrong branch`: at the very beginning of a prompt."""
    import re

    names = "|".join([_NAMES, *map(re.escape, words)])
    return re.match(_ENDING.format(names), text.strip()) is not None


def wishes(text: str) -> "Iterator[tuple[str, bool]]":
    """The modes that such words speak of, and whether they really ask for them."""
    import re

    plain = text.replace("\u2019", "'")
    for pattern, mode, judge in _ROWS:
        for count, match in enumerate(re.finditer(rf"(?<![\w-])(?:{pattern})(?![\w'-])", plain)):
            if count >= _MOST:
                break
            certain = judge(plain, Sentence(plain, match.start(), match.end()))
            if certain is not None:
                yield mode, certain


def _is_bidding(sentence: Sentence) -> bool:
    return (sentence.before or [""])[-1] in _BEFORE and not sentence.question


def _making(_text: str, sentence: Sentence) -> bool | None:
    """A product asks for it, anything else is too small; a wish in a story is none."""
    asked = asked_you(sentence)
    if sentence.question and asked is None:
        return None
    if opening_of(sentence.lead) or (opening_of(sentence.before) and asked != []):
        return None
    thing = _thing(sentence.after)
    return True if thing and thing[-1] in table.PRODUCTS else None


def _thing(after: list[str]) -> list[str]:
    """`a small todo app that …` → small todo app."""
    words: list[str] = []
    for word in after[1 : _LONGEST_THING + 1]:
        if word in table.AFTER_THING:
            break
        words.append(word)
    return words


def _all_of_it(_text: str, sentence: Sentence) -> bool | None:
    return True if _is_bidding(sentence) and not opening_of(sentence.lead) else None


def _lasting(text: str, sentence: Sentence) -> bool | None:
    """Until something is proved; or without an end, beside the work that it is said of."""
    if not _is_bidding(sentence):
        return None
    after = sentence.after
    if after[:1] in (["until"], ["till"]):
        return _is_proof(after)
    if after and after[0] not in ("please", "now", "before"):
        return None
    work = opening_of(sentence.lead + sentence.before + sentence.tail) or opening_of(text.split())
    return True if work and work[0].strip(".,:;!") in table.VERBS else None


def _is_proof(after: "Sequence[str]") -> bool:
    if not table.DONE.isdisjoint(after):
        return True
    places = range(1, len(after))
    return any(after[n - 1] in _BE and after[n].endswith("ed") for n in places)


def _keeping(_text: str, sentence: Sentence) -> bool | None:
    after = sentence.after
    place = next((n for n, word in enumerate(after) if word in ("until", "till")), -1)
    if place < 0 or after[0] == "to" or not _is_bidding(sentence):
        return None
    return _is_proof(after[place:])


def _insisting(_text: str, sentence: Sentence) -> bool | None:
    """`you must complete this` is said easily; with the work after a colon it is meant."""
    if sentence.question or sentence.before[-1:] not in (["you"], ["this"]):
        return None
    work = opening_of(sentence.tail)
    return bool(work) and work[0] in table.VERBS and work[0] not in trigger_words.FILLERS


_ROWS: "tuple[tuple[str, str, Callable[[str, Sentence], bool | None]], ...]" = (
    (_MAKING, modes.AUTOPILOT, _making),
    (_ALL_OF_IT, modes.AUTOPILOT, _all_of_it),
    (_LASTING, modes.RALPH, _lasting),
    (_KEEPING, modes.RALPH, _keeping),
    (_INSISTING, modes.RALPH, _insisting),
)

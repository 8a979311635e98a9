"""
Words of document 004 that everybody uses every day: `build me`, `I want a`, `don't stop`.

They ask for a mode only where the whole sentence does: for a product to be made from nothing, or for work
that is to go on until something is proved. Elsewhere they are a hint at most, mostly nothing.
"""

from ..modes import modes
from . import mode_words as table
from . import order_words
from . import prose as look
from .sentence import Sentence, find_asked_words, find_opening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_MAKING = ("build me", "create me", "make me", "develop me")
_WANTING = ("i want", "i'd like")
_ALL_OF_IT = ("handle it all", "handle everything", "handle all of it")
_LASTING = tuple(
    f"{never} {stop}"
    for never in ("don't", "do not", "dont", "never")
    for stop in ("stop", "give up", "quit", "rest")
)
_WORKING = ("working", "going", "trying", "iterating", "fixing")
_KEEPING = tuple(f"keep {what}" for what in (*_WORKING, "at it"))
_INSISTING = ("must complete",)
_COURTESIES = ("please", "ok", "okay", "now", "hey", "and", "bitte")
_ENDS = ("cancel", "stop", "abort", "end", "exit", "quit", "kill", "leave")
_CLOSING = ("now", "please", "it", "here", "bitte", "immediately")
_MANNERS = ("mode", "loop", "run")
# Those whose names are words of every project end only by their full name.
_FULL_NAMES = {modes.TEAM: ("mode", "run"), modes.PIPELINE: ("mode",)}
# What may stand before a clause that bids.
_BEFORE = ("", "and", "but", "then", "so", "please", "just", "you", "also", "now", "ok", "okay")
_SOME = (["a"], ["an"], ["some"], ["another"])
_BE = ("is", "are", "been", "be", "were", "was")
_LONGEST_THING = 12
_MOST = 50


def has_mode_end(text: str, words: "Sequence[str]") -> bool:
    """`stop ralph`, `ralph off`, `please cancel autopilot, wrong branch`: at the beginning of a prompt."""
    spoken = " " + text.strip()
    place = 0
    while (further := look.skip_word(spoken, _past_comma(spoken, place), _COURTESIES)) > place:
        place = further
    verb = look.skip_word(spoken, place, _ENDS)
    name, end = _name(spoken, look.skip_word(spoken, verb, ("the",)), words)
    if not name:
        return False
    manner = look.skip_word(spoken, end, _FULL_NAMES.get(name, _MANNERS))
    if manner == end and name in _FULL_NAMES:
        return False
    if verb == place:
        after = look.skip_word(spoken, manner, ("off", "stop", "cancel"))
        return after > manner and _is_over(spoken, after)
    return _is_over(spoken, manner)


def _past_comma(text: str, place: int) -> int:
    return place + 1 if text[place : place + 1] == "," else place


def _name(text: str, place: int, words: "Sequence[str]") -> tuple[str, int]:
    """The mode that is named next, and where its name ends."""
    word, end = look.find_word_after(text, place)
    if word == "auto":
        second, stop = look.find_word_after(text, end)
        word, end = (modes.AUTOPILOT, stop) if second == "pilot" else (word, end)
    known = {**{mode: mode for mode in modes.ALL}, "auto-pilot": modes.AUTOPILOT, **dict.fromkeys(words, modes.ULTRAWORK)}  # fmt: skip
    return known.get(word, ""), end


def _is_over(text: str, place: int) -> bool:
    """The clause ends here, or goes on in another script, or with another request."""
    while (further := look.skip_word(text, place, _CLOSING)) > place:
        place = further
    rest = text[place:]
    first = rest.lstrip(" ")[:1]
    return first in ("", *".,!;\n") or first >= "\u3040" or rest.startswith(" and ")


def find_mode_wishes(text: str) -> "Iterator[tuple[str, bool]]":
    """The modes that such words speak of, and whether they really ask for them."""
    plain = text.replace("\u2019", "'")
    for words, mode, judge in _ROWS:
        for start, end in look.find_words(plain, words, _MOST):
            certain = judge(plain, Sentence(plain, start, end))
            if certain is not None:
                yield mode, certain


def _is_bidding(sentence: Sentence) -> bool:
    return (sentence.before or [""])[-1] in _BEFORE and not sentence.question


def _wanting(text: str, sentence: Sentence) -> bool | None:
    thing = _thing(sentence.after)
    vague = len(thing) == 1 and thing[0] in table.VAGUE
    return None if vague else _making(text, sentence)


def _making(_text: str, sentence: Sentence) -> bool | None:
    """A product asks for it, anything else is too small; a wish in a story is none."""
    asked = find_asked_words(sentence)
    if sentence.after[:1] not in _SOME or (sentence.question and asked is None):
        return None
    if find_opening(sentence.lead) or (find_opening(sentence.before) and asked != []):
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
    bidding = _is_bidding(sentence) and not find_opening(sentence.lead)
    return True if bidding and not sentence.after else None


def _lasting(text: str, sentence: Sentence) -> bool | None:
    """Until something is proved; or without an end, beside the work that it is said of."""
    if not _is_bidding(sentence):
        return None
    after = sentence.after
    after = after[1:] if after[:1] and after[0] in _WORKING else after
    after = after[2:] if after[:2] in (["on", "this"], ["on", "it"]) else after
    if after[:1] in (["until"], ["till"]):
        return _is_proof(after)
    if after and after[0] not in ("please", "now", "before"):
        return None
    work = find_opening(sentence.lead + sentence.before + sentence.tail) or find_opening(
        text.split()
    )
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
    work = find_opening(sentence.tail)
    return bool(work) and work[0] in table.VERBS and work[0] not in order_words.FILLERS


_ROWS: "tuple[tuple[tuple[str, ...], str, Callable[[str, Sentence], bool | None]], ...]" = (
    (_MAKING, modes.AUTOPILOT, _making),
    (_WANTING, modes.AUTOPILOT, _wanting),
    (_ALL_OF_IT, modes.AUTOPILOT, _all_of_it),
    (_LASTING, modes.RALPH, _lasting),
    (_KEEPING, modes.RALPH, _keeping),
    (_INSISTING, modes.RALPH, _insisting),
)

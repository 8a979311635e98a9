"""Words and sentences of a text, by position.

Without regular expressions: compiling them would take longer than searching."""

from .prose import OPAQUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MOST_PLACES = 200
REACH = 400
CHUNK = 200

# Scripts from here on have no spaces: their letters end a word. Beside a unique name that holds from Thai on.
SPACELESS = "\u3040"
_THAI = "\u0e00"
_BEFORE_JOINS = "_-#@$%&+=~./\\{<*`'\u2019"
_AFTER_JOINS = "_(=~/\\@%&+}>[*`<$#"
_AFTER_JOINS_IN_WORD = ".:-'\u2019"
_ADDRESS_MARKS = ("://", "@", "\\", "/")
_MARKS = ".,:;!?()[]"

_ENDS = "\n\u3002\uff01\uff1f\u061f\u0964"
_ENDS_BEFORE_BLANK = ".!?\u2026"
_QUESTION_MARKS = "?\uff1f\u061f\u00bf"
_CLAUSE_ENDS = ",;:()[]\u2013\u2014\u060c\u3001\uff0c\uff1b\uff1a\u00bf\u00a1"
_WORD_MARKS = f"'-_#/.+{OPAQUE}"


def find_places(text: str, words: "Iterable[str]") -> "Iterator[tuple[int, int]]":
    """Yield every occurrence of the words, also within others: all of the first word, then of the next."""
    for word in words:
        place = text.find(word) if word else -1
        while place >= 0:
            yield place, place + len(word)
            place = text.find(word, place + len(word))


def find_words(text: str, words: "Iterable[str]", most: int = MOST_PLACES) -> "Iterator[tuple[int, int]]":
    """Yield whole words in order; of two at the same place the longer."""
    ends: dict[int, int] = {}
    for start, end in find_places(text, words):
        if len(ends) >= most:
            break
        if is_whole_word(text, start, end):
            ends[start] = max(end, ends.get(start, 0))
    last = 0
    for start in sorted(ends):
        if start >= last:
            last = ends[start]
            yield start, last


def is_whole_word(text: str, start: int, end: int) -> bool:
    return not _is_letter(text[start - 1 : start]) and not _is_letter(text[end : end + 1])


def _is_letter(character: str) -> bool:
    return character != "" and character < SPACELESS and (character.isalnum() or character == "_")


def is_alone(text: str, start: int, end: int) -> bool:
    """Return whether a word stands alone, not in an identifier, a path, an address or a flag."""
    before, after = text[max(start - 2, 0) : start], text[end : end + 2]
    if before.endswith("**") and after == "**":
        before, after = text[max(start - 4, 0) : start - 2], text[end + 2 : end + 4]
    if _joins(before[-1:], _BEFORE_JOINS) or _joins(after[:1], _AFTER_JOINS):
        return False
    if after[:1] in _AFTER_JOINS_IN_WORD and _joins(after[1:], "/_"):
        return False
    if before[-1:] == ":" and _joins(before[:1], ""):
        return False
    left, right = widen(text, start, end, _ends_chunk, CHUNK)
    return not any(mark in text[left:right] for mark in _ADDRESS_MARKS)


def _joins(character: str, marks: str) -> bool:
    """Scripts beyond Thai are written without blanks: their letters end a word."""
    if not character:
        return False
    return character in marks or (character.isalnum() and character < _THAI)


def _ends_chunk(text: str, place: int) -> bool:
    """A blank ends it, and so does a letter of a script that has none."""
    return text[place] >= _THAI or text[place].isspace() or text[place] in ",;"


def widen(text: str, start: int, end: int, ends: "Callable[[str, int], bool]", reach: int) -> tuple[int, int]:
    """Extend a place on both sides, up to what `ends` matches."""
    left, first = start, max(0, start - reach)
    while left > first and not ends(text, left - 1):
        left -= 1
    right, last = end, min(len(text), end + reach)
    while right < last and not ends(text, right):
        right += 1
    return left, right


def find_word_after(text: str, place: int) -> tuple[str, int]:
    """Return the next word on the same line and its end, without surrounding marks."""
    start = place
    while text[start : start + 1] == " ":
        start += 1
    end = start
    while end < len(text) and not text[end].isspace() and text[end] not in _MARKS:
        end += 1
    return (text[start:end], end) if start > place else ("", place)


def find_word_before(text: str, place: int) -> tuple[str, int]:
    """Return the previous word on the same line and its start."""
    end = place
    while text[end - 1 : end] == " ":
        end -= 1
    start = end
    while start > 0 and not text[start - 1].isspace() and text[start - 1] not in _MARKS:
        start -= 1
    return (text[start:end], start) if end < place else ("", place)


def skip_word(text: str, place: int, words: "Iterable[str]") -> int:
    """Return the end of the next word if it is one of these, else the same place."""
    word, end = find_word_after(text, place)
    return end if word in words else place


def skip_word_back(text: str, place: int, words: "Iterable[str]") -> int:
    word, start = find_word_before(text, place)
    return start if word in words else place


class Sentence:
    """The words around one occurrence, in its own clause and in the rest of the sentence."""

    __slots__ = ("after", "before", "following", "lead", "question", "tail")

    def __init__(self, text: str, start: int, end: int) -> None:
        left, right = widen(text, start, end, _ends_sentence, REACH)
        first, last = widen(text, start, end, _ends_clause, REACH)
        first, last = max(left, first), min(last, right)
        self.before = split_tokens(text[first:start])
        self.after = split_tokens(text[end:last])
        self.lead = split_tokens(text[left:first])
        self.tail = split_tokens(text[last:right])
        marks = text[right : right + 3] + text[left : left + 2]
        # Where the mark ended a name, these go on with the same sentence.
        self.following = split_tokens(text[right + 1 : right + CHUNK].partition("\n")[0])
        self.question = any(mark in marks for mark in _QUESTION_MARKS)


def _ends_sentence(text: str, place: int) -> bool:
    character = text[place]
    if character in _ENDS:
        return True
    after = text[place + 1 : place + 2]
    return character in _ENDS_BEFORE_BLANK and (not after.strip() or after in _ENDS_BEFORE_BLANK)


def _ends_clause(text: str, place: int) -> bool:
    if text[place] == "-":
        return text[place - 1 : place] in ("", " ") and text[place + 1 : place + 2] == " "
    return text[place] in _CLAUSE_ENDS


def split_tokens(text: str) -> list[str]:
    """Words in lower case; apostrophes and hyphens within a word belong to it."""
    spaced = "".join(c if _in_word(c) else " " for c in text.replace("\u2019", "'").lower())
    return [word for word in (part.strip("'-") for part in spaced.split()) if word]


def _in_word(character: str) -> bool:
    """In many scripts vowel signs belong to words, but Python does not count them as letters."""
    return character.isalnum() or character in _WORD_MARKS or _is_sign(character)


def _is_sign(character: str) -> bool:
    return "\u0300" <= character < "\u2000" and character not in _ENDS + _CLAUSE_ENDS

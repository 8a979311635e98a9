"""Where words stand in a text. Without patterns: they would take longer to make ready than to look with."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST = 200
# Scripts from here on are written without blanks: their letters end a word.
_SPACELESS = "\u3040"
_MARKS = ".,:;!?()[]"


def places(text: str, words: "Iterable[str]", most: int = MOST) -> "Iterator[tuple[int, int]]":
    """Whole words only, in their order; where two begin at one place, the longer."""
    found: dict[int, int] = {}
    for word in words:
        place = text.find(word) if word else -1
        while place >= 0 and len(found) < most:
            end = place + len(word)
            if is_whole(text, place, end):
                found[place] = max(end, found.get(place, 0))
            place = text.find(word, end)
    last = 0
    for start in sorted(found):
        if start >= last:
            last = found[start]
            yield start, last


def is_whole(text: str, start: int, end: int) -> bool:
    return not _is_letter(text[start - 1 : start]) and not _is_letter(text[end : end + 1])


def _is_letter(character: str) -> bool:
    return character != "" and character < _SPACELESS and (character.isalnum() or character == "_")


def after(text: str, place: int) -> tuple[str, int]:
    """The word that follows on the same line, and where it ends; marks around it are none of it."""
    start = place
    while text[start : start + 1] == " ":
        start += 1
    end = start
    while end < len(text) and not text[end].isspace() and text[end] not in _MARKS:
        end += 1
    return (text[start:end], end) if start > place else ("", place)


def before(text: str, place: int) -> tuple[str, int]:
    """The word that stands before on the same line, and where it begins."""
    end = place
    while text[end - 1 : end] == " ":
        end -= 1
    start = end
    while start > 0 and not text[start - 1].isspace() and text[start - 1] not in _MARKS:
        start -= 1
    return (text[start:end], start) if end < place else ("", place)


def skipped(text: str, place: int, words: "Iterable[str]") -> int:
    """The end of the next word if it is one of these, else the same place."""
    word, end = after(text, place)
    return end if word in words else place


def skipped_back(text: str, place: int, words: "Iterable[str]") -> int:
    word, start = before(text, place)
    return start if word in words else place

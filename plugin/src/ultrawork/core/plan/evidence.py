"""Hedging words where a fact is required: they do not resolve a task."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

HEDGES = (
    "should work",
    "should be fine",
    "probably works",
    "might work",
    "seems to work",
    "basic implementation",
    "simplified version",
    "you can extend",
    "left as an exercise",
    "not implemented",
    "placeholder",
)
MARKS = ("TODO", "FIXME")
# Evidence that says what was written, not that it is right.
SHELL = "shell"
# Behind a criterion that no command decides.
UNJUDGED = "(to be judged)"


def find_hedges(text: str) -> list[str]:
    """Return the hedging phrases in a text, in the order of the table."""
    lower = text.lower()
    hedges = [phrase for phrase in HEDGES if phrase in lower]
    return hedges + [mark for mark in MARKS if _has_word(text, mark)]


def find_only_hedges(evidence: "Iterable[object]") -> list[str]:
    """The phrases that make the evidence worthless; none if a single entry is free of them."""
    hedges: list[str] = []
    for entry in evidence:
        if isinstance(entry, dict) and entry.get("type") == SHELL:
            continue
        phrases = find_hedges(read_entry_text(entry))
        if not phrases:
            return []
        hedges += phrases
    return list(dict.fromkeys(hedges))


def read_entry_text(entry: object) -> str:
    """Return the text of one piece of evidence; structured ones are read key by key."""
    if isinstance(entry, dict):
        parts = (entry.get(key) for key in ("output", "description", "command"))
        return "\n".join(part for part in parts if isinstance(part, str))
    return str(entry)


def _has_word(text: str, word: str) -> bool:
    start = text.find(word)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(word) : start + len(word) + 1]
        if not (_in_word(before) or _in_word(after)):
            return True
        start = text.find(word, start + 1)
    return False


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"

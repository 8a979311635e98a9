"""
Shell text that provably is one simple command of literal words, and those words.

Exact rather than clever: what is not known to mean itself, in bash and in zsh alike, is refused. Bare words
are letters, digits and a few signs; quoted text is taken as it is; nothing is ever expanded, so what is
judged is what runs.
"""

LONGEST = 2_000
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%")
# Inside double quotes these still mean something.
_LIVE = frozenset('$`\\!"')
_QUOTES = "'\""


def words(text: str) -> list[str] | None:
    """The words of a simple command; None if the text could be anything more than that."""
    text = text.strip(" ")
    if not text or len(text) > LONGEST:
        return None
    found: list[str] = []
    place = 0
    while place < len(text):
        if text[place] == " ":
            place += 1
            continue
        word, place = _word(text, place)
        if word is None:
            return None
        found.append(word)
    return found if _is_plain_start(text, found[0]) else None


def _word(text: str, place: int) -> tuple[str | None, int]:
    """The word that begins here, and where it ends; None if it is not literal."""
    begin, parts = place, ""
    while place < len(text) and text[place] != " ":
        if text[place] in _QUOTES:
            inner = _quoted(text, place)
            if inner is None:
                return None, place
            parts += inner
            place += len(inner) + 2
        elif text[place] in _BARE:
            parts += text[place]
            place += 1
        else:
            return None, place
    # zsh takes `=name` for the path of a program.
    return (None if text[begin] == "=" else parts), place


def _quoted(text: str, place: int) -> str | None:
    quote = text[place]
    end = text.find(quote, place + 1)
    inner = text[place + 1 : end]
    if end < 0 or not inner.isprintable():
        return None
    return inner if quote == "'" or _LIVE.isdisjoint(inner) else None


def _is_plain_start(text: str, first: str) -> bool:
    """The program is named bare: no assignment before it, no quotes in it, nothing that is a keyword's sign."""
    return text.startswith(first) and "=" not in first and first[:1].isalpha()

"""Score each agent of the catalogue: ideas that a request's words name, and their weights.

`words/agents.toml` defines words and points. Every idea counts once, a second and third word of it a little more. No
patterns are used, so the time grows only with the number of words."""

from collections.abc import Iterator

from ..value import Value, fresh

ENOUGH = 4  # points that make work an agent's; a question, which changes nothing, needs one less
SMALL = 4  # more of them where it is a small change
# Extra points needed beside an idea: for a question, a report, or a request that leaves the choice to a mode.
DOUBTS = {"knowledge": 5, "told": 4, "tiny": 2, "mode": 1}
_AT_BEGINNINGS = ("small", "tiny", "term")  # what counts only there
MOST_MORE = 3  # points for further words of an idea
SHORTEST = 4  # and of a question what something is
SHORT = 22  # words of a small change at most
FARTHEST = 4  # words that two points may stand for
SPACELESS = "\u2e80"  # the first of the characters of languages that put no blanks between words
NO_BREAK = "\u00a0"  # what a blank is in their terms
MOST_WORDS = 1500  # of a long text that are looked at, from its beginning
LAST_WORDS = 500  # and from its end
_LETTERS = {
    "ru": ("\u0400", "\u0500"),
    "zh": (SPACELESS, "\uac00"),
    "ja": (SPACELESS, "\uac00"),
    "ko": ("\uac00", "\ud7b0"),
}
_ENDS = ".,:!?;\n"
# One sign for each idea in the texts of terms, without the marks that separate them.
SIGNS = "".join(sign for sign in map(chr, (*range(33, 127), *range(161, 256))) if sign not in '"\\;=|')
SHAPES = {
    "picture-file": ("png", "jpg", "jpeg", "gif", "webp", "pdf"),
    "data-file": ("csv", "tsv", "parquet", "xlsx", "jsonl", "ipynb", "feather"),
}


class Evidence(Value):
    """Points of each agent, and the words that gave them, in the order of the request."""

    points: dict[str, int] = fresh(dict)
    words: dict[str, list[str]] = fresh(dict)
    needed: int = ENOUGH

    def find_best(self) -> tuple[str, list[str]]:
        """Return the agent with the most points, if they are enough."""
        best = max(self.points, key=self.points.__getitem__, default="")
        if not best or self.points[best] < self.needed:
            return "", []
        return best, self.words[best]


def weigh(prose: str, whole: str) -> Evidence:
    """Return the evidence. `prose` is what the user says; `whole` includes files, names and values."""
    from .agent_words import WEIGHTS

    phrases = find_ideas(prose)
    for shape, name in _find_shapes(whole):
        phrases.setdefault(shape, []).append(name)
    points = {
        agent: sum(_count(worth, phrases[idea]) for idea, worth in ideas.items() if idea in phrases)
        for agent, ideas in WEIGHTS.items()
    }
    reasons = {
        agent: list(dict.fromkeys(phrase for idea in ideas for phrase in phrases.get(idea, ())))
        for agent, ideas in WEIGHTS.items()
    }
    return Evidence(points, reasons, _find_needed(phrases, whole))


def _count(worth: int, phrases: list[str]) -> int:
    return worth + (min(MOST_MORE, len(set(phrases)) - 1) if worth > 1 else 0)


def _find_needed(phrases: dict[str, list[str]], whole: str) -> int:
    """Return the needed points: more for a change with a given place and value, and for a question."""
    is_specified = ("given" in phrases or "small" in phrases) and "whole" not in phrases
    small = is_specified and "?" not in whole and len(whole.split()) <= SHORT and _names_code(whole)
    doubts = [more for idea, more in DOUBTS.items() if idea in phrases]
    if "term" in phrases and len(whole.split()) <= SHORTEST:
        doubts.append(DOUBTS["knowledge"])
    question = "?" in whole or "\uff1f" in whole
    return ENOUGH - question + max([SMALL * small, *doubts])


def _names_code(whole: str) -> bool:
    if "`" in whole or '"' in whole:
        return True
    return any(_is_name(word.strip(".,;:!?")) for word in whole.split())


def _is_name(word: str) -> bool:
    """`readConfig()`, `tmp_2`, `http.ts`, `--quiet`."""
    stem, dot, ending = word.rpartition(".")
    return "(" in word[1:] or "_" in word or word.startswith("--") or bool(dot and stem and ending.isalnum())


def _find_shapes(whole: str) -> Iterator[tuple[str, str]]:
    """Files and numbers that say by their form what they are."""
    for raw in whole.split():
        word = raw.strip(".,;:!?()\"'`")
        ending = word.rpartition(".")[2].lower() if "." in word else ""
        for shape, endings in SHAPES.items():
            if ending and ending in endings:
                yield shape, word
        if word.startswith("test_") or ".spec." in word or ".test." in word or "_test." in word:
            yield "test-file", word
        if word.startswith("#") and word[1:].isdigit():
            yield "pull-request-number", word


def find_ideas(text: str) -> dict[str, list[str]]:
    """The words of each idea that a text names."""
    from .agent_words import IDEAS

    folded = fold(text)
    words = _list_words(folded)
    ideas: dict[str, list[str]] = {}
    last: dict[str, int] = {}
    terms = [_get_terms(language) for language in _find_languages(words, folded)]
    for at in range(len(words)):
        for sign, end in _match_at(words, at, terms).items():
            idea = IDEAS[SIGNS.index(sign)]
            if at >= last.get(idea, 0) and (idea not in _AT_BEGINNINGS or _begins(words, at)):
                last[idea] = end
                ideas.setdefault(idea, []).append(" ".join(words[at:end]))
    for vocabulary in terms:
        for term, sign in vocabulary.anywhere:
            if term in folded:
                ideas.setdefault(IDEAS[SIGNS.index(sign)], []).append(term)
    return ideas


def _begins(words: list[str], at: int) -> bool:
    """Return whether it begins a clause, after at most one polite word."""
    return "." in words[max(at - 2, 0) : at] or at < 2


def _list_words(folded: str) -> list[str]:
    """Words, with a point where a clause ends: no phrase reaches over it. Of a long text its beginning and its end."""
    kept = (c if c.isalnum() and c < SPACELESS else " . " if c in _ENDS else " " for c in folded)
    words = "".join(kept).split()
    return words if len(words) <= MOST_WORDS else [*words[:MOST_WORDS], ".", *words[-LAST_WORDS:]]


def fold(text: str) -> str:
    """Return the text without capitals and accents."""
    plain = text.lower()
    if not plain.isascii():
        import unicodedata

        apart = unicodedata.normalize("NFD", plain)
        bare = "".join(c for c in apart if not "\u0300" <= c <= "\u036f")
        plain = unicodedata.normalize("NFC", bare).replace("\u0131", "i")
    return plain


class Terms(Value):
    """The terms of one language by first word, and those that match anywhere or end a word; ideas by sign."""

    by_word: dict[str, str] = fresh(dict)
    anywhere: list[tuple[str, str]] = fresh(list)
    endings: list[tuple[str, str]] = fresh(list)


_made: dict[str, Terms] = {}


def _get_terms(language: str) -> Terms:
    if language not in _made:
        by_word = unpack_terms(read_terms(language))
        _made[language] = Terms(
            by_word,
            [pair for first in by_word if first[-1] >= SPACELESS for pair in _pair(first, by_word)],
            [pair for first in by_word if first[0] == "*" for pair in _pair(first, by_word)],
        )
    return _made[language]


def read_terms(language: str) -> bytes:
    """Return the packed terms of a language, which lie beside this module and come as it did."""
    packed: bytes = __loader__.get_data(f"{__file__.rpartition('/')[0]}/terms/{language}.zlib")  # type: ignore[name-defined]
    return packed


def unpack_terms(packed: bytes) -> dict[str, str]:
    """Return each first word, with the sign of each idea and the rest of its term, a semicolon after each."""
    import zlib

    by_word: dict[str, str] = {}
    get = by_word.get
    for sign, terms in zip(SIGNS, zlib.decompress(packed).decode().split("|"), strict=False):
        for term in terms.split(";"):
            first, _, rest = term.partition(" ")
            by_word[first] = f"{get(first, '')}{sign}{rest};"
    by_word.pop("", None)
    return by_word


def _pair(first: str, by_word: dict[str, str]) -> Iterator[tuple[str, str]]:
    for part in by_word[first][:-1].split(";"):
        yield first.strip("*").replace(NO_BREAK, " "), part[0]


def _find_languages(words: list[str], folded: str) -> set[str]:
    """Return English, and the languages that small words or letters indicate; if none, every one with spaces."""
    from .agent_words import SPOKEN

    unique_words = set(words)
    counts = {language: len(unique_words.intersection(fold(small).split())) for language, small in SPOKEN.items()}
    best = max(counts.values())
    languages = {language for language, count in counts.items() if count >= max(best - 1, 1)}
    if not best:
        languages = set(counts)
    elif counts["en"] == best:
        languages = set()
    if not folded.isascii():
        languages |= {language for language, span in _LETTERS.items() if any(span[0] <= c < span[1] for c in folded)}
    return languages | {"en"}


def _match_at(words: list[str], at: int, terms: list[Terms]) -> dict[str, int]:
    """Return the signs of ideas with a term that begins here, and where the longest of each ends."""
    word = words[at]
    firsts = [word, *(f"{word[:size]}*" for size in range(1, len(word) + 1))]
    ends: dict[str, int] = {}
    for vocabulary in terms:
        for first in firsts:
            for term in vocabulary.by_word.get(first, "").split(";"):
                end = _follow(term[1:].split(), words, at + 1) if term else 0
                if end > ends.get(term[:1], 0):
                    ends[term[0]] = end
        for ending, idea in vocabulary.endings:
            if word.endswith(ending) and word != ending:
                ends.setdefault(idea, at + 1)
    return ends


def _follow(rest: list[str], words: list[str], at: int) -> int:
    """Return where the rest of a term ends; 0 if it does not match here."""
    for place, part in enumerate(rest):
        if part == "..":
            places = _reach(words, at)
            after = rest[place + 1 :]
            return next((end for start in places if (end := _follow(after, words, start))), 0)
        if at >= len(words) or not _agrees(part, words[at]):
            return 0
        at += 1
    return at


def _reach(words: list[str], at: int) -> Iterator[int]:
    """Places up to the end of the clause, or as far as a gap goes."""
    for place in range(at, min(at + FARTHEST, len(words)) + 1):
        yield place
        if place < len(words) and words[place] == ".":
            return


def _agrees(part: str, word: str) -> bool:
    return word.startswith(part[:-1]) if part.endswith("*") else word == part

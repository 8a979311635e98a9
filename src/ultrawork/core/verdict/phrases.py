"""
Patterns over the words of a goal. `content/words/goals.toml` says how they are written: `<list>`, `..`, `^`, `*`.
"""

from . import goal_words as words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from re import Match, Pattern

WIDE_MARKS = r"[\u3001\u3002\uff0c\uff1b\uff01\uff1f\uff1a]"
# Letters of scripts that put blanks between words.
_LETTER = r"[0-9A-Za-z_\u00c0-\u052f]"
_OPTIONAL = ("<adverb>", "<article>", "<about>")
_THING = (*words.TEST, *words.EXPECTED, *words.SNAPSHOT)
_compiled: "dict[tuple[str, ...], Pattern[str]]" = {}


def either(phrases: "Iterable[str]") -> str:
    """A pattern for any of them; a `*` in one stands for letters, `?*` for at least one."""
    import re

    told = (re.escape(one).replace(r"\?\*", r"\w+").replace(r"\*", r"\w*") for one in phrases)
    return f"(?:{'|'.join(told)})"


def normalize(goal: str) -> str:
    return goal.strip().lower().replace("\u2019", "'")


def split_sentences(text: str) -> list[str]:
    import re

    return [one for one in re.split(r"[.;!?]+(?=\s|$)|\n|[\u3002\uff1b\uff01\uff1f]", text) if one]


def split_parts(text: str) -> list[str]:
    """What stands between two marks; words like `and` do not split."""
    import re

    marks = rf"[.;:!?,()\[\]\u2014]+(?=[\s:]|$)|^\w+\(|[\n(\u2014]|{WIDE_MARKS}|\s-+\s"
    return [one.strip() for one in re.split(marks, text) if one and one.strip()]


def find(patterns: tuple[str, ...], text: str) -> "Match[str] | None":
    """The first place where one of the patterns fits; a part has to be in lower case."""
    return _compile(patterns).search(f"{text.strip()} ")


def find_all(patterns: tuple[str, ...], text: str) -> "Iterator[Match[str]]":
    return _compile(patterns).finditer(f"{text.strip()} ")


def _compile(patterns: tuple[str, ...]) -> "Pattern[str]":
    import re

    if patterns not in _compiled:
        _compiled[patterns] = re.compile("|".join(map(_translate, patterns)))
    return _compiled[patterns]


def _translate(pattern: str) -> str:
    start = _begin() if pattern.startswith("^") else ""
    tokens = pattern.removeprefix("^").split()
    made = [_translate_token(token) for token in tokens[:-1]]
    return start + "".join(made) + _name(tokens[-1])


def _translate_token(token: str) -> str:
    if token == "..":
        return rf"(?:(?!{either(words.BETWEEN)}(?!{_LETTER}))[^\s,]+\s+){{0,4}}?"
    optional = "?" if token in _OPTIONAL else ""
    return rf"(?:{_name(token)}\s+){optional}"


def _begin() -> str:
    urging = "|".join(map(_bound, words.URGING))
    polite = either(sorted(words.POLITE, key=len, reverse=True))
    return rf"(?:^|(?:{urging})\s*)(?:{polite}\s+)*"


def _name(token: str) -> str:
    """A list by its name, or a word, between bounds where its script has them."""
    import re

    inner = re.sub(r"<(\w+)>", lambda found: f"\0{found[1]}\0", token)
    parts = inner.split("\0")
    made = [_list(part) if at % 2 else _bound(part) for at, part in enumerate(parts) if part]
    return "".join(made)


def _list(name: str) -> str:
    if name == "about":
        return (
            r"(?:of|for|in|about|on|von|f\u00fcr|de|para|voor|di)\s+(?:the\s+|a\s+)?\S+(?:\s+\S+)?"
        )
    chosen = _THING if name == "thing" else getattr(words, name.upper())
    nested = "|".join(
        _translate(one) if " " in one or "<" in one else _bound(one) for one in chosen
    )
    if name in ("test", "thing", "snapshot") or name.startswith("check"):
        after = rf"{either((*words.AFTER_TEST, *words.AFTER_CHECK))}\b"
        tests = r"|tests?\b" if name == "snapshot" else ""
        return rf"(?:{nested})(?!\s+(?:{after}{tests}))(?![./-]\w)"
    return f"(?:{nested})"


def _bound(word: str) -> str:
    import re

    if word == "$":
        return "$"
    made = re.escape(word).replace(r"\?\*", rf"{_LETTER}+").replace(r"\*", rf"{_LETTER}*")
    before = rf"(?<!{_LETTER})" if re.match(_LETTER, word) else ""
    return before + made + (rf"(?!{_LETTER})" if re.search(rf"(?:{_LETTER}|\*)$", word) else "")

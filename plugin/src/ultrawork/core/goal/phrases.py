"""The words of a goal: patterns over them, and what they name, which is code, by its spelling, and tests.
`words/goals.toml` describes the syntax of patterns: `<list>`, `..`, `^`, `*`.

They are matched word by word: one regular expression for all would take seconds to compile."""

import re
from collections.abc import Iterable, Iterator
from re import Match

from . import goal_words as words

WIDE_MARKS = r"[\u3001\u3002\uff0c\uff1b\uff01\uff1f\uff1a]"
_WORD = r"[\w$#/'&+@-]+(?:\.\w[\w/:-]*)*|,"
_FIRST_WIDE = "\u2e80"  # from here on scripts put no blanks between words
_FEW = 4  # words that `..` may stand for
_OPTIONAL = ("<adverb>", "<article>", "<about>")
_ABOUT = frozenset(("of", "for", "in", "about", "on", "von", "für", "de", "para", "voor", "di"))
_THING = ("<test>", "<expected>", "<snapshot>")
_lists: dict[str, dict[str, list[list[str]]]] = {}


class Found:
    """A place in a text: start, end, and its text."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text, self.start, self.end = text[start:end], start, end


def either(phrases: Iterable[str]) -> str:
    """Return an expression for any of them; `*` matches letters, `?*` at least one."""
    patterns = (re.escape(phrase).replace(r"\?\*", r"\w+").replace(r"\*", r"\w*") for phrase in phrases)
    return f"(?:{'|'.join(patterns)})"


def fold_goal(goal: str) -> str:
    return goal.strip().lower().replace("\u2019", "'")


def split_sentences(text: str) -> list[str]:
    return [part for part in re.split(r"[.;!?]+(?=\s|$)|\n|[\u3002\uff1b\uff01\uff1f]", text) if part]


def split_at_marks(text: str) -> list[str]:
    """Return the parts between marks; words like `and` do not split."""
    marks = rf"[.;:!?,()\[\]\u2014]+(?=[\s:]|$)|^\w+\(|[\n(\u2014]|{WIDE_MARKS}|\s-+\s"
    return [part.strip() for part in re.split(marks, text) if part and part.strip()]


def find(patterns: Iterable[str], text: str) -> Found | None:
    """Return the first place in a text, in lower case, where one of the patterns fits."""
    return next(find_all(patterns, text), None)


def find_all(patterns: Iterable[str], text: str) -> Iterator[Found]:
    split_text = _Text(text)
    listed = list(patterns)
    spaced = [phrase for phrase in listed if phrase[-1] < _FIRST_WIDE]
    split = [(phrase.startswith("^"), phrase.removeprefix("^").split()) for phrase in spaced]
    for at in range(len(split_text.tokens)):
        for begins, pattern in split:
            if begins and at not in split_text.starts:
                continue
            end = next(_match(split_text.tokens, at, pattern), None)
            if end is not None:
                yield Found(text, split_text.spans[at][0], split_text.spans[end - 1][1])
                break
    wide = (*listed, *(phrase for pattern in listed for phrase in _open(pattern)))
    for candidate in wide:
        if candidate[-1] >= _FIRST_WIDE and (place := _find_wide(candidate, text)):
            yield place


def _open(pattern: str) -> tuple[str, ...]:
    """Return the phrases of a pattern that is one list."""
    name = pattern.strip("<>").upper()
    return getattr(words, name, ()) if pattern == f"<{name.lower()}>" else ()


class _Text:
    def __init__(self, text: str) -> None:
        matches = list(re.finditer(_WORD, text))
        self.tokens = [match[0].strip("'") for match in matches]
        self.spans = [match.span() for match in matches]
        self.starts = {0}
        for at in range(len(self.tokens)):
            self.starts.update(_match(self.tokens, at, ["<urging>"]))
            if at in self.starts and self.tokens[at] in words.POLITE:
                self.starts.add(at + 1)


def _find_wide(pattern: str, text: str) -> Found | None:
    """Scripts without blanks: the pattern anywhere, where `<test>` is a name."""
    place = re.search(pattern.replace("<test>", r"test_\d+"), text)
    return Found(text, place.start(), place.end()) if place else None


def _match(tokens: list[str], at: int, pattern: list[str]) -> Iterator[int]:
    """Yield where the pattern that begins at a word can end."""
    if not pattern:
        yield at
        return
    first, rest = pattern[0], pattern[1:]
    if first == "..":
        yield from _skip(tokens, at, rest)
        return
    for end in _match_piece(tokens, at, first):
        yield from _match(tokens, end, rest)
    if first in _OPTIONAL:
        yield from _match(tokens, at, rest)


def _skip(tokens: list[str], at: int, rest: list[str]) -> Iterator[int]:
    joined = False
    for end in range(at, at + _FEW + 1):
        yield from _match(tokens, end, rest)
        if end >= len(tokens) or tokens[end] in words.BETWEEN or tokens[end] == ",":
            return
        if joined and tokens[end] not in words.BETWEEN_JOINED:
            return
        joined = joined or tokens[end] in words.JOINTS


def _match_piece(tokens: list[str], at: int, piece: str) -> Iterator[int]:
    if piece == "$":
        if at == len(tokens):
            yield at
    elif at >= len(tokens):
        return
    elif piece == "<about>":
        if tokens[at] in _ABOUT:
            yield from range(at + 2, min(at + 5, len(tokens)))
    elif piece[0] == "<":
        yield from _match_list(tokens, at, piece[1:-1])
    elif _fits(tokens[at], piece):
        yield at + 1


def _match_list(tokens: list[str], at: int, name: str) -> Iterator[int]:
    if name == "thing":
        for piece in _THING:
            yield from _match_piece(tokens, at, piece)
        return
    known = _lists[name] if name in _lists else _list(name)
    word = tokens[at]
    for phrase in (*known.get(word[:2], ()), *known.get("", ())):
        for end in _match(tokens, at, phrase):
            if not _is_other(name, tokens[end] if end < len(tokens) else ""):
                yield end


def _list(name: str) -> dict[str, list[list[str]]]:
    """Return the phrases of a list, by their first letters."""
    known: dict[str, list[list[str]]] = {}
    for phrase in sorted(getattr(words, name.upper()), key=len, reverse=True):
        key = phrase[:2] if phrase[:2].isalpha() and " " not in phrase[:2] else ""
        known.setdefault(key, []).append(phrase.split())
    _lists[name] = known
    return known


def _is_other(name: str, after: str) -> bool:
    """Return whether the next word changes the meaning: `test page`, `snapshot test`, `build a page`."""
    if name == "snapshot":
        return after in ("test", "tests")
    if name == "check_build" and after in words.AFTER_BUILD_VERB:
        return True
    return name.startswith(("test", "check_")) and (after in words.AFTER_TEST or after in words.AFTER_CHECK)


def _fits(word: str, form: str) -> bool:
    if form[-1] != "*":
        return word == form
    return word.startswith(form.rstrip("?*")) and len(word) >= len(form) - 1


_HEAD, _TAIL = 4000, 1000  # characters of a goal that are read
_ENOUGH = 2  # words that a goal and a test have in common
_COMMON = frozenset(
    [
        "test",
        "without",
        "with",
        "from",
        "into",
        "that",
        "this",
        "when",
        "then",
        "should",
        "must",
        "does",
        "make",
        "have",
    ]
)
_FILE = (
    r"(?i)\.(?:py|pyi|js|jsx|ts|tsx|mjs|cjs|go|rs|rb|java|kt|php|cs|c|h|cc|cpp|hpp|swift|md|rst|txt|toml|ya?ml|json"
    r"|lock|cfg|ini|html?|css|scss|sql|sh|xml|csv|svg|png|vue|snap|in|log|env|gradle|com|org|net|io|dev|ai)$"
)
_NAME = r"[A-Za-z_$][\w$]*"
_FENCED = r"```.*?(?:```|\Z)"
_INDENTED = r"(?m)^(?: {2,}|\t)(?!\s*(?:[-*+]|\d+[.)])\s).*"
_RAISED = r"\b[\w.]*(?:Error|Exception|Warning)(?=:\s)"
_CODE = (
    rf"(?<![\w./-])--[A-Za-z][\w-]*|(?<![\w./@-])(?:{_NAME}(?:\.|::))*{_NAME}(?=\()"
    rf"|(?<![\w./@-]){_NAME}(?:(?:\.|::){_NAME})+(?![\w/])|(?<![\w./@-]){_NAME}(?![\w/])"
)


def clip_goal(goal: str) -> str:
    """Return the part of a goal that is read: long pasted logs and huge words ask for nothing."""
    text = re.sub(r"\S{300,}", " ", goal)
    return text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"


def drop_pasted(goal: str) -> str:
    """Return a goal without fenced code, traces of calls and messages of errors: their names are of what happened."""
    return re.sub(_RAISED, " ", re.sub(_INDENTED, " ", re.sub(_FENCED, " ", goal, flags=re.DOTALL)))


def read_last_word(name: str) -> str:
    """Return the last part of a name in code form: `take_back` of `Desk.take_back()`."""
    return name.strip("`").rstrip("()").rpartition(".")[2]


def list_code_names(goal: str) -> list[str]:
    """Return the names in code form, in order: without call parentheses, with the dashes of a flag, dotted ones whole,
    the last part of `a::b` and `A#b`."""
    names: dict[str, None] = {}
    text = re.sub(r"\w+://\S+", " ", goal)
    text = re.sub(r"\b([A-Z]\w*)#(?=[a-z_])", r"\1::", text)  # Ruby: `Cart#total`
    for quoted, plain in re.findall(r"`([^`]+)`|([^`]+)", text):
        bare = quoted.strip()
        if re.fullmatch(r"(?:--)?[\w$][\w$.:-]*(?:\(.*\))?", bare) and not re.search(_FILE, bare):
            names[_bare_name(bare)] = None
        else:
            names |= dict.fromkeys(_list_plain_names(quoted or plain))
    return [name for name in names if name]


def _bare_name(text: str) -> str:
    name = text.partition("(")[0].partition("=")[0].rpartition("::")[2]
    return name if re.fullmatch(rf"--[\w-]+|{_NAME}(?:\.{_NAME})*", name, re.ASCII) else ""


def _list_plain_names(text: str) -> list[str]:
    names = []
    spaced = re.sub(r"[^\x00-\x7f]", " ", re.sub(r"[\w./-]+\.\w+::", "", text))
    for match in re.finditer(_CODE, spaced):
        name = match[0]
        after = spaced[match.end() :]
        whole = re.match(r"[\w./-]*", after)
        if re.search(_FILE, name + (whole[0].rstrip(".") if whole else "")):
            continue
        if after.startswith("(") or _is_code_form(name):
            names.append(_bare_name(name))
    return names


def _is_code_form(name: str) -> bool:
    if name.startswith("--") or name.strip("_") != name or "::" in name:
        return True
    if "." in name:
        return all(len(part) > 1 for part in name.split(".")) and name[:1] != "v"
    inner = re.search(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2,}", name)
    return "_" in name or (bool(inner) and name.lower() not in words.BRANDS)


_TEST_NAME = r"test_\w+|Test[A-Z_]\w*|test[A-Z]\w*|\w*[a-z0-9]Tests?(?:Case)?|\w+_tests?|\w+Spec"
_TEST_PATH = (
    r"(?:.*/)?(?:test_[\w.-]+|[\w.-]+[._-](?:test|spec)s?\.\w+|conftest\.py|\w+Tests?\.\w+|[\w.-]+\.snap)"
    r"|(?:.*/)?(?:tests?|specs?|__tests__|__snapshots__)/.+"
)


_WRITTEN = (
    r"""(?i:\b(?:tests?|spec)\s+['"`\u201c](?P<title>[^'"`\u201d]+)['"`\u201d])"""
    r"|(?P<to>\b(?:in)?to\s+[`'\"]?)?(?P<name>[A-Za-z_$][A-Za-z0-9_$./:-]*(?:\[[^\]\s]*\])?)"
)


def mark_tests(goal: str) -> tuple[str, list[str]]:
    """Return the goal in lower case with `test_0`, `test_1` … for each test that it names, and their names."""
    names: list[str] = []

    def mark(match: Match[str]) -> str:
        name = (match["title"] or match["name"]).rstrip(".:-/")
        if match["to"] or not (match["title"] or _is_test_name(name)):
            return match[0]
        names.append(name)
        return f"test_{len(names) - 1}" + (match["name"] or "")[len(name) :]

    text = re.sub(_WRITTEN, mark, goal.replace("\u2019", "'"))
    return fold_goal(text).replace("`", ""), names


def _is_test_name(name: str) -> bool:
    file, _, own = name.partition("::")
    last = name.rpartition(".")[2]
    return bool(own or re.fullmatch(_TEST_PATH, file) or re.fullmatch(_TEST_NAME, last))


def list_marked(text: str, named: list[str]) -> list[str]:
    return [named[int(at)] for at in re.findall(r"\btest_(\d+)\b", text) if int(at) < len(named)]


def is_named_by(name: str, test: str) -> bool:
    """Return whether each part of a name is the test's own name, one of its classes, its file or a folder of it."""
    pieces = [piece.partition("[")[0] for piece in test.replace(" > ", "::").split("::")]
    path = f"/{pieces[0]}"
    known = {piece for whole in pieces for piece in (whole, *whole.split("."))}
    known |= {path.rpartition("/")[2].partition(".")[0]}
    return all(
        part in known or f"{path}/".find(f"/{part.strip('/')}/") >= 0 for part in name.partition("[")[0].split("::")
    )


def names_test_in_words(goal: str, test: str) -> bool:
    """Return whether a goal holds every word of the own name of a test, in plain words."""
    from ..verdict.gate_run import shorten_name

    own = _split_name(shorten_name(test))
    return len(own) >= _ENOUGH and own <= _split_name(goal)


def _split_name(text: str) -> set[str]:
    """Words of at least four letters, without the s of a plural; names are taken apart."""
    parts = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", text)
    own_words = {word.lower().rstrip("s") for word in re.findall(r"[^\W\d_]{4,}", parts)}
    return own_words - _COMMON

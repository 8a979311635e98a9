"""What a goal names: code, by its spelling, and tests."""

import re
from re import Match

from ..verdict.gate_run import shorten_name
from . import goal_words as words
from .phrases import fold_goal

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
    own = _split_name(shorten_name(test))
    return len(own) >= _ENOUGH and own <= _split_name(goal)


def _split_name(text: str) -> set[str]:
    """Words of at least four letters, without the s of a plural; names are taken apart."""
    parts = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", text)
    own_words = {word.lower().rstrip("s") for word in re.findall(r"[^\W\d_]{4,}", parts)}
    return own_words - _COMMON

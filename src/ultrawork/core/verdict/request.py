"""
What a goal asks for: a commit, a push, tests, a check that passes, a test that may change.

English is covered thoroughly. German, French, Spanish, Portuguese, Italian, Dutch, Russian, Chinese, Japanese and
Korean are covered as far as `content/words/goals.toml` reaches. Where a goal can be read in two ways, it asks for
less: no commit, no tests, and no test may change.
"""

from . import goal_words as words
from .gate import BUILD, LINT, TEST, TYPES
from .goals import WORK, find_expectation, find_named_checks, has_order, is_read_only
from .phrases import find, find_all, normalize, split_parts, split_sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from re import Match

_CHECKS = {
    TEST: "<check_test>",
    LINT: "<check_lint>",
    TYPES: "<check_types>",
    BUILD: "<check_build>",
}


def asks_commit(goal: str) -> bool:
    """Whether it orders a commit."""
    text = _unmarked(goal)
    sure = ("commit <surely>",) if find(words.TRANSACTIONS, text) else words.COMMITTING
    return _orders(
        text, sure, ("<never> commit*", "<never> git commit", "<never> push and commit*")
    )


def asks_push(goal: str) -> bool:
    """Whether it orders a push."""
    refused = (
        "<never> push*",
        "<never> git push",
        "<never> commit and push",
        "<never> commit or push",
    )
    return _orders(_unmarked(goal), words.PUSHING, refused)


def _orders(text: str, patterns: tuple[str, ...], refused: tuple[str, ...]) -> bool:
    return any(
        find(patterns, part) and not find(refused, part) and not is_read_only(text)
        for part in split_parts(text)
    )


def _unmarked(goal: str) -> str:
    import re

    text = normalize(goal).replace("`", "")
    return re.sub(r"\b(?:don't|do not|never) forget to\b", "please", text)


def asks_tests(goal: str) -> bool:
    """Whether it asks to write tests, or for work that comes with one."""
    import re

    text, _ = _mark_tests(goal)
    if is_read_only(goal):
        return False
    if re.match(r"tests?(?:\([^)]*\))?!?: (?:add|cover|verify|check)\b", text):
        return True
    return any(_asks_tests(part) for part in split_parts(text))


def _asks_tests(part: str) -> bool:
    found = find(words.ASKING_TESTS, part)
    if not found or find(words.NOT_ASKING_TESTS, part):
        return False
    return not find(words.NEVER, part[: found.start]) and not find(
        ("<never> <write>", "without .. <test>", "no .. <test> $"), part
    )


_FILE = (
    r"(?i)\.(?:py|pyi|js|jsx|ts|tsx|mjs|cjs|go|rs|rb|java|kt|php|cs|c|h|cc|cpp|hpp|swift|md|rst|txt|toml|ya?ml|json"
    r"|lock|cfg|ini|html?|css|scss|sql|sh|xml|csv|svg|png|vue|snap|in|log|env|gradle|com|org|net|io|dev|ai)$"
)
_NAME = r"[A-Za-z_$][\w$]*"
_CODE = (
    rf"(?<![\w./-])--[A-Za-z][\w-]*|(?<![\w./@-])(?:{_NAME}(?:\.|::))*{_NAME}(?=\()"
    rf"|(?<![\w./@-]){_NAME}(?:(?:\.|::){_NAME})+(?![\w/])|(?<![\w./@-]){_NAME}(?![\w/])"
)


def list_code_names(goal: str) -> list[str]:
    """
    The names that it writes in code form, in its order: without the parentheses of a call, with the dashes of a
    flag, dotted ones whole, the last part of `a::b`.
    """
    import re

    found: dict[str, None] = {}
    text = re.sub(r"\w+://\S+", " ", goal)
    for quoted, plain in re.findall(r"`([^`]+)`|([^`]+)", text):
        bare = quoted.strip()
        if re.fullmatch(rf"(?:--)?[\w$][\w$.:-]*(?:\(.*\))?", bare) and not re.search(_FILE, bare):
            found[_bare_name(bare)] = None
        else:
            found |= dict.fromkeys(_list_plain_names(quoted or plain))
    return [name for name in found if name]


def _bare_name(text: str) -> str:
    import re

    name = text.partition("(")[0].partition("=")[0].rpartition("::")[2]
    return name if re.fullmatch(rf"--[\w-]+|{_NAME}(?:\.{_NAME})*", name, re.ASCII) else ""


def _list_plain_names(text: str) -> list[str]:
    import re

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
    import re

    if name.startswith("--") or name.strip("_") != name or "::" in name:
        return True
    if "." in name:
        return all(len(part) > 1 for part in name.split(".")) and name[:1] != "v"
    inner = re.search(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2,}", name)
    return "_" in name or bool(inner) and name.lower() not in words.BRANDS


_TEST_NAME = r"test_\w+|Test[A-Z_]\w*|test[A-Z]\w*|\w*[a-z0-9]Tests?(?:Case)?|\w+_tests?|\w+Spec"
_TEST_PATH = (
    r"(?:.*/)?(?:test_[\w.-]+|[\w.-]+[._-](?:test|spec)s?\.\w+|conftest\.py|\w+Tests?\.\w+|[\w.-]+\.snap)"
    r"|(?:.*/)?(?:tests?|specs?|__tests__|__snapshots__)/.+"
)


_TOKEN = (
    r"""(?i:\b(?:tests?|spec)\s+['"`\u201c](?P<title>[^'"`\u201d]+)['"`\u201d])"""
    r"|(?P<to>\b(?:in)?to\s+[`'\"]?)?(?P<name>[A-Za-z_$][A-Za-z0-9_$./:-]*(?:\[[^\]\s]*\])?)"
)


def _mark_tests(goal: str) -> tuple[str, list[str]]:
    """The goal in lower case with `test_0`, `test_1` … for each test that it names, and their names."""
    import re

    names: list[str] = []

    def mark(found: "Match[str]") -> str:
        name = (found["title"] or found["name"]).rstrip(".:-/")
        if found["to"] or not (found["title"] or _is_test_name(name)):
            return found[0]
        names.append(name)
        return f"test_{len(names) - 1}" + (found["name"] or "")[len(name) :]

    text = re.sub(_TOKEN, mark, goal.replace("\u2019", "'"))
    return normalize(text).replace("`", ""), names


def _is_test_name(name: str) -> bool:
    import re

    file, _, own = name.partition("::")
    last = name.rpartition(".")[2]
    return bool(own or re.fullmatch(_TEST_PATH, file) or re.fullmatch(_TEST_NAME, last))


def covers_test(goal: str, test: str, names: "Collection[str]") -> bool:
    """
    Whether it wants this test changed: it calls a test, snapshot or expectation wrong, or orders to change it.
    It means the tests that it names, else those of a name that it names (`names` are used by the test), else all.
    """
    text, named = _mark_tests(goal)
    parts = split_parts(text)
    scope = [part for part in parts if _blames(part) or _alters(part)]
    scope += [one for one, then in zip(parts, parts[1:], strict=False) if _puts_off(one, then)]
    if not scope or is_read_only(goal) or _spares(text):
        return False
    meant = _list_named(" ".join(scope), named)
    if not meant and (described := [one for part in scope for one in _list_descriptions(part)]):
        own = _split_words(" ".join((test, *names)))
        return any(one <= own for one in described)
    if meant or (meant := _list_named(text, named)):
        return any(_is_named(name, test) for name in meant)
    code = {name.rpartition(".")[2].lower() for name in list_code_names(goal)}
    return not code or bool(code & {name.lower() for name in names})


def _blames(part: str) -> bool:
    found = find(words.BLAMING, part)
    return found is not None and not find(words.DOUBTING, part[: found.start])


def _alters(part: str) -> bool:
    found = find(words.ALTERING, part)
    if found and not find(words.FAULT, found.text.replace("expected error", "")):
        return True
    found = find(words.MENDING_DATA, part)
    return found is not None and not find((*words.FAULT, *words.FAILING), found.text)


def _puts_off(part: str, then: str) -> bool:
    """`test_a fails on CI, skip it`: the test is what the first part speaks of."""
    found = find(("<thing>",), part)
    near = 10
    if not found or found.start > near or words.REASONS & set(part.split()):
        return False
    return find(words.PUTTING_OFF, then) is not None


def _spares(text: str) -> bool:
    return any(
        find(words.SPARING, part) and not words.OTHERS & set(part.split())
        for part in split_parts(text)
    )


def _list_named(text: str, named: list[str]) -> list[str]:
    import re

    return [named[int(at)] for at in re.findall(r"\btest_(\d+)\b", text) if int(at) < len(named)]


def _is_named(name: str, test: str) -> bool:
    """Whether each part of a name is the test's own name, one of its classes, its file or a folder of it."""
    pieces = [piece.partition("[")[0] for piece in test.replace(" > ", "::").split("::")]
    path = f"/{pieces[0]}"
    known = {piece for one in pieces for piece in (one, *one.split("."))}
    known |= {path.rpartition("/")[2].partition(".")[0]}
    return all(
        part in known or f"{path}/".find(f"/{part.strip('/')}/") >= 0
        for part in name.partition("[")[0].split("::")
    )


_NEAR = 3
_BEFORE_DESCRIPTION = (
    *words.ALTER,
    *words.BAD,
    *words.MENDING,
    *words.RENEW,
    *words.URGING,
    *words.BEING,
    *words.ARTICLE,
    *words.LEADING,
)


def _list_descriptions(part: str) -> list[set[str]]:
    """The words that say which tests a part means: `the login test`, `the tests of total`."""
    import re

    made = []
    for found in find_all(("<thing>",), part):
        before = []
        for word in reversed(part[: found.start].split()[-_NEAR:]):
            if word in words.BETWEEN or word in words.POLITE or find(_BEFORE_DESCRIPTION, word):
                break
            before.append(word)
        after = re.match(r"\s+(?:of|for|von|f\u00fcr|para|voor)\s+(.*)", part[found.end :])
        said = (after[1] if after else "").split()
        until = next((at for at, one in enumerate(said) if one in words.BETWEEN), len(said))
        first = [one for one in said[:until] if not _is_generic(one)][:1]
        made.append(_split_words(" ".join([*before, *first])) - words.GENERIC)
    return [one for one in made if one]


def _is_generic(word: str) -> bool:
    return word.strip("'\"") in words.GENERIC or not any(map(str.isalpha, word))


def _split_words(text: str) -> set[str]:
    """Words in lower case without the s of a plural, names taken apart."""
    import re

    parts = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    return {word.lower().rstrip("s") for word in re.findall(r"[A-Za-z\u00c0-\u052f]{2,}", parts)}


def covers_vanished(goal: str, test: str, names: "Collection[str]") -> bool:
    """Whether it takes out a thing that this vanished test is about, or undoes a whole commit."""
    import re

    if is_read_only(goal):
        return False
    own = _split_words(" ".join((test, *names)))
    for part in split_parts(normalize(goal).replace("`", "")):
        if find(words.UNDOING, part) or re.match(r"revert\s+(?:[0-9a-f]{7,40}\b|#\d|\")", part):
            return True
        found = find(("^<removing>",), part)
        if found and _takes_out(part[found.end :], own):
            return True
    return False


def _takes_out(rest: str, own: set[str]) -> bool:
    import re

    cut = rf"\s(?:{'|'.join(('from', 'in', 'because', 'since', 'so', 'as', 'when', 'to', 'before', 'after', 'that', 'which', 'with', 'instead', 'and then', 'but'))})\s"
    thing = re.split(cut, f" {rest} ")[0]
    if find(words.FAULT, thing):
        return False
    said = {word for word in thing.split() if not _is_generic(word)}
    least = 4
    return any(len(word) >= least and word in own for word in _split_words(" ".join(said)))


def wants_check(goal: str, kind: str, command: str) -> bool:
    """Whether it wants this very check to pass."""
    if is_read_only(goal) or asks_run_only(goal):
        return False
    if find_named_checks(goal, [command]):
        return True
    text = _strip_other_tests(_mark_tests(goal)[0])
    names = (_CHECKS.get(kind, "<check_all>"), "<check_all>", *_list_programs(command))
    if find(_SAID_WHOLE.get(kind, ()), text):
        return True
    return any(_wants_green(sentence, names) for sentence in split_sentences(text))


def _wants_green(sentence: str, names: tuple[str, ...]) -> bool:
    """`fix the tests`, `fix login and the lint errors`, and a name before the word for how it ends."""
    for part in split_parts(sentence):
        for found in find_all(names, part):
            before, after = part[: found.start], part[found.end :]
            counted = find(("<fault>",), " ".join(after.split()[:1]))
            if find(_FIXED, before) or (counted and (not before or find(words.GREENING, before))):
                return True
    first = find(names, sentence)
    return first is not None and find(words.ENDING, sentence[first.end :]) is not None


_SAID_WHOLE = {BUILD: words.NOT_COMPILING, TYPES: words.TYPE_CHECKING}
_FIXED = ("^<greening> .. $", "^<greening> .. <fault> with .. $")


def _strip_other_tests(text: str) -> str:
    """Without tests that are to be written, those of one thing, and places where something fails."""
    import re

    text = re.sub(r"\([^)]*\)", " ", text)
    text = re.sub(r"\btests?\s+(?:of|for|about|in|under|that|which)\b", " ", text)
    text = re.sub(r"\b(?:on|in|for|under|to)\s+(?:the\s+)?ci\b", " ", text)
    for part in split_parts(text):
        if found := find(words.ASKING_TESTS, part):
            text = text.replace(found.text, " ")
    return text


def _list_programs(command: str) -> list[str]:
    import re

    least = 3
    return [
        one
        for one in re.findall(r"[a-z][a-z0-9-]*", command)
        if len(one) > least and one not in words.COMMON_PROGRAMS
    ]


def wants_test(goal: str, test: str) -> bool:
    """Whether it wants this test, by its name, to pass."""
    if is_read_only(goal):
        return False
    text, named = _mark_tests(goal)
    return any(
        any(_is_named(name, test) for name in _list_named(sentence, named))
        and _wants_named(sentence)
        for sentence in split_sentences(text)
    )


def _wants_named(sentence: str) -> bool:
    away = any(
        _alters(part) or _asks_tests(part) for part in split_parts(sentence) if "test_" in part
    )
    refused = find(("<never> <greening>",), sentence)
    return not away and not refused and bool(find((*words.ENDING, *words.GREENING), sentence))


def wants_change(goal: str) -> bool:
    """Whether it expects work: more than an answer, and more than a run."""
    return find_expectation(goal) == WORK and not asks_run_only(goal)


def asks_run_only(goal: str) -> bool:
    """Whether it asks to run something and to report; then the agent's own run is the result."""
    text = _unmarked(goal)
    first, *rest = split_parts(text) or [""]
    demands = any(find(words.DEMANDING, part) and not find(words.NEVER, part) for part in rest)
    if demands or has_order(goal) or not find(_RUN, first):
        return False
    whole = not rest and find(tuple(f"{one} $" for one in _RUN), first)
    return bool(whole) or find(words.REPORTING, text) is not None


_RUN = ("^<running> .. <runnable>", "<running_whole>")

"""
What a goal asks for: a commit, a push, tests, a check that passes, a test that may change.

English is covered thoroughly. German, French, Spanish, Portuguese, Italian, Dutch, Russian, Chinese, Japanese and
Korean are covered as far as `words/goals.toml` reaches. Where a goal can be read in two ways, it asks for
less: no commit, no tests, and no test may change.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise

from ..verdict.gate import BUILD, LINT, TEST, TYPES
from . import goal_words as words
from .goals import find_named_checks, has_order, is_fix, is_read_only, speaks_of_tests
from .phrases import (
    find,
    find_all,
    fold_goal,
    is_named_by,
    list_code_names,
    list_marked,
    mark_tests,
    split_at_marks,
    split_sentences,
)

_CHECKS = {TEST: "<check_test>", LINT: "<check_lint>", TYPES: "<check_types>", BUILD: "<check_build>"}


def asks_commit(goal: str) -> bool:
    """Return whether it orders a commit."""
    text = _unmarked(goal)
    sure = ("commit <surely>",) if find(words.TRANSACTIONS, text) else words.COMMITTING
    return _orders(text, sure, ("<never> commit*", "<never> git commit", "<never> push and commit*"))


def asks_push(goal: str) -> bool:
    """Return whether it orders a push."""
    refused = ("<never> push*", "<never> git push", "<never> commit and push", "<never> commit or push")
    return _orders(_unmarked(goal), words.PUSHING, refused)


def _orders(text: str, patterns: tuple[str, ...], refused: tuple[str, ...]) -> bool:
    return any(
        find(patterns, part) and not find(refused, part) and not is_read_only(text) for part in split_at_marks(text)
    )


def _unmarked(goal: str) -> str:
    text = fold_goal(goal).replace("`", "")
    return re.sub(r"\b(?:don't|do not|never) forget to\b", "please", text)


def asks_tests(goal: str) -> bool:
    """Return whether it asks to write tests, or for work that comes with one."""
    text, _ = mark_tests(goal)
    if is_read_only(goal):
        return False
    if re.match(r"tests?(?:\([^)]*\))?!?: (?:add|cover|verify|check)\b", text):
        return True
    # An example in documentation may be one that nothing runs, and `test:watch` or a test job is no test.
    text = re.sub(r"\bdoctest", "example", text)
    text = re.sub(r"\btests?(?::[\w:-]+| (?:job|step|workflow|matrix|runner)s?\b)", "script", text)
    return any(
        _asks_tests(part, removes=removes)
        for sentence in split_sentences(text)
        for part, removes in _mark_removing(split_at_marks(sentence.replace("()", "")))
    )


def _mark_removing(parts: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield each part, and whether it belongs to an order to remove something: `remove it, with its tests`."""
    removes = False
    for part in parts:
        place = find(("^<removing>",), part) or find(words.REMOVING_WHOLE, part)
        # `add delete and remove` orders no removal.
        is_removing = place is not None and not has_order(part[: place.start])
        removes = is_removing or (removes and not has_order(part))
        yield part, removes


def _asks_tests(part: str, *, removes: bool = False) -> bool:
    asked = list(find_all(words.ASKING_TESTS, part))
    if removes:
        asked = [place for place in asked if not find(words.TESTS_TOO, place.text)]
    if not asked or find(words.NOT_ASKING_TESTS, part):
        return False
    return not find(words.NEVER, part[: asked[0].start]) and not find(
        ("<never> <write>", "without .. <test>", "no .. <test> $"), part
    )


# A goal is read once, and asked for each of many tests.
_scopes: dict[str, tuple[str, list[str], list[str]]] = {}


def _find_scope(goal: str) -> tuple[str, list[str], list[str]]:
    """Return the goal with tests marked, their names, and the parts that want a test changed."""
    text, named = mark_tests(goal)
    parts = split_at_marks(text)
    fails = find(words.FAILING, text) is not None
    scope = [part for part in parts if _blames(part) or _alters(part, fails=fails)]
    if find(words.CODE_IS_RIGHT, text):
        scope += [part for part in parts if find(("<thing>",), part)]
    scope += [part for part, then in pairwise(parts) if _puts_off(part, then)]
    if scope and (is_read_only(goal) or _spares(text)):
        scope = []
    _scopes.clear()
    _scopes[goal] = text, named, scope
    return _scopes[goal]


def covers_test(goal: str, test: str, names: Collection[str]) -> bool:
    """
    Whether it wants this test changed: it calls a test, snapshot or expectation wrong, or orders to change it.
    It means the tests that it names, else those of a name that it names (`names` are used by the test), else all.
    """
    if _is_about_tests(goal):
        return True
    text, named, scope = _scopes[goal] if goal in _scopes else _find_scope(goal)
    if not scope:
        return False
    meant = list_marked(" ".join(scope), named)
    if not meant and (described := [description for part in scope for description in _list_descriptions(part)]):
        own = _split_words(" ".join((test, *names)))
        return any(description <= own for description in described)
    if meant or (meant := list_marked(text, named)):
        return any(is_named_by(name, test) for name in meant)
    code = {name.rpartition(".")[2].lower() for name in list_code_names(goal)}
    return not code or bool(code & {name.lower() for name in names})


def _is_about_tests(goal: str) -> bool:
    """Return whether it is titled like a commit about tests alone: `refactor(tests): …`, `chore(test): …`."""
    return bool(re.match(r"(?:refactor|chore|style)\((?:unit[ _-]?)?tests?\)!?: ", goal.lower()))


def _blames(part: str) -> bool:
    place = find(words.BLAMING, part)
    return place is not None and not find(words.DOUBTING, part[: place.start])


def _alters(part: str, *, fails: bool = False) -> bool:
    """Return whether it asks to change a test. `fix the test that fails` asks to change the code."""
    place = find(words.ALTERING, part)
    mends = fails and place is not None and find(words.MENDING, place.text) is not None
    if place and not mends and not find(words.FAULT, place.text.replace("expected error", "")):
        return True
    place = find(words.MENDING_DATA, part)
    return place is not None and not find((*words.FAULT, *words.FAILING), place.text)


def _puts_off(part: str, then: str) -> bool:
    """Return whether a part about a test is followed by putting it off: `test_a fails on CI, skip it`."""
    place = find(("<thing>",), part)
    near = 10
    if not place or place.start > near or words.REASONS & set(part.split()):
        return False
    return find(words.PUTTING_OFF, then) is not None


def _spares(text: str) -> bool:
    return any(find(words.SPARING, part) and not words.OTHERS & set(part.split()) for part in split_at_marks(text))


_NEAR = 3
_BEFORE_DESCRIPTION = (
    *words.ALTER, *words.BAD, *words.MENDING, *words.RENEW, *words.URGING, *words.BEING, *words.ARTICLE, *words.LEADING,
)  # fmt: skip


def _list_descriptions(part: str) -> list[set[str]]:
    """The words that say which tests a part means: `the login test`, `the tests of total`, `test total is`."""
    made = []
    for place in find_all(("<thing>",), part):
        before = []
        for word in reversed(part[: place.start].split()[-_NEAR:]):
            if word in words.BETWEEN or word in words.POLITE or find(_BEFORE_DESCRIPTION, word):
                break
            before.append(word)
        after = re.match(r"\s+(?:of|for|von|f\u00fcr|para|voor)\s+(.*)", part[place.end :])
        after = after or re.match(r"\s+(\w+)(?=\s+(?:is|was|has|seems|looks)\b)", part[place.end :])
        parts = (after[1] if after else "").split()
        until = next((at for at, piece in enumerate(parts) if piece in words.BETWEEN), len(parts))
        first = [piece for piece in parts[:until] if not _is_generic(piece)][:1]
        made.append(_split_words(" ".join([*before, *first])) - words.GENERIC)
    return [description for description in made if description]


def _is_generic(word: str) -> bool:
    return word.strip("'\"") in words.GENERIC or not any(map(str.isalpha, word))


def _split_words(text: str) -> set[str]:
    """Words in lower case without the s of a plural, names taken apart."""
    parts = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    return {word.lower().rstrip("s") for word in re.findall(r"[A-Za-z\u00c0-\u052f]{2,}", parts)}


def covers_vanished(goal: str, test: str, names: Collection[str]) -> bool:
    """Return whether it takes out a thing that this vanished test is about, or undoes a whole commit."""
    if is_read_only(goal):
        return False
    if _undoes_commit(goal):
        return True
    own = _split_words(" ".join((test, *names)))
    return any(word.startswith(named) for named in name_removed(goal) for word in own)


# Work that may put tests away although no behavior goes with them.
_ORDERING = (
    r"\b(?:clean|tid[iy]|dead|unused|obsolete|redundan|duplicat|dedup|prun|simplif|refactor|restructur|reorgani[sz]|mov[ei]"
    r"|split|merg|renam|replac|migrat|port|convert|rewrit|räum|vereinfach|nettoy|limpi|riordin|opruim)"
)


def may_cost_tests(goal: str) -> bool:
    """Return whether tests may go for it: it speaks of them, takes something out, or puts code in order."""
    text = fold_goal(goal)
    removes = any(removes for _, removes in _mark_removing(split_at_marks(text)))
    return removes or speaks_of_tests(goal) or _undoes_commit(goal) or re.search(_ORDERING, text) is not None


def _undoes_commit(goal: str) -> bool:
    parts = split_at_marks(fold_goal(goal).replace("`", ""))
    commit = r"revert\s+(?:[0-9a-f]{7,40}\b|#\d|\")"
    return any(find(words.UNDOING, part) or re.match(commit, part) for part in parts)


def name_removed(goal: str) -> set[str]:
    """Return the words for what it takes out: of `drop support for info as a parameter` they are info and support.
    A commit that it undoes has no name."""
    named: set[str] = set()
    if _undoes_commit(goal):
        return named
    for part in split_at_marks(fold_goal(goal).replace("`", "").replace("()", "")):
        if place := find(("^<removing>",), part):
            # The thing stands inside of `take the cache out`.
            inside = place.text.split()[1:-1] if place.text.endswith((" out", " aus", " raus")) else ()
            named |= _name_thing(" ".join((*inside, part[place.end :])))
    return named


def _name_thing(rest: str) -> set[str]:
    parts = rest.split()
    end = next((at for at, word in enumerate(parts) if word in words.AFTER_THING), len(parts))
    if find(words.FAULT, " ".join(parts[:end])):
        return set()
    least = 4
    text = " ".join(word for word in parts[:end] if not _is_generic(word))
    return {word for word in _split_words(text) if len(word) >= least}


def wants_check(goal: str, kind: str, command: str) -> bool:
    """Return whether it wants this check to pass."""
    if is_read_only(goal) or asks_run_only(goal):
        return False
    if find_named_checks(goal, [command]):
        return True
    text = _strip_other_tests(mark_tests(goal)[0])
    names = (_CHECKS.get(kind, "<check_all>"), "<check_all>", *_list_programs(command))
    if find(_SAID_WHOLE.get(kind, ()), text):
        return True
    return any(_wants_green(sentence, names) for sentence in split_sentences(text))


def is_fix_for_tests(goal: str) -> bool:
    """Return whether it wants a fix that a test can show: more than lint, types or the build."""
    if not is_fix(goal):
        return False
    marks = [part for split_sentence in split_sentences(fold_goal(goal)) for part in split_at_marks(split_sentence)]
    parts = [part for mark in marks for part in re.split(r"\band\b", mark)]
    others = [part for part in parts if not _wants_other_check(part)]
    return len(others) == len(parts) or any(map(is_fix, others))


def _wants_other_check(part: str) -> bool:
    return _wants_green(part.strip(), tuple(_CHECKS[kind] for kind in (LINT, TYPES, BUILD)))


def _wants_green(sentence: str, names: tuple[str, ...]) -> bool:
    """`fix the tests`, `fix login and the lint errors`, and a name before the word for how it ends."""
    for part in split_at_marks(sentence):
        for place in find_all(names, part):
            before, after = part[: place.start], part[place.end :]
            if find(words.PARTLY, before.rpartition(" and ")[2]):
                continue
            counted = find(("<fault>",), " ".join(after.split()[:1]))
            if find(_FIXED, before) or (counted and (not before or find(words.GREENING, before))):
                return True
    first = find(names, sentence)
    return first is not None and find(words.ENDING, sentence[first.end :]) is not None


_SAID_WHOLE: dict[str, tuple[str, ...]] = {BUILD: words.NOT_COMPILING, TYPES: words.TYPES_WANTED}
_FIXED = ("^<greening> .. $", "^<greening> .. <fault> with .. $")


def _strip_other_tests(text: str) -> str:
    """Return the text without tests to be written, tests of one thing, and places where something fails."""
    text = re.sub(r"\([^)]*\)", " ", text)
    text = re.sub(r"\btests?\s+(?:of|for|about|in|under|that|which)\b", " ", text)
    text = re.sub(r"\b(?:on|in|for|under|to)\s+(?:the\s+)?ci\b", " ", text)
    for part in split_at_marks(text):
        if place := find(words.ASKING_TESTS, part):
            text = text.replace(place.text, " ")
    return text


def _list_programs(command: str) -> list[str]:
    least = 3
    return [
        program
        for program in re.findall(r"[a-z][a-z0-9-]*", command)
        if len(program) > least and program not in words.COMMON_PROGRAMS
    ]


def wants_test(goal: str, test: str) -> bool:
    """Return whether it wants this test, by its name, to pass."""
    if is_read_only(goal):
        return False
    text, named = mark_tests(goal)
    return any(
        any(is_named_by(name, test) for name in list_marked(sentence, named)) and _wants_named(sentence)
        for sentence in split_sentences(text)
    )


def _wants_named(sentence: str) -> bool:
    away = any(_alters(part) or _asks_tests(part) for part in split_at_marks(sentence) if "test_" in part)
    refused = find(("<never> <greening>",), sentence)
    return not away and not refused and bool(find((*words.ENDING, *words.GREENING), sentence))


def asks_run_only(goal: str) -> bool:
    """Return whether it asks to run something and to report; then the agent's own run is the result."""
    text = _unmarked(goal)
    first, *rest = split_at_marks(text) or [""]
    demands = any(find(words.DEMANDING, part) and not find(words.NEVER, part) for part in rest)
    if demands or has_order(goal) or not find(_RUN, first):
        return False
    whole = not rest and find(tuple(f"{pattern} $" for pattern in _RUN), first)
    return bool(whole) or find(words.REPORTING, text) is not None


_RUN = ("^<running> .. <runnable>", "<running_whole>")

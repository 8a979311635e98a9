"""What a goal says about itself: whether it wants changes, is a fix, what it forbids, whether it is about tests, and
which test it names."""

import re
from collections.abc import Iterable

from ..patterns import compile_late
from . import goal_words as words
from .phrases import WIDE_MARKS, either, fold_goal

# What a goal implies for the files.
WORK = "work"
ANSWER = "answer"
EITHER = "either"
_REQUESTS = ("can you", "could you", "would you", "will you", "kannst du", "peux-tu", "puedes", "você pode")
_DOCS = (
    r"(?i)\b(readme|(?:js|java|ts|go|py|php|rust|r|k)?docs?|documentation|typos?|spelling|wording|comments?|docstrings?|document(?:ed|ing)?|doctests?|changelog|guide|links?"
    r"|tippfehler|doku\w*|coquilles?|erratas?|errata)\b|\.(md|rst|txt)\b|\u6587\u6863|\u30c9\u30ad\u30e5"
)
_ENDS = "\u3002.?\uff1f!\uff01 "


def _has(text: str, phrases: Iterable[str]) -> bool:
    """Return whether one of them occurs as whole words."""
    return re.search(rf"(?<!\w){either(phrases)}(?!\w)", text) is not None


def _split_clauses(text: str) -> list[str]:
    """Return the parts between marks and conjunctions, without introductory words."""
    marks = rf"[.;:!?,()\u2014]+(?=\s|$)|\n|{WIDE_MARKS}|\s-+\s"
    parts = re.split(rf"{marks}|\b{either(words.JOINTS)}\b(?=\s)", text)
    return [bare for part in parts if (bare := _introduced(part))]


def _introduced(clause: str) -> str:
    """Return the clause from its first meaningful word."""
    for match in re.finditer(r"[^\W_][\w'`]*", clause):
        if match[0] not in words.POLITE and match[0] not in words.JOINTS:
            return clause[match.start() :]
    return ""


def _first_word(clause: str) -> str:
    match = re.match(r"[^\W\d_][\w']*", clause)
    return match[0] if match else ""


def find_expectation(goal: str) -> str:
    """
    Whether changes are expected: WORK, no ANSWER without one but reading, or EITHER where the goal may
    already be met or both can be meant. A verb that reads does not speak for the clauses behind it.
    """
    text = fold_goal(goal)
    clauses = _split_clauses(text)
    orders = _has_order(text, clauses)
    reads = _reads(text, clauses)
    if orders:
        # `what do add and remove do?` is a question, although part of it looks like an order.
        asks = reads and text.endswith(("?", "\uff1f")) and not text.startswith(_REQUESTS)
        return EITHER if asks else WORK
    if any(clause.startswith(words.ENSURING) for clause in clauses) or _ends_with(text, words.ENSURING):
        return EITHER
    if not reads:
        return EITHER if clauses and _first_word(clauses[0]) in words.DOUBTFUL else WORK
    return EITHER if _demands(text, clauses) else ANSWER


def has_order(goal: str) -> bool:
    """Return whether a clause orders a change."""
    text = fold_goal(goal)
    return _has_order(text, _split_clauses(text))


def is_read_only(goal: str) -> bool:
    """Return whether no change is expected: the first verb asks for an answer, and nothing behind it for work."""
    return find_expectation(goal) == ANSWER


def _reads(text: str, clauses: list[str]) -> bool:
    if text.startswith(words.READING_STARTS) or _ends_with(text, words.READING_ENDS):
        return True
    first, *rest = re.findall(r"[^\W\d_][\w']*", clauses[0] if clauses else "") or [""]
    if first in words.HELPING and text.endswith(("?", "\uff1f")):
        return True
    if first in words.ASKING_WITH_HELP:
        return bool(rest) and rest[0] in words.HELPING
    return first in words.READING or (clauses[:1] != [] and clauses[0].startswith(words.READING_STARTS))


def _has_order(text: str, clauses: list[str]) -> bool:
    """Return whether a clause begins with a verb that changes something, or ends with one where verbs stand last."""
    if any(_first_word(clause) in words.CHANGING and not clause.startswith(words.ENSURING) for clause in clauses):
        return True
    wide = re.split(rf"{WIDE_MARKS}|\n", text)
    if any(_ends_with(part, words.CHANGING_ENDS) for part in wide):
        return True
    anywhere = either(words.CHANGING_ANYWHERE)
    return bool(re.search(rf"(?:^|{either(words.JOINTS_ANYWHERE)})\s*{anywhere}", text))


def _demands(text: str, clauses: list[str]) -> bool:
    """Return whether something behind the first clause says what must hold, or wishes for a change."""
    if text.startswith(words.SUGGESTING) or _has(text, ("i want", "quiero", "quero", "voglio")):
        return True
    if any(_has(clause, words.DEMANDING) for clause in clauses[1:]):
        return True
    return any(phrase in text for phrase in words.DEMANDING_ANYWHERE) and not text.endswith(words.READING_ENDS)


def _ends_with(text: str, ends: tuple[str, ...]) -> bool:
    bare = text.rstrip(_ENDS)
    for polite in ("ください", "下さい", "お願いします", "주세요"):
        bare = bare.removesuffix(polite)
    return bare.endswith(ends)


def is_fix(goal: str) -> bool:
    """Return whether something is wrong and must be fixed: then a check has to show it."""
    text = fold_goal(goal)
    clauses = _split_clauses(text)
    if any(phrase in text for phrase in words.FIXING_ANYWHERE):
        return True
    if any(_first_word(clause) in words.FIXING for clause in clauses) or _is_told_to_fix(text):
        return True
    if not clauses or _first_word(clauses[0]) in words.MAKING:
        return False
    return _says_broken(text) or _wants_green(text)


def wants_behavior(goal: str) -> bool:
    """Return whether something is to be fixed, or the goal says what must hold."""
    return is_fix(goal) or _has(fold_goal(goal), words.DEMANDING)


def _is_told_to_fix(text: str) -> bool:
    """`help me fix it`, `it is time to repair the login`; no noun, no name."""
    # Before an infinitive: `ajuda a corrigir` is told to fix, `log a debug line` is not.
    portuguese = r"a(?=\s+(?!repair\b)\w+(?:[aei]r|re)\b)"
    before = rf"(?:(?<!how )to|me|us|you|must|should|please|ich|bitte|à|de|para|{portuguese}|нужно|надо)"
    return re.search(rf"\b{before}\s+{either(words.FIXING)}\b(?![-_./])", text) is not None


def _says_broken(text: str) -> bool:
    for match in re.finditer(rf"(?<![\w-]){either(words.BROKEN)}(?![\w-])", text):
        after = re.match(r"\s*(\w+)", text[match.end() :])
        noun = match[0].startswith("bug") and after and after[1] in words.AFTER_BUG
        # A test that is called wrong is to be rewritten.
        of_test = "wrong" in match[0] and re.search(r"\btest\w*\s+is\s+$", text[: match.start()])
        if not noun and not of_test:
            return True
    return False


def _wants_green(text: str) -> bool:
    """`make the tests pass`, `get CI green`: what is red is to be right."""
    wish = r"\b(?:make|get|turn|bring|have)\b.*\b(?:pass|passes|passing|green|work again|succeed)\b"
    checks = r"test|\b(?:lint|types|build|checks?|suite|ci|mypy|ruff|eslint)\b"
    return re.search(wish, text) is not None and re.search(checks, text) is not None


def forbids_running(goal: str) -> bool:
    """Return whether the user forbids running: `do not run the tests, I will`. That applies to us too."""
    text = fold_goal(goal)
    if any(phrase in text for phrase in words.NOT_RUNNING_WHOLE):
        return True
    target = rf"(?:\w+\s+){{0,2}}?{either(words.WHAT_IS_RUN)}(?!\w)"
    starts = rf"(?:^|[.;:!?,\n(\u2014-]\s*|\b(?:and|but|please|then|bitte|ulw|{either(words.JOINTS)})\s+)"
    for match in re.finditer(rf"{starts}{either(words.NOT_RUNNING)}\s+{target}", text):
        after = re.match(r"\s*(\w+)", text[match.end() :])
        if not after or after[1] not in words.WAYS_OF_RUNNING:
            return True
    # `without running the tests` needs no clause of its own.
    without = [phrase for phrase in words.NOT_RUNNING if " " in phrase and phrase.split()[0] in _WITHOUT]
    return re.search(rf"(?<!\w){either(without)}\s+{target}", text) is not None


_WITHOUT = frozenset(("without", "sans", "sin", "sem", "senza", "zonder", "без", "ohne"))


NAMED_IN_GOAL = "named in the goal"
_HOLDS = r"(?:must|should|shall|has|have|needs?|is|stays?|passes|pass|fails|goes|exits|ends|succeeds|works|to)"
_WISH = (
    r"\b(?:must|should|shall|pass|passes|passing|green|succeed|succeeds|fail|fails|failing|red|clean|fix|repair"
    r"|works|broken|without errors|no errors|muss|soll|grün|doit|debe|deve)\b"
)
_BEFORE_CALL = r"(?:run|runs|fix|repair|mend|with|by|via|until|that|and|then|keep|also)"


def find_named_checks(goal: str, calls: Iterable[str]) -> list[str]:
    """Return the calls that the goal wants to pass, in order. `make links` is a call if it is quoted or its context
    says so: `make links pass` could be English."""
    places: dict[str, int] = {}
    clauses = re.split(r"(?<=[.;!?\n])\s|\n", goal)
    for clause in clauses:
        if re.search(r"(?i)\b(?:do not|don't|never|without running)\b", clause):
            continue
        for call in calls:
            at = _find_call(clause, call)
            if at is not None and re.search(_WISH, clause.lower()):
                places.setdefault(call, goal.index(clause) + at)
    return sorted(places, key=lambda call: places[call])


def _find_call(clause: str, call: str) -> int | None:
    name = rf"(?<![\w./-]){re.escape(call)}(?![\w:/-]|\.\w)"
    quoted = re.search(rf"[`'\"]\s*(?:\$ )?{name}\s*[`'\"]", clause)
    if quoted:
        return quoted.start()
    if not call.startswith("make "):
        plain = re.search(name, clause)
        return plain.start() if plain else None
    match = re.search(rf"{name}\s+{_HOLDS}\b|\b{_BEFORE_CALL}\s+{name}", clause)
    return match.start() if match else None


def asks_for_abstract(goal: str) -> bool:
    """Return whether code is asked for that others will fill in."""
    text = fold_goal(goal)
    return _has(text, words.ABSTRACT) or any(phrase in text for phrase in words.ABSTRACT_ANYWHERE)


_TESTS = compile_late(
    r"(?i)test|тест|テスト|测试|測試|테스트|prueba|spec|fixture|mock|snapshot|golden|coverage|flak|assert|expect|warning|"
    r"deprecat|lint|typ(?:es?|ing)\b|\bci\b|\bbuild"
)
_LETS = r"\blet (?!me\b|us\b)"
_BESIDE = "with|plus|mit|avec|con|com|met"
_BEFORE_TESTS = rf"[.;:,](?=\s)|\n|\b(?:{_BESIDE}|{either(words.JOINTS)})\b"
_COVERING = r"\b(?:un)?cover|\bregress"


def speaks_of_docs(goal: str) -> bool:
    """Return whether the goal may ask to fix wording instead of behavior."""
    return bool(re.search(_DOCS, goal))


def speaks_of_tests(goal: str) -> bool:
    """Return whether the goal may ask to fix a test, a run of the tests, or what a tool says of them."""
    return bool(_TESTS.search(goal))


def find_order_before_tests(goal: str) -> str:
    """Return what the goal orders before it speaks of tests: of `let mark refuse 0, and test that` the first part."""
    order = _split_at_tests(goal)[0]
    text = fold_goal(order)
    return order if has_order(order) or _has(text, words.DEMANDING) or re.search(_LETS, text) else ""


def wants_more_than_test(goal: str) -> bool:
    """Return whether the goal says how the product must behave and wants a test beside it: `x should trim, with a test`.
    Of `x must never be negative, add a test` the test may be all."""
    order, joint = _split_at_tests(goal)
    beside = re.fullmatch(_BESIDE, joint.lower()) is not None
    return beside and wants_behavior(order) and not re.search(_COVERING, fold_goal(order))


def _split_at_tests(goal: str) -> tuple[str, str]:
    """Return what stands before the goal speaks of tests, and the word or sign between."""
    tests = _TESTS.search(goal)
    joints = list(re.finditer(_BEFORE_TESTS, goal[: tests.start()])) if tests else []
    return (goal[: joints[-1].start()].strip(" ,"), joints[-1][0]) if joints else ("", "")

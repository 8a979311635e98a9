"""
What a goal says about itself: whether it wants changes, whether it is about tests, and whether it is about
the same thing as a name or a message.
"""

from . import goal_words as words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SHORTEST_WORD = 4
_CI = r"\bCI\b|\bci (?:is|job|run|pipeline|fails|green|red)\b"


def _either(phrases: tuple[str, ...]) -> str:
    """A pattern for any of them; a `*` in one stands for letters, `?*` for at least one."""
    import re

    told = (re.escape(one).replace(r"\?\*", r"\w+").replace(r"\*", r"\w*") for one in phrases)
    return f"(?:{'|'.join(told)})"


def is_read_only(goal: str) -> bool:
    """Whether no change is expected: the first verb asks for an answer, and no other for work."""
    import re

    text = goal.strip().lower()
    changing = rf"\b{_either(words.JOINTS)}\s+(?:then\s+|also\s+)?{_either(words.CHANGING)}\b"
    if re.search(changing, text):
        return False
    if text.startswith(words.READING_STARTS):
        return True
    if text.rstrip("\u3002.?\uff1f!").endswith(words.READING_ENDS):
        return True
    said = re.findall(r"[^\W\d_][\w'\u2019]*", text)
    return next((word for word in said if word not in words.POLITE), "") in words.READING


def is_about_tests(goal: str) -> bool:
    import re

    tests = rf"(?i:\b{_either(words.TESTS)}\b)|{_CI}|{_either(words.TESTS_ANYWHERE)}"
    if re.search(tests, goal):
        return True
    build = rf"(?i)\bbuilds?\b(?!\s+{_either(words.AFTER_BUILD_VERB)}\b)"
    match = re.search(build, goal)
    return match is not None and bool(goal[: match.start()].strip())


def may_put_away(goal: str, test: str) -> bool:
    """Whether the goal names this test together with skip, remove, rewrite, outdated, wrong …"""
    import re

    if not re.search(rf"(?i)\b{_either(words.PUTTING_AWAY)}\b", goal):
        return False
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", goal) for name in _spellings(test))


def _spellings(test: str) -> set[str]:
    """A test's own name, its class and its file, where they cannot be taken for ordinary words."""
    parts = [part.partition("[")[0] for part in test.replace(" > ", "::").split("::")]
    file = parts[0].rpartition("/")[2]
    names = {*parts, file, file.partition(".")[0], parts[-1].rpartition(".")[2]}
    return {name for name in names if _unmistakable(name)}


def _unmistakable(name: str) -> bool:
    lower = name.lower()
    return lower not in ("test", "tests") and any(mark in lower for mark in ("test", "_", " "))


def find_identifiers(text: str) -> set[str]:
    """Lower-case words of at least four letters, with the parts of snake_case and camelCase."""
    import re

    found = set()
    for word in re.findall(r"[^\W\d]\w*", text):
        parts = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", word).split("_")
        for part in (word, *parts):
            bare = part.strip("_0123456789").lower()
            if len(bare) >= SHORTEST_WORD and bare not in words.COMMON_WORDS:
                found.add(bare)
    return found


def find_stem(path: str) -> str:
    """What a file is about: `tests/test_pay.py`, `pay.spec.ts` and `src/pay.py` are about pay."""
    import re

    name = path.rpartition("/")[2].lower()
    bare = re.sub(r"([._-](tests?|spec))?(\.\w+)+$", "", name).strip("_")
    return re.sub(r"^tests?[_-]|[_-]?tests?$", "", bare)


def find_shared_word(test: str, message: str, goal: str, changed: "Iterable[str]") -> str:
    """The first word that a failure has in common with the goal or a changed file; empty if none."""
    first, *rest = test.replace(" > ", "::").split("::")
    place, _, said = message.partition("  ")
    files = {find_stem(first), find_stem(place.partition(":")[0])} - words.COMMON_WORDS - {""}
    names = [first.rpartition("/")[2], *rest, said or place]
    about = files | find_identifiers("\n".join(names))
    paths = tuple(changed)
    theirs = {find_stem(path) for path in paths} | find_identifiers(goal)
    theirs |= find_identifiers("\n".join(path.rpartition("/")[2] for path in paths))
    single = {_single(word) for word in theirs - words.COMMON_WORDS}
    return min((word for word in about - words.COMMON_WORDS if _single(word) in single), default="")


def _single(word: str) -> str:
    """`discounts` and `discount` are one word."""
    return word[:-1] if word.endswith("s") and len(word) > SHORTEST_WORD + 1 else word

"""Words of names, goals and messages, for asking whether two texts are about the same thing."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LEAST = 4
# Words that any test, failure or request may hold: sharing one of them says nothing.
_COMMON = """
    test tests testing spec specs suite case cases assert asserts assertion assertionerror error errors
    exception expected expect received actual fail fails failed failing failure passed passes should
    must with without from into this that these those then than when where which while what have
    does done make makes made work works working return returns returned value values type types true
    false none null undefined equal equals object function method class code file files line lines
    name names index main init helper helpers util utils common base module import string number list
    dict args kwargs self line implement implemented implementation change changes changed update
    updates please just also only some more most there their them they your need needs want wants
    would could again after before about over under valueerror typeerror keyerror attributeerror
    runtimeerror indexerror nameerror not_equal strictly
"""
COMMON = frozenset(_COMMON.split())


def identifiers(text: str) -> set[str]:
    """Lower-case words of at least four letters, with the parts of snake_case and camelCase."""
    import re

    found = set()
    for word in re.findall(r"[^\W\d]\w*", text):
        parts = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", word).split("_")
        for part in (word, *parts):
            bare = part.strip("_0123456789").lower()
            if len(bare) >= LEAST and bare not in COMMON:
                found.add(bare)
    return found


def stem(path: str) -> str:
    """What a file is about: `tests/test_pay.py`, `pay.spec.ts` and `src/pay.py` are about pay."""
    import re

    name = path.rpartition("/")[2].lower()
    bare = re.sub(r"([._-](tests?|spec))?(\.\w+)+$", "", name).strip("_")
    return re.sub(r"^tests?[_-]|[_-]?tests?$", "", bare)


def shared(test: str, message: str, goal: str, changed: "Iterable[str]") -> str:
    """The first word that a failure has in common with the goal or a changed file; empty if none."""
    first, *rest = test.replace(" > ", "::").split("::")
    place, _, said = message.partition("  ")
    files = {stem(first), stem(place.partition(":")[0])} - COMMON - {""}
    names = [first.rpartition("/")[2], *rest, said or place]
    about = files | identifiers("\n".join(names))
    paths = tuple(changed)
    theirs = {stem(path) for path in paths} | identifiers(goal)
    theirs |= identifiers("\n".join(path.rpartition("/")[2] for path in paths))
    single = {_single(word) for word in theirs - COMMON}
    return min((word for word in about - COMMON if _single(word) in single), default="")


def _single(word: str) -> str:
    """`discounts` and `discount` are one word."""
    return word[:-1] if word.endswith("s") and len(word) > LEAST + 1 else word

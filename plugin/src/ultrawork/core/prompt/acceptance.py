"""`ulw accept test NAME` allows one test to be changed; `ulw accept tests need a licence here` is a reason."""

from collections.abc import Collection

_QUOTES = "`'\""
_MARKS = "_:/.[>"


def find_test_name(reason: str, known: Collection[str]) -> str:
    """Return the test that a reason names. Plain words are a name only if a failed test (`known`) is called so, or if
    they are quoted."""
    kind, _, rest = reason.strip().partition(" ")
    name = rest.strip()
    if kind.lower() != "test" or not name:
        return ""
    bare = name.strip(_QUOTES)
    is_quoted = bare != name and name[0] == name[-1]
    is_written_so = " " not in name and (any(mark in name for mark in _MARKS) or _is_camel(name))
    is_known = any(is_name_of(bare, test) for test in known)
    return bare if is_quoted or is_written_so or is_known else ""


def is_name_of(name: str, whole: str) -> bool:
    """Return whether a user's name of a test means the one that a runner reports by its whole id."""
    return name == whole or whole.endswith(("::" + name, " > " + name, "." + name))


def _is_camel(name: str) -> bool:
    """`TestTotal`, `testTotal`."""
    return name[1:] != name[1:].lower() and name != name.upper()

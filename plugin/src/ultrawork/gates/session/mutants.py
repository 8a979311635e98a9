"""Small faults to plant into code: each keeps it valid and changes what it does."""

from ...core.value import Value

_SWAPS = (
    (" == ", " != "), (" != ", " == "), (" === ", " !== "), (" !== ", " === "),
    (" <= ", " > "), (" >= ", " < "), (" < ", " >= "), (" > ", " <= "),
    (" + ", " - "), (" and ", " or "), (" && ", " || "), ("True", "False"),
    ("return true", "return false"), ("return false", "return true"), (" * ", " + "), (" - ", " + "),
)  # fmt: skip
_COMMENTS = ("#", "//", "*", "/*", '"""', "'''", "--")


class Mutant(Value):
    """`text` is the whole file with one line changed."""

    line: int
    before: str
    after: str
    text: str


def make_all(text: str) -> list[Mutant]:
    """Return one fault per suitable line, in file order."""
    lines = text.split("\n")
    found = []
    for number, line in enumerate(lines):
        changed = _changed(line)
        if changed != line:
            whole = "\n".join([*lines[:number], changed, *lines[number + 1 :]])
            found.append(Mutant(number + 1, line.strip(), changed.strip(), whole))
    return found


def _changed(line: str) -> str:
    stripped = line.strip()
    if not stripped or stripped.startswith(_COMMENTS) or stripped.startswith(("import ", "from ")):
        return line
    for before, after in _SWAPS:
        place = line.find(before)
        if place >= 0 and not _in_string(line, place):
            return line[:place] + after + line[place + len(before) :]
    return line


def _in_string(line: str, place: int) -> bool:
    start = line[:place]
    return any(start.count(quote) % 2 for quote in "\"'`")

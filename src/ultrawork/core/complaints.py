"""What linters and type checkers complain about, file by file."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_PLACED = r"\s*(-->\s*)?([\w./\\@+-]+\.\w+)(?::|\()\d+(?:[:,]\d+)?\)?:?\s*(?:- )?(.*)$"
_UNDER_HEADING = r"\s+\d+:\d+\s+(\S.*)$"
_HEADING = r"(\S[^:]*[./]\w[\w.-]*)$"


class Complaint:
    """`text` has no line number: a complaint that only moved is the same one."""

    __slots__ = ("path", "text")

    def __init__(self, path: str, said: str) -> None:
        self.path = path.removeprefix("./")
        self.text = f"{self.path}: {' '.join(said.split())}".rstrip(": ")


def read(output: str) -> list[Complaint]:
    import re

    found = []
    heading = previous = ""
    for line in output.splitlines():
        placed, under = re.match(_PLACED, line), re.match(_UNDER_HEADING, line)
        title = re.match(_HEADING, line)
        if placed:
            arrow, path, said = placed.groups()
            found.append(Complaint(path, previous if arrow else said))
        elif title:
            heading = title[1]
        elif under and heading:
            found.append(Complaint(heading, under[1]))
        previous = line
    return found


def new_ones(now: str, base: str, changed: "Iterable[str]") -> list[str]:
    """Complaints about changed files that were not made before."""
    before = [one.text for one in read(base)]
    files = tuple(changed)
    found = []
    for one in read(now):
        if one.text in before:
            before.remove(one.text)
        elif _among(one.path, files):
            found.append(one.text)
    return found


def _among(path: str, files: "Iterable[str]") -> bool:
    return any(
        ("/" + path).endswith("/" + one) or ("/" + one).endswith("/" + path) for one in files
    )

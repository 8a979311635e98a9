"""ultraqa: which checks it is about, and when a failure is the same as before."""

from .errors import UsageError
from .gate import ASKED, BUILD, FUNCTIONALITY, LINT, TEST, TYPES, Gate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

CUSTOM = "custom"
KINDS = {"tests": TEST, "build": BUILD, "lint": LINT, "typecheck": TYPES}
TYPES_OF_GOAL = (*KINDS, CUSTOM)
SAME = 3
_KEPT = 400


class Wanted:
    """`kind` is one of the five; `custom` the command or name that a person gave; `goal` the rest."""

    __slots__ = ("custom", "goal", "kind")

    def __init__(self, kind: str, goal: str = "", custom: str = "") -> None:
        self.kind = kind
        self.goal = goal
        self.custom = custom


def asked(words: str) -> Wanted:
    """`--lint fix it`, `--custom "npm run smoke"`; without a flag it is about the tests."""
    import re

    flags = re.findall(r"(?<!\S)--([a-z][a-z-]*)", _outside_quotes(words))
    unknown = [flag for flag in flags if flag not in TYPES_OF_GOAL]
    if unknown:
        known = ", ".join(f"--{one}" for one in TYPES_OF_GOAL)
        raise UsageError(f"ultraqa has no --{unknown[0]}; it has {known}")
    if len(set(flags)) > 1:
        raise UsageError(f"ultraqa takes one goal at a time, not --{flags[0]} and --{flags[1]}")
    if flags[:1] == [CUSTOM]:
        return _custom(words)
    return Wanted(flags[0] if flags else "tests", re.sub(r"(?<!\S)--[a-z]+\s*", "", words).strip())


def _outside_quotes(words: str) -> str:
    """A command has flags of its own."""
    import re

    text = re.sub(r"\"[^\"]*\"|'[^']*'", "", words)
    before, flag, _ = text.partition(f"--{CUSTOM}")
    return before + flag


def _custom(words: str) -> Wanted:
    """What stands in quotes after the flag, else all that follows it."""
    before, _, rest = words.partition(f"--{CUSTOM}")
    rest = rest.lstrip(" =")
    quote = rest[:1] if rest[:1] in ("'", '"') and rest[:1] in rest[1:] else ""
    given, _, goal = rest[1:].partition(quote) if quote else (rest, "", "")
    if not given.strip():
        raise UsageError('--custom needs a command or the name of a check: --custom "make smoke"')
    return Wanted(CUSTOM, f"{before.strip()} {goal.strip()}".strip(), given.strip())


def chosen(wanted: Wanted, gates: "Sequence[Gate]") -> list[Gate]:
    """Those of the kind; for a custom goal those whose name fits or whose command it is, else a new one."""
    if wanted.kind != CUSTOM:
        return [gate for gate in gates if gate.kind == KINDS[wanted.kind]]
    from fnmatch import fnmatchcase

    fits = [gate for gate in gates if fnmatchcase(gate.name, wanted.custom)]
    named = fits or [gate for gate in gates if gate.command == wanted.custom]
    return named or [_made(wanted.custom)]


def _made(command: str) -> Gate:
    return Gate(
        name=CUSTOM,
        kind=FUNCTIONALITY,
        argv=["sh", "-c", command],
        command=command,
        source=ASKED,
        reason="given with --custom",
    )


def normalised(failure: str) -> str:
    """The same failure reads the same: without times, places in a line, spaces, upper case."""
    import re

    text = failure.lower()
    for pattern, instead in _PATTERNS:
        text = re.sub(pattern, instead, text)
    return " ".join(text.split())[:_KEPT]


_PATTERNS = (
    (r"(?m)^\s*\d+(:\d+|:(?!\d))", ""),
    (r"(?<=[^\d\s]):\d+(:\d+)?\b", ""),
    (r"\d{4}-\d\d-\d\d[t ]?", ""),
    (r"\b\d\d?:\d\d(:\d\d)?([.,]\d+)?z?\b", ""),
    (r":\d+(:\d+)?\b", ""),
    (r"\b\d+([.,]\d+)?\s?(ms|s|sec|secs|seconds|min)\b", ""),
)


def times(failures: "Sequence[str]", failure: str) -> int:
    """How often this failure came in a row, this time included."""
    count = 1
    for one in reversed(failures):
        if one != failure:
            break
        count += 1
    return count

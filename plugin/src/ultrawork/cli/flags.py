"""Flags of a verb: declared as a table, parsed strictly, explained in its help."""

from ..core.check import find_nearest, parse_number, quote, require_choice
from ..core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

TEXT = "text"
NUMBER = "number"
SWITCH = "switch"
MANY = "many"


class Flag:
    """A flag. `aliases` are other spellings, such as the documents' short ones."""

    __slots__ = ("aliases", "choices", "help", "kind", "metavar", "name", "required")

    def __init__(
        self,
        name: str,
        help: str,  # noqa: A002 (what every parser calls it)
        *,
        kind: str = TEXT,
        metavar: str = "TEXT",
        aliases: "Sequence[str]" = (),
        choices: "Sequence[str]" = (),
        required: bool = False,
    ) -> None:
        self.name = name
        self.help = help
        self.kind = kind
        self.metavar = "N" if kind == NUMBER else "|".join(choices) or metavar
        self.aliases = tuple(aliases)
        self.choices = tuple(choices)
        self.required = required

    @property
    def usage(self) -> str:
        words = ", ".join((self.name, *self.aliases))
        return words if self.kind == SWITCH else f"{words} {self.metavar}"


def switch(name: str, help: str, aliases: "Sequence[str]" = ()) -> Flag:  # noqa: A002 (as above)
    """A flag without a value."""
    return Flag(name, help, kind=SWITCH, aliases=aliases)


class Args:
    """The given flags by name; `rest` are the other words."""

    __slots__ = ("_values", "rest")

    def __init__(self, values: "dict[str, list[str]]", rest: list[str]) -> None:
        self._values = values
        self.rest = rest

    def having(self, name: str, value: str, rest: "Sequence[str] | None" = None) -> "Args":
        """Return the same with one more flag, or with other words."""
        values = {**self._values, **({name: [value]} if name else {})}
        return Args(values, list(self.rest if rest is None else rest))

    def text(self, name: str) -> str | None:
        values = self._values.get(name)
        return values[-1] if values else None

    def many(self, name: str) -> list[str]:
        return self._values.get(name, [])

    def on(self, name: str) -> bool:
        return name in self._values

    def number(self, name: str, *, low: int = 0, high: int = 1_000_000) -> int | None:
        value = self.text(name)
        return None if value is None else parse_number(value, f"value for {name}", low, high)


def parse_flags(words: "Sequence[str]", flags: "Sequence[Flag]", *, rest: str, verb: str) -> Args:
    """Parse the flags; `rest` names the words that may follow, empty if none may."""
    known = {spelling: flag for flag in flags for spelling in (flag.name, *flag.aliases)}
    values: dict[str, list[str]] = {}
    free: list[str] = []
    queue = list(words)[::-1]
    while queue:
        word = queue.pop()
        if word == "--":
            free += queue[::-1]
            break
        if not word.startswith("-") or word == "-" or word.startswith("->"):
            free.append(word)
            continue
        name, _, glued = word.partition("=")
        flag = known.get(name) or _unknown(name, known, verb)
        value = _value(flag, glued if "=" in word else None, queue)
        values.setdefault(flag.name, []).append(value)
    _refuse(values, free, flags, rest=rest, verb=verb)
    return Args(values, free)


def _unknown(name: str, known: "dict[str, Flag]", verb: str) -> Flag:
    close = find_nearest(name, known)
    hint = f"did you mean {close}?" if close else f"see ultrawork {verb} --help"
    raise UsageError(f"ultrawork {verb} has no flag {quote(name)}; {hint}")


def _value(flag: Flag, glued: str | None, queue: list[str]) -> str:
    if flag.kind == SWITCH:
        if glued is not None:
            raise UsageError(f"{flag.name} takes no value; remove {quote('=' + glued)}")
        return ""
    if glued is None and not queue:
        raise UsageError(f"{flag.name} needs a value: {flag.name} {flag.metavar}")
    value = glued if glued is not None else queue.pop()
    return require_choice(value, flag.choices, f"value for {flag.name}") if flag.choices else value


def _refuse(values: "dict[str, list[str]]", free: list[str], flags: "Sequence[Flag]", *, rest: str, verb: str) -> None:
    for flag in flags:
        if flag.required and flag.name not in values:
            raise UsageError(f"{flag.name} is required: ultrawork {verb} {flag.name} {flag.metavar}")
    if free and not rest:
        raise UsageError(f"unexpected argument {quote(free[0])}; see ultrawork {verb} --help")


SINCE = Flag("--since", "only those active within this time, such as 12h", metavar="TIME")
SESSION = Flag("--session", "session id, unique prefix, or last (default)", metavar="ID", aliases=("-s",))
JSON = Flag("--json", "print JSON: {version, status, data, errors}", kind=SWITCH)
HELP = Flag("--help", "show this help", kind=SWITCH, aliases=("-h",))
EVERYWHERE = (JSON, HELP)

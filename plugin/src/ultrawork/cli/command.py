"""A verb or one of its sub-verbs: its flags, its help and its function; its result, and how that is shown."""

from ..core import errors
from ..core.check import pick_field
from ..store.codec import dumps, dumps_pretty
from .environment import EVERYWHERE, Args, Flag, VerbEnvironment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Run = Callable[[Args, VerbEnvironment], "Result"]

VERSION = 1
SUCCESS = "success"
PARTIAL = "partial"
ERROR = "error"
# How long checks without a time limit may run.
CHECK_SECONDS = 3600.0


class Result:
    """`text` is for people, `data` for programs; `warnings` make a success a partial one."""

    __slots__ = ("data", "exit", "text", "warnings")

    def __init__(
        self,
        data: object,
        text: str = "",
        *,
        exit: int = errors.EXIT_DONE,  # noqa: A002 (it is the exit status)
        warnings: "Sequence[str]" = (),
    ) -> None:
        self.data = data
        self.text = text
        self.exit = exit
        self.warnings = list(warnings)


def render_json(result: Result) -> str:
    errors = [{"code": "warning", "message": text} for text in result.warnings]
    return _render(PARTIAL if errors else SUCCESS, result.data, errors)


def render_error(code: str, message: str) -> str:
    return _render(ERROR, None, [{"code": code, "message": message}])


def _render(status: str, data: object, errors: list[dict[str, str]]) -> str:
    return dumps({"version": VERSION, "status": status, "data": data, "errors": errors})


def show_field(document: dict[str, object], path: str | None) -> Result:
    """Return a document, or the field that a path such as `plan.approved_at` names."""
    if path is None:
        return Result(document, dumps_pretty(document))
    if not path.strip():
        raise errors.UsageError("--field is empty; name a field, such as --field phase")
    value = pick_field(document, path)
    return Result({"field": path, "value": value}, value if isinstance(value, str) else dumps(value))


def split_list(text: str | None, separator: str = ",") -> list[str]:
    return [part.strip() for part in (text or "").split(separator) if part.strip()]


WIDTH = 100


def render_table(head: "Sequence[str]", rows: "Sequence[Sequence[str]]") -> str:
    """Columns for people: as wide as needed, the last one cut at the screen's width."""
    cells = [[_plain(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head) - 1)]
    return "\n".join(_line(row, widths) for row in cells)


def _line(row: "Sequence[str]", widths: "Sequence[int]") -> str:
    start = "".join(f"{cell:<{width}}  " for cell, width in zip(row, widths, strict=False))
    left = max(20, WIDTH - len(start))
    last = row[-1] if len(row[-1]) <= left else row[-1][: left - 1] + "…"
    return (start + last).rstrip()


def _plain(cell: str) -> str:
    return "".join(c if c.isprintable() else " " for c in cell)


class Command:
    """
    Declare a verb or a sub-verb. `name` is empty for the verb itself, `rest` names the words beside the flags, and
    `example` holds commands that work when they are pasted, one a line.
    """

    __slots__ = ("example", "flags", "help", "name", "rest", "run")

    def __init__(
        self,
        name: str,
        help: str,  # noqa: A002 (what every parser calls it)
        run: "Run",
        *,
        flags: "Sequence[Flag]" = (),
        rest: str = "",
        example: str = "",
    ) -> None:
        self.name = name
        self.help = help
        self.run = run
        self.flags = (*flags, *EVERYWHERE)
        self.rest = rest
        self.example = example

    @property
    def examples(self) -> list[str]:
        return self.example.splitlines()

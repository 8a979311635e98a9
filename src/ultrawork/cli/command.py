"""A verb or one of its sub-verbs: what it takes, what it says about itself, what it runs."""

from .flags import EVERYWHERE, Flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .edge import Edge
    from .flags import Args
    from .result import Result

    Run = Callable[["Args", "Edge"], "Result"]


class Command:
    """`name` is empty for a verb without sub-verbs; `rest` names the words beside the flags."""

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


def help_page(verb: str, commands: "Sequence[Command]", only: Command | None = None) -> str:
    """The help of one command, or of a verb with the list of its sub-verbs."""
    if only is None and len(commands) == 1:
        only = commands[0]
    if only is None:
        width = max(len(command.name) for command in commands)
        rows = [f"  {command.name:<{width}}  {command.help}" for command in commands]
        return "\n".join([f"Usage: ultrawork {verb} COMMAND [options]", "", *rows, "", _more(verb)])
    usage = " ".join(
        part for part in ("ultrawork", verb, only.name, "[options]", only.rest) if part
    )
    rows = _flag_rows(only.flags)
    tail = ["", f"Example: {only.example}"] if only.example else []
    return "\n".join([f"Usage: {usage}", "", only.help + ".", "", "Options:", *rows, *tail])


def _more(verb: str) -> str:
    return f"ultrawork {verb} COMMAND --help tells more."


def _flag_rows(flags: "Sequence[Flag]") -> list[str]:
    width = min(34, max(len(flag.usage) for flag in flags))
    rows = []
    for flag in flags:
        needed = " (required)" if flag.required else ""
        many = " (may be repeated)" if flag.kind == "many" else ""
        rows.append(f"  {flag.usage:<{width}}  {flag.help}{needed}{many}")
    return rows

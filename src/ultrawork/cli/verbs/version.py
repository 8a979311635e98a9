"""`ultrawork version`."""

from ..command import Command
from ..result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..edge import Edge
    from ..flags import Args


def version() -> str:
    """From the plugin's manifest where the code runs from the plugin, else from the installed package."""
    import os

    from ...store.fast import loads

    root = os.path.dirname(os.path.abspath(__file__)).rsplit("/", 4)[0]
    try:
        with open(f"{root}/.claude-plugin/plugin.json", encoding="utf-8") as file:
            return str(loads(file.read())["version"])
    except (OSError, ValueError, KeyError):
        from importlib.metadata import version as installed

        return installed("ultrawork")


def show(_args: "Args", _edge: "Edge") -> Result:
    number = version()
    return Result({"version": number}, f"ultrawork {number}")


COMMANDS = (Command("", "Print the version", show, example="ultrawork version"),)

"""`ultrawork version`."""

from ..command import Command
from ..result import Result
from ..version import version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..edge import Edge
    from ..flags import Args


def show(_args: "Args", _edge: "Edge") -> Result:
    number = version()
    return Result({"version": number}, f"ultrawork {number}")


COMMANDS = (Command("", "Print the version", show, example="ultrawork version"),)

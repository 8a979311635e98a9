"""`ultrawork mcp`: the toolbox, for a client that speaks MCP over standard input and output."""

from ..command import Command
from ..result import Result
from ..version import version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..edge import Edge
    from ..flags import Args


def serve(_args: "Args", edge: "Edge") -> Result:
    from ...mcp.room import Room
    from ...mcp.server import Server

    Server(Room(edge.environ, edge.cwd), version()).serve()
    return Result(None)


COMMANDS = (Command("", "Serve the tools to an agent over MCP", serve, example="ultrawork mcp"),)

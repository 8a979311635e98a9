"""`ultrawork mcp`: the toolbox, for a client that speaks MCP over standard input and output."""

from ...store.plugin import read_version
from ..command import Command, Result
from ..environment import VerbEnvironment
from ..flags import Args


def serve(_args: Args, env: VerbEnvironment) -> Result:
    from ...mcp.environment import ToolEnvironment
    from ...mcp.server import Server

    Server(ToolEnvironment(env.environ, env.cwd), read_version()).serve()
    return Result(None)


COMMANDS = (Command("", "Serve the tools to an agent over MCP", serve, example="ultrawork mcp"),)

"""`ultrawork mcp`: the toolbox, or programs of other models, for a client that speaks MCP."""

from ...core.check import require_choice
from ...core.errors import UsageError
from ...store.paths import read_version
from ..command import Command, Result
from ..environment import Args, VerbEnvironment


def serve(args: Args, env: VerbEnvironment) -> Result:
    from ...mcp.environment import ToolEnvironment
    from ...mcp.server import Server
    from ...mcp.supervisor import ServerSupervisor
    from ...mcp.table import SERVERS
    from ...store import log

    if len(args.rest) > 1:
        raise UsageError("name one server: ultrawork mcp codex, or ultrawork mcp gemini")
    name = args.rest[0] if args.rest else ""
    if name:
        require_choice(name, [server for server in SERVERS if server], "server")
    tools, version = ToolEnvironment(env.environ, env.cwd, name), read_version()
    ServerSupervisor(
        lambda source, target, hello: Server(tools, version, source=source, target=target, hello=hello).serve(),
        lambda line: log.write(tools.home, "mcp", line),
    ).run()
    return Result(None)


COMMANDS = (
    Command(
        "",
        "Without an argument it serves the toolbox over standard input and output",
        serve,
        rest="[codex|gemini]",
        example="ultrawork mcp\nultrawork mcp codex",
    ),
)

"""
The official client, 1.x or 2.x, whichever is installed beside this script.

Reads one JSON object: the server's `argv`, `env`, `cwd` and the `calls` to make; prints what came of them.
"""

import asyncio
import json
import sys

from mcp import StdioServerParameters


async def talk(call, listed, given, about):
    tools = await listed()
    seen = []

    async def progress(done, total, message):
        seen.append([done, total, message])

    results = []
    for name, arguments in given["calls"]:
        result = await call(name, arguments, progress_callback=progress)
        failed = getattr(result, "is_error", None) or getattr(result, "isError", None) or False
        results.append([result.content[0].text, failed])
    return {**about, "tools": [tool.name for tool in tools.tools], "results": results, "progress": seen}


async def newer(parameters, given):
    from mcp import Client

    async with Client(parameters) as client:
        about = {"version": client.protocol_version, "instructions": client.instructions}
        return await talk(client.call_tool, client.list_tools, given, about)


async def older(parameters, given):
    from mcp.client.stdio import stdio_client

    from mcp import ClientSession

    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        hello = await session.initialize()
        about = {"version": hello.protocolVersion, "instructions": hello.instructions}
        return await talk(session.call_tool, session.list_tools, given, about)


def main():
    given = json.load(sys.stdin)
    program, *words = given["argv"]
    parameters = StdioServerParameters(command=program, args=words, env=given["env"], cwd=given["cwd"])
    try:
        from mcp import Client  # noqa: F401 (is this 2.x?)
    except ImportError:
        run = older
    else:
        run = newer
    print(json.dumps(asyncio.run(run(parameters, given))))


main()

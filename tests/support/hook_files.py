"""The clients' hook files, generated from the table of events: `make generate` writes them."""

import json
from typing import Any

from ultrawork.clients.find import NAMES, get_client
from ultrawork.clients.hook_file import HookTable
from ultrawork.core.time_budget import TIMEOUTS
from ultrawork.hooks.table import AGENT_CALL, AGENT_TOOLS, BESIDE, HANDLERS, STATUS, WAKE, WAKING
from ultrawork.store import atomic

from .floor import PLUGIN

TABLE = HookTable(
    events=tuple(HANDLERS),
    waking=WAKING,
    beside=BESIDE,
    wake=WAKE,
    agent_tools=AGENT_TOOLS,
    agent_call=AGENT_CALL,
    timeouts=TIMEOUTS,
    status=STATUS,
)


def main() -> None:
    for client in map(get_client, NAMES):
        made = client.make_hook_file(TABLE)
        if made is not None:
            atomic.write(f"{PLUGIN}/{client.hook_file}", render(made), mode=0o644)


def render(made: dict[str, Any]) -> str:
    """One event a line: an install has a limit."""
    hooks = ",\n".join(f"  {_dump(event)}: {_dump(rows)}" for event, rows in made["hooks"].items())
    others = "".join(f"{_dump(key)}: {_dump(value)},\n " for key, value in made.items() if key != "hooks")
    return f'{{{others}"hooks": {{\n{hooks}\n}}}}\n'


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    main()

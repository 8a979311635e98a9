"""The clients' hook files, generated from the table of events: `make generate` writes them."""

import json

from ultrawork.clients.find import NAMES, get_client
from ultrawork.clients.hook_file import HookTable
from ultrawork.core.time_budget import TIMEOUTS
from ultrawork.hooks.table import (
    AGENT_CALL,
    AGENT_TOOLS,
    BESIDE,
    HANDLERS,
    STATUS,
    WAKE,
    WAKING,
)
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
            # One space a level: an install has a limit.
            text = json.dumps(made, ensure_ascii=False, indent=1) + "\n"
            atomic.write(f"{PLUGIN}/{client.hook_file}", text, mode=0o644)


if __name__ == "__main__":
    main()

"""The clients' hook files, generated from the table of events: `make generate` writes them."""

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
from ultrawork.store.codec import dumps_pretty

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
            atomic.write(f"{PLUGIN}/{client.hook_file}", dumps_pretty(made), mode=0o644)


if __name__ == "__main__":
    main()

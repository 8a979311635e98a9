"""The clients' hook files, generated from the table of events: `python -m ultrawork.hooks.manifest` writes them."""

import os

from ..clients.find import NAMES, get_client
from ..clients.hook_file import HookTable
from ..store import atomic
from ..store.codec import dumps_pretty
from .table import AGENT_CALL, AGENT_TOOLS, BESIDE, HANDLERS, STATUS, TIMEOUTS, WAKE, WAKING

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
    root = os.path.dirname(os.path.abspath(__file__)).rsplit("/", 3)[0]
    for client in map(get_client, NAMES):
        made = client.make_hook_file(TABLE)
        if made is not None:
            atomic.write(f"{root}/{client.hook_file}", dumps_pretty(made), mode=0o644)


if __name__ == "__main__":
    main()

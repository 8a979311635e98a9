"""The worker program: the self-test, then attempts until it should end."""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from ..store.paths import Home
from .machine_site import MachineSite
from .place import ClusterPlace, connect, name_queue
from .self_test import Readiness, SelfTest, check_clock
from .worker import DRAIN, ClusterWorker

# Only for what is not an agent program: our drills and benchmarks.
ANY_COMMAND = "ULTRAWORK_WORKER_ANY_COMMAND"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerWishes:
    host: str
    place: ClusterPlace
    remotes: Sequence[str]
    slots: int = 4
    labels: Sequence[str] = ()
    backend: str = "auto"
    tools: Sequence[str] = ()
    account: str = ""
    drain: float = DRAIN


def serve_machine(wishes: WorkerWishes, home: Home, environ: Mapping[str, str], say: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; raise for what is missing before anything is taken."""
    folder = f"{home.root}/cluster/{wishes.host}"
    os.makedirs(folder, mode=0o700, exist_ok=True)
    test = SelfTest(environ=environ, folder=folder, remotes=wishes.remotes, backend=wishes.backend, tools=wishes.tools)
    any_command = bool(environ.get(ANY_COMMAND))
    for line in test.run(agents=not any_command):
        say(line)
    backends = sorted({*test.list_backends(), *(["script"] if any_command else [])})
    accounts = test.find_accounts(backends, wishes.host, wishes.account)
    site = MachineSite(home, environ, wishes.remotes, host=wishes.host, any_command=any_command, accounts=accounts)
    try:
        for key in site.push_left():
            say(f"pushed the remaining work of {key}")
        asyncio.run(_serve(wishes, site, environ, say))
    finally:
        site.close()


async def _serve(
    wishes: WorkerWishes, site: MachineSite, environ: Mapping[str, str], say: Callable[[str], None]
) -> None:
    # Fetching, setup and pushing wait for programs and the network, each on a thread.
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2 * wishes.slots + 4))
    client = await connect(wishes.place, environ, wishes.host, say=say)
    say(await check_clock(client, name_queue("clock", host=wishes.host)))
    worker = ClusterWorker(
        client,
        site,
        slots=wishes.slots,
        readiness=Readiness(site.folder, environ),
        labels=wishes.labels,
        drain=wishes.drain,
    )
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, worker.stop)
    labels = f", labels {', '.join(wishes.labels)}" if wishes.labels else ""
    say(f"accounts: {', '.join(f'{name} {account}' for name, account in site.accounts.items())}")
    say(f"{wishes.host} accepts attempts: {wishes.slots} at once{labels}")
    await worker.run()
    say(f"{wishes.host} stopped")

"""The MCP server: how fast it is ready, what it holds, what a call costs, whether any is lost."""

import json
import os
import resource
import statistics
import subprocess
import sys
from time import perf_counter

from common import PYTHON, REPOSITORY, Scratch, bare, timed

ROUNDS = 30
AT_ONCE = 8
AT_ONCE_ROUNDS = 5
CALLS = 2_000
CONCURRENT = 1_000
LINES = 100_000
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "b", "version": "0"}}


class Server:
    def __init__(self, scratch, *name):
        self.process = subprocess.Popen(
            scratch.words("mcp", *name),
            cwd=scratch.place,
            env=scratch.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.number = 0

    def start(self, method, params):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def read(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, method, params):
        self.start(method, params)
        return self.read()

    def call(self, name, **arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    @property
    def megabytes(self):
        """Of the process that holds the line and the one that serves; what they share is counted once."""
        pid = self.process.pid
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
            below = [_held(int(one), "Private_") for one in file.read().split()]
        return (_held(pid, "Rss:") + sum(below)) / 1024

    def close(self):
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()


def _held(pid, kind):
    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith(kind))


class Row:
    def __init__(self, name, value, unit, budget=None):
        self.name = name
        self.value = value
        self.unit = unit
        self.budget = budget

    @property
    def kept(self):
        return self.budget is None or self.value <= self.budget

    def __str__(self):
        limit = "" if self.budget is None else f"{self.budget:g} {self.unit}"
        late = "" if self.kept else "  OVER"
        return f"{self.name:<40} {self.value:10.2f} {self.unit:<8} {limit:>12}{late}"


def ready(scratch, *name):
    """Start to answered `initialize`, beside the bare interpreter in the same rounds."""
    what = " ".join(["ready", *name])
    floor, servers = [], []
    nothing = bare()
    for number in range(ROUNDS + 3):
        empty = timed(nothing, scratch.environ, scratch.place)
        start = perf_counter()
        server = Server(scratch, *name)
        server.ask("initialize", HELLO)
        took = perf_counter() - start
        server.close()
        if number >= 3:
            floor.append(empty)
            servers.append(took)
    least, most = statistics.median(floor), statistics.median(servers)
    return [
        Row("bare interpreter, p50", least * 1e3, "ms"),
        Row(f"{what}, p50", most * 1e3, "ms"),
        Row(f"{what}, against the bare interpreter", most / least, "x", 3),
    ]


def helper_memory(scratch):
    """A server of a helper that was never asked, with its tools listed."""
    server = Server(scratch, "codex")
    server.ask("initialize", HELLO)
    server.ask("tools/list", {})
    held = server.megabytes
    server.close()
    return [Row("ready codex, held", held, "MB", 25)]


def at_once(scratch, *name):
    """Wall time hangs on whoever else is at work here; processor time does not, so both are told."""
    walls, busy = [], []
    for _ in range(AT_ONCE_ROUNDS):
        before, start = _processor(), perf_counter()
        servers = [Server(scratch, *name) for _ in range(AT_ONCE)]
        for server in servers:
            server.ask("initialize", HELLO)
        walls.append(perf_counter() - start)
        for server in servers:
            server.close()
        busy.append((_processor() - before) / AT_ONCE)
    what = " ".join([f"{AT_ONCE} servers at once", *name])
    return [
        Row(f"{what}, all ready, p50", statistics.median(walls), "s", 1),
        Row(f"{what}, processor each", statistics.median(busy) * 1e3, "ms"),
    ]


def _processor():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def one_by_one(server):
    listed = server.ask("tools/list", {})
    size = len(json.dumps(listed))
    samples = []
    for _ in range(CALLS):
        start = perf_counter()
        server.call("state_list_active")
        samples.append(perf_counter() - start)
    return [
        Row("tools/list", size / 1000, "kB", 25),
        Row("a call, p50", statistics.median(samples) * 1e3, "ms", 1),
        Row("a call, p95", sorted(samples)[int(CALLS * 0.95)] * 1e3, "ms"),
        Row("resident after these", server.megabytes, "MB", 25),
    ]


def concurrent(server):
    mixed = [
        ("notepad_write_working", {"content": "a note"}),
        ("state_write", {"mode": "ralph", "active": True}),
        ("state_list_active", {}),
        ("notepad_read", {}),
        ("project_memory_write", {"memory": {"own": {"a": 1}}, "merge": True}),
        ("python_repl", {"action": "execute", "researchSessionID": "s", "code": "1 + 1"}),
    ]
    first = server.number
    start = perf_counter()
    for number in range(CONCURRENT):
        name, arguments = mixed[number % len(mixed)]
        server.start("tools/call", {"name": name, "arguments": arguments})
    answered = {server.read()["id"] for _ in range(CONCURRENT)}
    took = perf_counter() - start
    lost = set(range(first + 1, first + CONCURRENT + 1)) - answered
    return [Row(f"{CONCURRENT:,} mixed calls at once", took, "s"), Row("of these lost", len(lost), "calls", 0)]


def structure(scratch, server):
    """Only where ast-grep is at hand: the budget is for the search, not for installing it."""
    tools = os.environ.get("ULTRAWORK_TOOLS") or f"{REPOSITORY}/.tools"
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    packages = f"{tools}/sets/extras-{version}"
    if not os.path.isdir(f"{packages}/ast_grep_py"):
        return []
    os.makedirs(f"{scratch.home}/extras")
    os.symlink(packages, f"{scratch.home}/extras/{version}")
    function = "def f{0}(a, b):\n    x = g(a, b, {0})\n    if x > {0}:\n        return h(x)\n    return x\n"
    text = "".join(function.format(number) for number in range(40))
    for number in range(LINES // text.count("\n")):
        scratch.write(f"{scratch.place}/m{number}.py", text)
    start = perf_counter()  # every file holds the pattern's words, none a match: all are parsed
    found = server.call("ast_grep_search", pattern="if $X < $Y: $$$B", language="python", maxResults=100)
    took = perf_counter() - start
    start = perf_counter()
    server.call("ast_grep_replace", pattern="g($A, b, 39)", replacement="k($A)", language="python")
    rows = [Row(f"rewrite by structure, {LINES:,} lines", perf_counter() - start, "s")]
    if found["result"].get("isError"):
        sys.exit(found["result"]["content"][0]["text"])
    return [Row(f"search by structure, {LINES:,} lines", took, "s", 3), *rows]


def main():
    with Scratch() as scratch:
        os.makedirs(f"{scratch.place}/.git")
        rows = [
            *ready(scratch),
            *ready(scratch, "codex"),
            *helper_memory(scratch),
            *at_once(scratch),
            *at_once(scratch, "codex"),
        ]
        server = Server(scratch)
        server.ask("initialize", HELLO)
        rows += [*one_by_one(server), *concurrent(server), *structure(scratch, server)]
        server.close()
    print(f"\nThe MCP server, {PYTHON}\n")
    print(f"{'what':<40} {'measured':>10} {'':<8} {'budget':>12}")
    print(*rows, sep="\n")
    return 0 if all(row.kept for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

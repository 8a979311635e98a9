"""Many calls at once, and clients that send nonsense: every request is answered, nothing grows."""

import json
import random
import time

import pytest

pytestmark = pytest.mark.slow


def test_a_thousand_mixed_calls_at_once_and_none_is_lost(client):
    mixed = [
        ("notepad_write_working", lambda n: {"content": f"note {n}"}),
        ("state_write", lambda n: {"mode": "ralph", "state": {f"k{n}": n}}),
        ("project_memory_write", lambda n: {"memory": {"own": {f"k{n}": n}}, "merge": True}),
        ("notepad_read", lambda _: {}),
        ("state_list_active", lambda _: {}),
        ("python_repl", lambda n: {"action": "execute", "researchSessionID": f"s{n % 3}", "code": str(n)}),
        ("lsp_servers", lambda _: {}),
        ("list_omc_skills", lambda _: {}),
        ("lsp_hover", lambda _: {"file": "none.py", "line": 1, "character": 0}),
        ("no_such_tool", lambda _: {}),
    ]
    numbers = [
        (client.start_call(name, **arguments(n)), name, n)
        for n, (name, arguments) in ((n, mixed[n % len(mixed)]) for n in range(1000))
    ]
    answers = {number: client.wait(number, 300) for number, _, _ in numbers}
    assert len(answers) == 1000
    assert not client.twice
    for number, name, n in numbers:
        if name == "python_repl":
            assert answers[number]["result"]["content"][0]["text"].startswith(f"{n}\n")
    assert json.loads(client.text("notepad_stats"))["workingMemoryEntries"] == 100
    state = json.loads(client.text("state_read", mode="ralph").partition("\n")[2])
    assert {f"k{n}" for n in range(1, 1000, 10)} <= state.keys()
    own = json.loads(client.text("project_memory_read"))["own"]
    assert len(own) == 100


def nonsense(chance):
    """A line that a broken, hostile or merely hasty client might send; and whether it is answered."""
    value = chance.choice(
        [None, True, 5, 1.5, -1, "", "x" * chance.randrange(200), [], {}, [[]], {"a": {"b": []}}, "\ud800"]
    )
    request = {"jsonrpc": "2.0", "id": chance.randrange(10**6), "method": "tools/call"}
    shapes = [
        {**request, "params": value},
        {**request, "params": {"name": value, "arguments": value}},
        {**request, "params": {"name": "state_write", "arguments": {"mode": value, "state": value}}},
        {**request, "params": {"name": "lsp_hover", "arguments": {"file": value, "line": value}}},
        {**request, "params": {"name": "notepad_write_manual", "arguments": {"content": value}}},
        {**request, "params": {"name": "notepad_read", "_meta": {"progressToken": value}}},
        {**request, "method": value},
        {**request, "id": value},
        {"method": "notifications/cancelled", "params": {"requestId": chance.randrange(10**6)}},
        {"method": "notifications/cancelled", "params": value},
        value,
        {"jsonrpc": value, "id": 1, "result": value},
        {**request, "method": "initialize", "params": value},
    ]
    line = json.dumps(chance.choice(shapes)).encode()
    cuts = [line, line[: chance.randrange(len(line) + 1)], line + line, b"\x00" + line, line * 3]
    return chance.choice([line] * 6 + cuts) + b"\n"


def test_nonsense_without_end_neither_ends_the_server_nor_grows_it(client):
    chance = random.Random(8)
    client.text("notepad_read")
    before = client.memory
    for _ in range(20):
        client.raw(b"".join(nonsense(chance) for _ in range(200)))
        with client.arrived:
            client.answers.clear()
    client.raw(b'{"a":' * 100_000 + b"\n")
    client.raw(b"[" * 1_000_000 + b"\n")
    client.raw(b'{"x": ' + b"9" * 1_000_000 + b"}\n")
    deadline = time.monotonic() + 60
    client.send({"id": "end", "method": "ping"})
    assert client.wait("end", deadline - time.monotonic())["result"] == {}
    assert client.process.poll() is None
    assert client.memory - before < 15

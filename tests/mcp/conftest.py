"""The server as a process, and a small client that keeps answers apart by their id."""

import itertools
import json
import os
import queue
import subprocess
import sys
import threading

import pytest

from ultrawork.cli.verbs_table import VERBS
from ultrawork.testing.floor import PATH, REPOSITORY

DIRECT = f"""
import os, sys
sys.path.insert(0, {REPOSITORY + "/src"!r})
from ultrawork.mcp.room import Room
from ultrawork.mcp.server import Server
Server(Room(os.environ, os.getcwd()), "0").serve()
os._exit(0)
"""
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "0"},
}


class Client:
    def __init__(self, root, env):
        self.place = os.path.join(root, "project")
        os.makedirs(os.path.join(self.place, ".git"), exist_ok=True)
        environ = {"PATH": PATH, "HOME": root, "ULTRAWORK_HOME": f"{root}/state", **env}
        if "mcp" in VERBS:
            os.makedirs(f"{root}/state/cache", exist_ok=True)
            with open(f"{root}/state/cache/python", "w") as file:
                file.write(f"{sys.executable}\n")
            argv = [f"{REPOSITORY}/bin/ultrawork", "mcp"]
        else:
            argv = [sys.executable, "-I", "-S", "-c", DIRECT]
        self.process = subprocess.Popen(
            argv,
            cwd=self.place,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.numbers = itertools.count(1)
        self.answers = {}
        self.told = []
        self.twice = False
        self.arrived = threading.Condition()
        self.strays = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            with self.arrived:
                if "method" in message:
                    self.told.append(message)
                elif message["id"] is None:
                    self.strays.put(message)
                else:
                    self.twice |= message["id"] in self.answers
                    self.answers[message["id"]] = message
                self.arrived.notify_all()

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.raw(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def start(self, method, params=None):
        number = next(self.numbers)
        self.send({"id": number, "method": method, "params": params or {}})
        return number

    def wait(self, number, seconds=60):
        with self.arrived:
            assert self.arrived.wait_for(lambda: number in self.answers, seconds), (
                f"no answer to {number}"
            )
            return self.answers[number]

    def ask(self, method, params=None, seconds=60):
        return self.wait(self.start(method, params), seconds)

    def start_call(self, name, /, _meta=None, **arguments):
        params = {"name": name, "arguments": arguments}
        return self.start("tools/call", {**params, "_meta": _meta} if _meta else params)

    def call(self, name, /, seconds=60, **arguments):
        """The text of a tool's answer, and whether it failed."""
        result = self.wait(self.start_call(name, **arguments), seconds)["result"]
        return result["content"][0]["text"], result.get("isError", False)

    def text(self, name, /, **arguments):
        text, failed = self.call(name, **arguments)
        assert not failed, text
        return text

    def refusal(self, name, /, **arguments):
        text, failed = self.call(name, **arguments)
        assert failed, text
        return text

    @property
    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024

    def close(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        status = self.process.wait(20)
        self.reader.join(5)
        self.process.stdout.close()
        self.process.stderr.close()
        return status


@pytest.fixture
def serve(tmp_path):
    """Starts a server in a project of its own; it is ended after the test."""
    clients = []

    def start(**env):
        client = Client(str(tmp_path), env)
        clients.append(client)
        client.ask("initialize", HELLO)
        client.send({"method": "notifications/initialized"})
        return client

    yield start
    for client in clients:
        client.close()


@pytest.fixture
def client(serve):
    return serve()

"""Measure what each part of each plugin adds to the first request of a session, and of a helper it starts.

The real client runs in an empty home against a loopback model: without the plugin, with it, and with each kind of its
parts alone."""

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...core.errors import Trouble
from ...core.value import Value, fresh
from ...store import atomic, markers
from ...system.process import run_program
from .loopback import LoopbackModel

PATIENCE = 60.0
BYTES_A_TOKEN = 4
# Kinds of parts: the client's default file or folder, and the manifest key that names others.
PARTS = {
    "agents": ("agents", "agents"),
    "skills": ("skills", "skills"),
    "commands": ("commands", "commands"),
    "hooks": ("hooks", "hooks"),
    "servers": (".mcp.json", "mcpServers"),
    "styles": ("output-styles", "outputStyles"),
}
_MANIFEST = ".claude-plugin/plugin.json"
_KEY = "sk-loopback-no-key-0123456789"
_PROMPT = "go"


class RequestSize(Value):
    """Bytes of the first request of the session and of its helper; 0 if none was sent."""

    main: int
    helper: int

    def beyond(self, bare: "RequestSize") -> "RequestSize":
        return RequestSize(self.main - bare.main, self.helper - bare.helper if self.helper else 0)

    def document(self) -> dict[str, Any]:
        return {
            **super().document(),
            "main_tokens": self.main // BYTES_A_TOKEN,
            "helper_tokens": self.helper // BYTES_A_TOKEN,
        }


class PluginCost(Value):
    """`size` is what the whole plugin adds, `parts` what each kind of its parts adds alone."""

    name: str
    path: str
    size: RequestSize
    parts: dict[str, RequestSize] = fresh(dict)

    def document(self) -> dict[str, Any]:
        parts = {kind: request_size.document() for kind, request_size in self.parts.items()}
        return {"name": self.name, "path": self.path, **self.size.document(), "parts": parts}


def measure_plugins(
    program: str, plugins: Iterable[tuple[str, str]], environ: Mapping[str, str], announce: Callable[[str], None]
) -> tuple[RequestSize, list[PluginCost]]:
    """Return the client's own size, and what each plugin (name and folder) adds; `announce` gets what is measured."""
    with tempfile.TemporaryDirectory(prefix="ultrawork-context-") as folder:
        seat = _Seat(program, folder, environ)
        announce("the client itself")
        bare = seat.measure("")
        return bare, [_measure_plugin(seat, name, path, bare, announce) for name, path in plugins]


def _measure_plugin(
    seat: "_Seat", name: str, path: str, bare: RequestSize, announce: Callable[[str], None]
) -> PluginCost:
    announce(name)
    plugin_cost = PluginCost(name, path, seat.measure(path).beyond(bare))
    for kind in list_kinds(path):
        announce(f"{name}: {kind}")
        part = make_part(f"{seat.folder}/parts/{kind}/{name}", path, kind)
        plugin_cost.parts[kind] = seat.measure(part).beyond(bare)
    return plugin_cost


class _Seat:
    """An empty home and project; nothing of the user's is read, and only PATH is passed on."""

    def __init__(self, program: str, folder: str, environ: Mapping[str, str]) -> None:
        self.program = program
        self.folder = folder
        self.home, self.project = f"{folder}/home", f"{folder}/project"
        for path in (self.home, self.project):
            os.makedirs(path)
        self.path = environ.get("PATH", os.defpath)

    def measure(self, plugin: str) -> RequestSize:
        with LoopbackModel() as model:
            env = {
                "HOME": self.home, "PATH": self.path, "LANG": "C.UTF-8", "SHELL": "/bin/sh", "TERM": "xterm",
                "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": _KEY, "CLAUDE_CODE_MAX_RETRIES": "0",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
            }  # fmt: skip
            argv = [self.program, "-p", _PROMPT, *(["--plugin-dir", plugin] if plugin else [])]
            done = run_program(argv, cwd=self.project, env=env, deadline=PATIENCE)
        if model.main is None:
            last = next(iter(done.output.strip().splitlines()[-1:]), "no output")
            raise Trouble(f"{self.program} sent no request: {last[:200]}")
        return RequestSize(len(model.main), len(model.helper or b""))


def list_kinds(plugin: str) -> list[str]:
    """Return the kinds of parts that a plugin has, in the default places or by its manifest."""
    manifest = markers.read(f"{plugin}/{_MANIFEST}") or {}
    return [kind for kind, (place, key) in PARTS.items() if key in manifest or os.path.exists(f"{plugin}/{place}")]


def make_part(folder: str, plugin: str, kind: str) -> str:
    """Create a plugin of the same name with one kind of its parts: links to all files except the other kinds'."""
    os.makedirs(f"{folder}/.claude-plugin")
    others = {name: part for name, part in PARTS.items() if name != kind}
    hidden = {".claude-plugin", *(place for place, _ in others.values())}
    for name in os.listdir(plugin):
        if name not in hidden:
            os.symlink(os.path.abspath(f"{plugin}/{name}"), f"{folder}/{name}")
    keys = {key for _, key in others.values()}
    manifest = {key: field for key, field in (markers.read(f"{plugin}/{_MANIFEST}") or {}).items() if key not in keys}
    manifest.setdefault("name", os.path.basename(folder))
    atomic.write(f"{folder}/{_MANIFEST}", json.dumps(manifest))
    return folder

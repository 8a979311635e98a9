"""`ultrawork doctor --context`: what each part of each installed plugin adds to the first request."""

from typing import Any

from ...clients.claude import context_cost
from ...clients.claude.context_cost import PluginCost, RequestSize
from ...clients.find import list_client_plugins
from ...clients.headless import table
from ...core.errors import NotFound
from ...store.paths import find_root
from ..command import Result, render_table
from ..environment import VerbEnvironment
from ..progress import ProgressLine

_OURS = "ultrawork"
_CLIENT = "claude"


def show(env: VerbEnvironment) -> Result:
    """Every plugin is started as the client starts it, in an empty home, against a model on loopback."""
    backend = table.get(_CLIENT)
    program = backend.find_program(env.environ)
    if program is None:
        raise NotFound(f"{backend.title} is not installed, so it cannot be measured: {backend.how_to_get}")
    with ProgressLine(quiet=env.json) as progress:
        bare, plugin_costs = context_cost.measure_plugins(
            program.path,
            list_plugins(env.environ.get("HOME", "")).items(),
            env.environ,
            lambda name: progress.begin(f"measuring {name}", None),
        )
    client = {"program": program.path, "version": program.version, **bare.document()}
    data = {"client": client, "plugins": [plugin_cost.document() for plugin_cost in plugin_costs]}
    return Result(data, render(program.version, bare, plugin_costs))


def list_plugins(home: str) -> dict[str, str]:
    """Return name and folder of each plugin installed for this user, including ours."""
    return {_OURS: find_root(), **dict(list_client_plugins(home))}


def render(version: str, bare: RequestSize, plugins: list[PluginCost]) -> str:
    rows = [_row(f"the client ({version})", bare)]
    for plugin_cost in plugins:
        rows.append(_row(plugin_cost.name, plugin_cost.size))
        rows += [_row(f"  {kind}", size) for kind, size in plugin_cost.parts.items()]
    text = render_table(("WHAT", "SESSION", "TOKENS", "HELPER", "TOKENS"), rows)
    about = f"bytes of the first request; about {context_cost.BYTES_A_TOKEN} bytes per token"
    return f"{text}\n{about}"


def _row(name: str, size: RequestSize) -> tuple[str, ...]:
    document: dict[str, Any] = size.document()
    keys = ("main", "main_tokens", "helper", "helper_tokens")
    return name, *(f"{document[key]:,}" for key in keys)

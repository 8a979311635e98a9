"""Which backends exist, and which one is meant."""

from collections.abc import Mapping
from importlib import import_module

from ...core import check
from ...core.errors import NotFound, UsageError
from .base import AgentProgram, Backend

AUTO = "auto"
# In order of preference, if none is named.
BACKENDS = {
    "claude": "claude.headless:Claude",
    "codex": "codex.headless:Codex",
    "gemini": "gemini.headless:Gemini",
    "opencode": "opencode.headless:Opencode",
    "script": "headless.script:Script",
}


def get(name: str) -> Backend:
    """Return a backend, installed or not."""
    if name not in BACKENDS:
        guess = check.find_nearest(name, BACKENDS)
        hint = f"; did you mean {guess}?" if guess else f"; known: {', '.join(BACKENDS)}"
        raise UsageError(f"no backend {check.quote(name)}{hint}")
    module, _, kind = BACKENDS[name].partition(":")
    backend: Backend = getattr(import_module(f"ultrawork.clients.{module}"), kind)()
    return backend


def choose(name: str, environ: Mapping[str, str], *, elsewhere: bool = False) -> Backend:
    """Return the named backend, or with `""` or `auto` the first installed; else raise how to get it. One that runs
    `elsewhere` is looked for there."""
    if name not in ("", AUTO):
        backend = get(name)
        if not elsewhere and backend.find_program(environ) is None:
            raise NotFound(f"{backend.title} is not installed: {backend.how_to_get}")
        return backend
    first = next((each for each in _automatic() if each.find_program(environ)), None)
    if first is None:
        known = ", ".join(each.name for each in _automatic())
        raise NotFound(f"none of {known} is installed; see ultrawork doctor")
    return first


def list_programs(environ: Mapping[str, str]) -> list[tuple[Backend, AgentProgram | None]]:
    """Return every backend with its program."""
    return [(backend, backend.find_program(environ)) for backend in map(get, BACKENDS)]


def _automatic() -> list[Backend]:
    return [backend for backend in map(get, BACKENDS) if backend.automatic]

"""Which client an event or a command line belongs to, and its adapter: no other one is loaded."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .client import ClientAdapter

# Below folders of these names a client allows no agent to write.
GUARDED = ("/.claude/",)
NAMES = ("claude", "codex", "gemini", "opencode")
# Its form of events and answers is our own: nothing is translated, and most events need no adapter.
OWN_FORM = "claude"
# They store conversations by the folder, which may go away.
STORE_BY_FOLDER = ("claude",)


def find_client(name: str, data: object, environ: "Mapping[str, str]") -> "ClientAdapter":
    """Return the client of an event, by its marks."""
    return get_client(recognize(name, data, environ))


def recognize(name: str, data: object, environ: "Mapping[str, str]") -> str:
    """Return the client's name. Codex's events belong to a turn; its session start is recognized by the name of its
    record."""
    given = data.get("hook_event_name") if isinstance(data, dict) else ""
    if str(given or name).startswith(("Before", "After", "PreCompress")):
        return "gemini"
    if environ.get("CLAUDE_CODE_SESSION_ID") or not isinstance(data, dict):
        return OWN_FORM
    record = str(data.get("transcript_path") or "")
    if "turn_id" in data or "/rollout-" in record:
        return "codex"
    return "gemini" if "/.gemini/" in record else OWN_FORM


def find_run_client(program: str) -> "ClientAdapter":
    """Return the client of a command line, by its program's name; an unknown one confines nothing."""
    name = program.rpartition("/")[2]
    if name in NAMES:
        return get_client(name)
    from .client import ClientAdapter

    return ClientAdapter()


def list_client_plugins(home: str) -> "Iterator[tuple[str, str]]":
    """Yield name and folder of every plugin that a client has installed for a user."""
    for name in NAMES:
        yield from get_client(name).list_plugins(home)


def get_client(name: str) -> "ClientAdapter":
    module = f"ultrawork.clients.{name}.hooks"
    __import__(module)
    adapter: ClientAdapter = sys.modules[module].ADAPTER
    return adapter

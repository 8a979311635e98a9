"""The plugins that Claude Code has installed for a user."""

from collections.abc import Iterator

from ...store.codec import loads
from ...system.files import read_bytes

INSTALLED = ".claude/plugins/installed_plugins.json"


def list_installed(home: str) -> Iterator[tuple[str, str]]:
    """Plugin and folder, as the client lists them; a list in another form names none."""
    try:
        document = loads(read_bytes(f"{home}/{INSTALLED}").decode("utf-8", "replace"))
        rows = document["plugins"].items()
    except (AttributeError, KeyError, OSError, TypeError, ValueError):
        return
    for name, entries in rows:
        for entry in entries if isinstance(entries, list) else [entries]:
            path = entry.get("installPath") if isinstance(entry, dict) else None
            if isinstance(path, str):
                yield str(name).partition("@")[0], path

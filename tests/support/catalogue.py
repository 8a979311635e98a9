"""The sentences that the program can show, one list per surface: `make words` writes them into `build/words`.

A sentence stays beside the code whose values it shows. The lists let someone read all sentences of a surface at once."""

import os

from ultrawork.store import atomic

from . import voice
from .floor import REPOSITORY
from .voice import Message

FOLDER = f"{REPOSITORY}/build/words"
# Surface -> the folders and modules whose sentences it shows. The longest match counts.
SURFACES = {
    "client": ("hooks", "core", "core/stop", "core/prompt", "core/modes"),
    "verdict": ("core/verdict", "gates", "proof"),
    "command-line": ("cli",),
    "screens": ("report", "sight", "core/status_line.py"),
    "runs": ("engine", "flow", "core/run", "core/plan", "core/course"),
    "machines": ("cluster",),
    "features": ("features",),
    "tools": ("mcp", "codeintel", "content"),
    "machine": ("clients", "store", "system"),
}


def list_catalogue() -> dict[str, list[Message]]:
    """Return the sentences of each surface, in the order of their files."""
    found: dict[str, list[Message]] = {surface: [] for surface in SURFACES}
    for message in voice.list_messages():
        if " " in message.text.strip():
            found[find_surface(message.path)].append(message)
    return found


def find_surface(path: str) -> str:
    """Return the surface of a module; a new package needs a row in `SURFACES`."""
    places = {place: surface for surface, places in SURFACES.items() for place in places}
    fitting = [place for place in places if path == place or path.startswith(f"{place}/")]
    return places[max(fitting, key=len)]


def render_surface(messages: list[Message]) -> str:
    """Return errors first, then the rest, each behind its place."""
    lines = []
    for title, chosen in (
        ("Errors", [one for one in messages if one.is_error]),
        ("Other sentences", [one for one in messages if not one.is_error]),
    ):
        lines += [f"{title} ({len(chosen)})", ""]
        lines += [f"{one.path}:{one.line}\n    " + one.text.replace("\n", "\n    ") for one in chosen]
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    os.makedirs(FOLDER, exist_ok=True)
    for surface, messages in list_catalogue().items():
        atomic.write(f"{FOLDER}/{surface}.txt", render_surface(messages), mode=0o644)
        print(f"build/words/{surface}.txt  {len(messages)}")


if __name__ == "__main__":
    main()

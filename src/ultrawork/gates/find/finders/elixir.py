"""Elixir: mix, and credo where it is configured."""

from collections.abc import Iterator

from ....core.verdict.gate import LINT, TEST
from ..candidate import Candidate, propose_command
from ..folder import ProjectFolder
from ..tools import find_setting

FAMILY = "elixir"
FILE = "mix.exs"


def find(place: ProjectFolder) -> list[Candidate]:
    text = place.read(FILE)
    if text is None:
        return []
    definition = "\n".join(_options(text))
    argv = ["mix", "test"]
    reason = f"a mix project, see {FILE}"
    found = [
        propose_command(
            place, FAMILY, TEST, argv, source=FILE, reason=reason, definition=definition
        )
    ]
    if find_setting(place, "credo"):
        reason = "credo is configured in .credo.exs"
        found.append(
            propose_command(
                place, FAMILY, LINT, ["mix", "credo"], source=".credo.exs", reason=reason
            )
        )
    return found


def _options(text: str) -> Iterator[str]:
    """The aliases, which can redefine `mix test`, and options such as `test_paths`."""
    inside = False
    for line in text.split("\n"):
        stripped = line.strip()
        inside = inside or stripped.startswith(("def aliases", "defp aliases"))
        if inside or stripped.startswith("test_"):
            yield stripped
        inside = inside and stripped != "end"

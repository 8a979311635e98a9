"""Elixir: mix, and credo where it is configured."""

from ...core.gate import LINT, TEST
from .candidate import Candidate, of_command
from .place import Place
from .settings import configured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FAMILY = "elixir"
FILE = "mix.exs"


def find(place: Place) -> list[Candidate]:
    text = place.read(FILE)
    if text is None:
        return []
    definition = "\n".join(_options(text))
    argv = ["mix", "test"]
    reason = f"a mix project, see {FILE}"
    found = [
        of_command(place, FAMILY, TEST, argv, source=FILE, reason=reason, definition=definition)
    ]
    if configured(place, "credo"):
        reason = "credo is configured in .credo.exs"
        found.append(
            of_command(place, FAMILY, LINT, ["mix", "credo"], source=".credo.exs", reason=reason)
        )
    return found


def _options(text: str) -> "Iterator[str]":
    """The aliases, which can redefine `mix test`, and options such as `test_paths`."""
    inside = False
    for line in text.split("\n"):
        stripped = line.strip()
        inside = inside or stripped.startswith(("def aliases", "defp aliases"))
        if inside or stripped.startswith("test_"):
            yield stripped
        inside = inside and stripped != "end"

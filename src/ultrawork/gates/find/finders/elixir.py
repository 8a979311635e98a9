"""Elixir: mix, credo and the formatter where they are configured."""

from collections.abc import Iterator

from ....core.verdict.gate import LINT, TEST
from ..candidate import FORMAT, Candidate, propose_command, propose_configured
from ..folder import ProjectFolder

FAMILY = "elixir"
FILE = "mix.exs"
MANIFESTS = (FILE,)


def find(project: ProjectFolder) -> list[Candidate]:
    text = project.read(FILE)
    if text is None:
        return []
    definition = "\n".join(_options(text))
    argv = ["mix", "test"]
    reason = f"a mix project, see {FILE}"
    found = [
        propose_command(
            project, FAMILY, TEST, argv, source=FILE, reason=reason, definition=definition
        )
    ]
    found += propose_configured(project, FAMILY, LINT, "credo", ["mix", "credo"])
    style = ["mix", "format", "--check-formatted"]
    return found + propose_configured(project, FAMILY, LINT, "mix format", style, slot=FORMAT)


def _options(text: str) -> Iterator[str]:
    """The aliases, which can redefine `mix test`, and options such as `test_paths`."""
    inside = False
    for line in text.split("\n"):
        stripped = line.strip()
        inside = inside or stripped.startswith(("def aliases", "defp aliases"))
        if inside or stripped.startswith("test_"):
            yield stripped
        inside = inside and stripped != "end"

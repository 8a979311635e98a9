"""OCaml: dune, where a `dune` file registers tests."""

from ....core.patterns import compile_late
from ....core.verdict.gate import TEST
from ..candidate import Candidate, propose_command
from ..folder import ProjectFolder

FAMILY = "ocaml"
_FILE = "dune-project"
FOLDERS_LOOKED_AT = 40
_DUNE_TEST = compile_late(r"\(\s*(?:tests?|cram|inline_tests)\b|\bruntest\b")


def find(project: ProjectFolder) -> list[Candidate]:
    """Return a check only if tests are registered; otherwise the command passes and runs nothing."""
    if not project.exists(_FILE):
        return []
    lines = [line.strip() for text in _read_dunes(project) for line in text.split("\n")]
    tests = [line for line in lines if _DUNE_TEST.search(line)]
    # Forced, because dune does not rerun what passed before.
    argv, reason = ["dune", "runtest", "--force"], f"dune tests, see {_FILE}"
    definition = "\n".join(tests)
    return (
        [propose_command(project, FAMILY, TEST, argv, source=_FILE, reason=reason, definition=definition)]
        if tests
        else []
    )


def _read_dunes(project: ProjectFolder) -> list[str]:
    above = ["", *_folders(project, "")]
    below = [inner for folder in above[1:] for inner in _folders(project, folder)]
    places = [*above, *below][:FOLDERS_LOOKED_AT]
    return [project.read(f"{place}dune") or "" for place in places if project.exists(f"{place}dune")]


def _folders(project: ProjectFolder, inside: str) -> list[str]:
    names = project.names(inside or ".")
    return [inside + name for name in names if name.endswith("/") and name[0] not in "._"]

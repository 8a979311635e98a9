"""Rust: cargo, and clippy where it is configured."""

from ....core.verdict.gate import LINT, TEST
from ..candidate import Candidate, propose_command
from ..folder import ProjectFolder, get_table, list_texts
from ..tools import find_setting

FAMILY = "rust"
FILE = "Cargo.toml"


def find(place: ProjectFolder) -> list[Candidate]:
    manifest = place.toml(FILE)
    if not manifest:
        return []
    if _built_by_python(place):
        place.leave("cargo test", "this crate is built by the Python project around it")
        return []
    whole = ["--workspace"] if "workspace" in manifest and "package" in manifest else []
    argv = ["cargo", "test", *whole]
    found = [propose_command(place, FAMILY, TEST, argv, source=FILE, reason=f"a crate, see {FILE}")]
    setting = find_setting(place, "clippy")
    if setting:
        source = setting.file.rpartition("/")[2]
        lint = ["cargo", "clippy", "--all-targets", *whole]
        reason = f"clippy is configured in {source}"
        found.append(propose_command(place, FAMILY, LINT, lint, source=source, reason=reason))
    return found


def _built_by_python(place: ProjectFolder) -> bool:
    """An extension module links against an interpreter and has its tests on the Python side."""
    manifest = place.toml(FILE)
    library = "cdylib" in list_texts(get_table(manifest, "lib").get("crate-type"))
    extends = library or "pyo3" in get_table(manifest, "dependencies")
    return extends and bool(get_table(place.toml("pyproject.toml"), "build-system"))

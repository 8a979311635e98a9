"""Rust: cargo, and clippy where it is configured."""

from ...core.gate import LINT, TEST
from .candidate import Candidate, of_command
from .place import Place, table, texts
from .settings import configured

FAMILY = "rust"
FILE = "Cargo.toml"


def find(place: Place) -> list[Candidate]:
    manifest = place.toml(FILE)
    if not manifest:
        return []
    if _built_by_python(place):
        place.leave("cargo test", "this crate is built by the Python project around it")
        return []
    whole = ["--workspace"] if "workspace" in manifest and "package" in manifest else []
    argv = ["cargo", "test", *whole]
    found = [of_command(place, FAMILY, TEST, argv, source=FILE, reason=f"a crate, see {FILE}")]
    setting = configured(place, "clippy")
    if setting:
        source = setting.file.rpartition("/")[2]
        lint = ["cargo", "clippy", "--all-targets", *whole]
        reason = f"clippy is configured in {source}"
        found.append(of_command(place, FAMILY, LINT, lint, source=source, reason=reason))
    return found


def _built_by_python(place: Place) -> bool:
    """An extension module links against an interpreter and has its tests on the Python side."""
    manifest = place.toml(FILE)
    library = "cdylib" in texts(table(manifest, "lib").get("crate-type"))
    extends = library or "pyo3" in table(manifest, "dependencies")
    return extends and bool(table(place.toml("pyproject.toml"), "build-system"))

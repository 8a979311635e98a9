"""Rust: cargo, clippy and rustfmt where they are configured."""

from ....core.verdict.gate import LINT, TEST
from ..candidate import FORMAT, Candidate, propose_command, propose_configured
from ..folder import ProjectFolder, get_table, list_texts

FAMILY = "rust"
FILE = "Cargo.toml"


def find(project: ProjectFolder) -> list[Candidate]:
    manifest = project.read_toml(FILE)
    if not manifest:
        return []
    if _built_by_python(project):
        project.leave_out("cargo test", "the Python project around it builds this crate")
        return []
    whole = ["--workspace"] if "workspace" in manifest and "package" in manifest else []
    argv = ["cargo", "test", *whole]
    candidates = [propose_command(project, FAMILY, TEST, argv, source=FILE, reason=f"a crate, see {FILE}")]
    lint = ["cargo", "clippy", "--all-targets", *whole]
    candidates += propose_configured(project, FAMILY, LINT, "clippy", lint)
    style = ["cargo", "fmt", "--check", *(["--all"] if whole else [])]
    return candidates + propose_configured(project, FAMILY, LINT, "rustfmt", style, slot=FORMAT)


def _built_by_python(project: ProjectFolder) -> bool:
    """An extension module links against an interpreter and has its tests on the Python side."""
    manifest = project.read_toml(FILE)
    library = "cdylib" in list_texts(get_table(manifest, "lib").get("crate-type"))
    extends = library or "pyo3" in get_table(manifest, "dependencies")
    return extends and bool(get_table(project.read_toml("pyproject.toml"), "build-system"))

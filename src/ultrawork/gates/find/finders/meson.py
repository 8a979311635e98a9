"""Meson: tests of a build folder that has been configured before."""

import re

from ....core.verdict.gate import TEST
from ..candidate import Candidate, propose_command
from ..folder import ProjectFolder

FAMILY = "meson"
FILE = "meson.build"
MANIFESTS = (FILE,)
_FOLDERS = ("build", "builddir", "_build", "build-meson", "out")
_TEST = re.compile(r"^\s*(?:test|gtest|\w+\.test)\s*\(", re.MULTILINE)


def find(project: ProjectFolder) -> list[Candidate]:
    if not has_tests(project):
        return []
    folder = find_build_folder(project)
    if not folder:
        project.leave_out(
            "meson test", "no configured build folder; make one with meson setup build"
        )
        return []
    argv = ["meson", "test", "-C", folder, "--print-errorlogs"]
    reason = f"tests in {FILE}, built in {folder}"
    return [propose_command(project, FAMILY, TEST, argv, source=FILE, reason=reason)]


def has_tests(project: ProjectFolder) -> bool:
    """Whether the project at its top, not a part of a larger one, registers tests here or in its test folders."""
    top = project.read(FILE) or ""
    if not re.search(r"^\s*project\s*\(", top, re.MULTILINE):
        return False
    below = [project.read(f"{folder}/{FILE}") or "" for folder in ("test", "tests", "src")]
    return any(_TEST.search(text) for text in (top, *below))


def find_build_folder(project: ProjectFolder) -> str:
    return next((f for f in _FOLDERS if project.exists(f"{f}/meson-private")), "")

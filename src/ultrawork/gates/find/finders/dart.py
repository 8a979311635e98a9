"""Dart and Flutter: tests, and the analyzer where it is configured."""

import re

from ....core.patterns import compile_late
from ....core.verdict.gate import LINT, TEST
from ..candidate import Candidate, propose_command, propose_configured
from ..folder import ProjectFolder

FAMILY = "dart"
FILE = "pubspec.yaml"
MANIFESTS = (FILE,)
_FLUTTER = compile_late(r"^[ \t]+sdk: flutter", re.MULTILINE)


def find(project: ProjectFolder) -> list[Candidate]:
    text = project.read(FILE)
    if text is None:
        return []
    tool = "flutter" if _FLUTTER.search(text) else "dart"
    found = []
    if _has_tests(project):
        argv = [tool, "test", "--reporter", "expanded"]
        reason = f"a {tool.title()} package with tests, see {FILE}"
        options = project.read("dart_test.yaml") or ""
        found = [
            propose_command(
                project, FAMILY, TEST, argv, source=FILE, reason=reason, definition=options
            )
        ]
    return found + propose_configured(project, FAMILY, LINT, "dart analyze", [tool, "analyze"])


def _has_tests(project: ProjectFolder) -> bool:
    below = [f"test/{name}" for name in project.names("test") if name.endswith("/")]
    return any(
        name.endswith("_test.dart") for folder in ("test", *below) for name in project.names(folder)
    )

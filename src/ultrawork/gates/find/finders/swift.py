"""Swift packages, and swiftlint where it is configured."""

from ....core.verdict.gate import LINT, TEST
from ..candidate import Candidate, propose_command, propose_configured
from ..folder import ProjectFolder

FAMILY = "swift"
FILE = "Package.swift"
MANIFESTS = (FILE,)


def find(project: ProjectFolder) -> list[Candidate]:
    text = project.read(FILE)
    if text is None:
        return []
    found = []
    if ".testTarget(" in text or project.exists("Tests"):
        argv = ["swift", "test"]
        reason = f"a Swift package with tests, see {FILE}"
        targets = "\n".join(line.strip() for line in text.split("\n") if "estTarget" in line)
        found = [
            propose_command(
                project, FAMILY, TEST, argv, source=FILE, reason=reason, definition=targets
            )
        ]
    return found + propose_configured(project, FAMILY, LINT, "swiftlint", ["swiftlint", "lint"])

"""Zig: the test step of build.zig."""

from ....core.verdict.gate import TEST
from ..candidate import Candidate, propose_command
from ..folder import ProjectFolder

FAMILY = "zig"
FILE = "build.zig"
MANIFESTS = (FILE,)


def find(project: ProjectFolder) -> list[Candidate]:
    text = project.read(FILE)
    if text is None:
        return []
    if '.step("test"' not in text.replace(" ", ""):
        project.leave_out("zig build test", f"{FILE} has no step named test")
        return []
    argv = ["zig", "build", "test", "--summary", "all"]
    reason = f"step test in {FILE}"
    return [
        propose_command(
            project, FAMILY, TEST, argv, source=FILE, reason=reason, definition=_list_tests(text)
        )
    ]


def _list_tests(text: str) -> str:
    """What bears on the tests: the rest of a build may change without them."""
    return "\n".join(line.strip() for line in text.split("\n") if "est" in line)

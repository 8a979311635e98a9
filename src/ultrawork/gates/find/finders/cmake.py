"""CMake: tests of a build folder that has been configured before."""

import re

from ....core.verdict.gate import TEST
from ..candidate import Candidate, propose_command
from ..folder import ProjectFolder

FAMILY = "cmake"
FILE = "CMakeLists.txt"
MANIFESTS = (FILE,)
_FOLDERS = ("build", "_build", "out/build", "cmake-build-debug", "build/debug", "build/Debug")
_TESTS = re.compile(
    r"^[ \t]*(?:enable_testing|add_test|include\s*\(\s*CTest|\w*_discover_tests)\b.*$", re.MULTILINE
)


def find(project: ProjectFolder) -> list[Candidate]:
    lines = list_test_lines(project)
    if not lines:
        return []
    folder = find_build_folder(project)
    if not folder:
        project.leave_out("ctest", "no configured build folder; make one with cmake -B build")
        return []
    text = f"cmake --build {folder} && ctest --test-dir {folder} --output-on-failure"
    return [
        propose_command(
            project,
            FAMILY,
            TEST,
            ["sh", "-c", text],
            text=text,
            source=FILE,
            reason=f"tests in {FILE}, built in {folder}",
            definition="\n".join(lines),
        )
    ]


def list_test_lines(project: ProjectFolder) -> list[str]:
    """The lines that register tests, here and in the usual folders below; none where nothing is registered."""
    files = (FILE, *(f"{folder}/{FILE}" for folder in ("test", "tests")))
    text = project.read(FILE)
    if text is None:
        return []
    texts = [text, *(project.read(file) or "" for file in files[1:])]
    return [match[0].strip() for one in texts for match in _TESTS.finditer(one)]


def find_build_folder(project: ProjectFolder) -> str:
    return next((f for f in _FOLDERS if project.exists(f"{f}/CMakeCache.txt")), "")

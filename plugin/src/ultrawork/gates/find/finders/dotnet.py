""".NET: a solution, or a project that declares tests."""

from ....core.verdict.gate import TEST
from ..candidate import Candidate, propose_command
from ..folder import ProjectFolder

FAMILY = "dotnet"
_SOLUTIONS = ("*.sln", "*.slnx")
_PROJECTS = ("*.csproj", "*.fsproj", "*.vbproj")
_NATIVE = (".vcxproj", ".vcproj")
_TEST_PACKAGE = "Microsoft.NET.Test.Sdk"


def find(project: ProjectFolder) -> list[Candidate]:
    file = _solution(project) or _test_project(project)
    if not file:
        return []
    settings = project.find_matching("*.runsettings")
    definition = (project.read(settings) or "") if settings else ""
    argv = ["dotnet", "test"]
    reason = f"a .NET solution or test project, see {file}"
    return [propose_command(project, FAMILY, TEST, argv, source=file, reason=reason, definition=definition)]


def _solution(project: ProjectFolder) -> str:
    """Return the solution, unless it holds only C++: `dotnet` cannot build that."""
    name = project.find_matching(*_SOLUTIONS)
    text = (project.read(name) or "") if name else ""
    managed = any(kind.removeprefix("*") in text for kind in _PROJECTS)
    return "" if not managed and any(kind in text for kind in _NATIVE) else name


def _test_project(project: ProjectFolder) -> str:
    name = project.find_matching(*_PROJECTS)
    return name if name and _TEST_PACKAGE in (project.read(name) or "") else ""

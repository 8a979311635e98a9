""".NET: a solution, or a project that says it holds tests."""

from ....core.verdict.gate import TEST
from ..candidate import Candidate, propose_command
from ..folder import ProjectFolder

FAMILY = "dotnet"
_TEST_PACKAGE = "Microsoft.NET.Test.Sdk"


def find(place: ProjectFolder) -> list[Candidate]:
    file = place.matching("*.sln", "*.slnx") or _test_project(place)
    if not file:
        return []
    settings = place.matching("*.runsettings")
    definition = (place.read(settings) or "") if settings else ""
    argv = ["dotnet", "test"]
    reason = f"a .NET solution or test project, see {file}"
    return [
        propose_command(
            place, FAMILY, TEST, argv, source=file, reason=reason, definition=definition
        )
    ]


def _test_project(place: ProjectFolder) -> str:
    name = place.matching("*.csproj", "*.fsproj", "*.vbproj")
    return name if name and _TEST_PACKAGE in (place.read(name) or "") else ""

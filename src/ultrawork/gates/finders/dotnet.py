""".NET: a solution, or a project that says it holds tests."""

from ...core.gate import TEST
from .candidate import Candidate, of_command
from .place import Place

FAMILY = "dotnet"
_TEST_PACKAGE = "Microsoft.NET.Test.Sdk"


def find(place: Place) -> list[Candidate]:
    file = place.matching("*.sln", "*.slnx") or _test_project(place)
    if not file:
        return []
    settings = place.matching("*.runsettings")
    definition = (place.read(settings) or "") if settings else ""
    argv = ["dotnet", "test"]
    reason = f"a .NET solution or test project, see {file}"
    return [
        of_command(place, FAMILY, TEST, argv, source=file, reason=reason, definition=definition)
    ]


def _test_project(place: Place) -> str:
    name = place.matching("*.csproj", "*.fsproj", "*.vbproj")
    return name if name and _TEST_PACKAGE in (place.read(name) or "") else ""

"""All finders, in the order in which their findings are preferred."""

from . import cargo, cmake, doors, dotnet, go, jvm, mix, node, php, python, ruby

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .candidate import Candidate
    from .place import Place

FINDERS: "dict[str, Callable[[Place], list[Candidate]]]" = {
    "make": doors.find_make,
    "just": doors.find_just,
    "node": node.find,
    "python": python.find,
    "rust": cargo.find,
    "go": go.find,
    "jvm": jvm.find,
    "dotnet": dotnet.find,
    "elixir": mix.find,
    "ruby": ruby.find,
    "php": php.find,
    "cmake": cmake.find,
}
# Where a project has one of these, its checks stand for all its languages.
DOORS = ("make", "just")
# A folder below the root counts as a project of its own only with one of these.
MANIFESTS = (
    "GNUmakefile",
    "Makefile",
    "makefile",
    "justfile",
    "Justfile",
    ".justfile",
    "package.json",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "tox.ini",
    "noxfile.py",
    "pytest.ini",
    "requirements.txt",
    "manage.py",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "mix.exs",
    "Gemfile",
    "composer.json",
    "CMakeLists.txt",
)
MANIFEST_ENDINGS = (".sln", ".slnx", ".csproj", ".fsproj", ".vbproj")

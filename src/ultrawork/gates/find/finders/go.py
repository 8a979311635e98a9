"""Go: modules and workspaces, and golangci-lint where it is configured."""

from ....core.verdict.gate import LINT, TEST
from ..candidate import Candidate, propose_command
from ..folder import ProjectFolder
from ..tools import find_setting

FAMILY = "go"


def find(place: ProjectFolder) -> list[Candidate]:
    module = place.first("go.mod", "go.work")
    if not module:
        return []
    folders = [] if module == "go.mod" else list_used_folders(place)
    patterns = [f"./{folder}/..." for folder in folders] or ["./..."]
    argv = ["go", "test", *patterns]
    found = [
        propose_command(place, FAMILY, TEST, argv, source=module, reason=f"Go code, see {module}")
    ]
    setting = find_setting(place, "golangci-lint")
    if setting:
        source = setting.file.rpartition("/")[2]
        reason = f"golangci-lint is configured in {source}"
        lint = ["golangci-lint", "run"]
        found.append(propose_command(place, FAMILY, LINT, lint, source=source, reason=reason))
    return found


def list_used_folders(place: ProjectFolder) -> list[str]:
    """The folders of the modules that go.work names."""
    named = parse_directives(place.read("go.work") or "", "use")
    return [words[0].strip('"').removeprefix("./").rstrip("/") or "." for words in named]


def parse_directives(text: str, keyword: str) -> list[list[str]]:
    """The words of each `use`, `require` or `replace`, alone or in a block."""
    found: list[list[str]] = []
    inside = False
    for line in text.split("\n"):
        words = line.partition("//")[0].split()
        if inside and words and words[0] != ")":
            found.append(words)
        elif words[:1] == [keyword] and words[1:] and words[1] != "(":
            found.append(words[1:])
        inside = words[:2] == [keyword, "("] or (inside and words[:1] != [")"])
    return found

"""Go: modules and workspaces."""

from ....core.verdict.gate import TEST
from ..candidate import Candidate, propose_command
from ..folder import ProjectFolder

FAMILY = "go"


def find(project: ProjectFolder) -> list[Candidate]:
    module = project.find_first("go.mod", "go.work")
    if not module:
        return []
    folders = [] if module == "go.mod" else list_used_folders(project)
    patterns = [f"./{folder}/..." for folder in folders] or ["./..."]
    argv = ["go", "test", *patterns]
    reason = f"Go code, see {module}"
    return [propose_command(project, FAMILY, TEST, argv, source=module, reason=reason)]


def list_used_folders(project: ProjectFolder) -> list[str]:
    """The folders of the modules that go.work names."""
    named = parse_directives(project.read("go.work") or "", "use")
    return [words[0].strip('"').removeprefix("./").rstrip("/") or "." for words in named]


def parse_directives(text: str, keyword: str) -> list[list[str]]:
    """Return the words of each `use`, `require` or `replace`, alone or in a block."""
    directives: list[list[str]] = []
    inside = False
    for line in text.split("\n"):
        words = line.partition("//")[0].split()
        if inside and words and words[0] != ")":
            directives.append(words)
        elif words[:1] == [keyword] and words[1:] and words[1] != "(":
            directives.append(words[1:])
        inside = words[:2] == [keyword, "("] or (inside and words[:1] != [")"])
    return directives

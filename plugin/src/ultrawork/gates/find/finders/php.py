"""PHP: composer scripts first, else phpunit or pest, and configured checkers."""

from ....core.verdict.gate import LINT, TEST, TYPES
from ..candidate import SCRIPT_NAMES, Candidate, propose_scripts
from ..folder import ProjectFolder
from ..table import find_described
from ..trace import find_book

FAMILY = "php"
_SCRIPTS = {TEST: ("test", "tests", "test:unit"), LINT: SCRIPT_NAMES[LINT], TYPES: ("phpstan", "psalm", "types")}


def find(project: ProjectFolder) -> list[Candidate]:
    candidates = []
    scripts = find_book(project, "composer")
    if scripts:
        candidates = propose_scripts(project, scripts, _SCRIPTS, _start)
    scripted = {candidate.gate.kind for candidate in candidates}
    described = find_described(project, FAMILY)
    return [*candidates, *(tool for tool in described if tool.gate.kind not in scripted)]


def _start(script: str) -> list[str]:
    return ["composer", "run-script", script] if ":" in script else ["composer", script]

"""PHP: composer scripts first, else phpunit or pest, and the checkers that are configured."""

from ....core.verdict.gate import LINT, TEST, TYPES
from ..candidate import SCRIPT_NAMES, Candidate, propose_configured, propose_scripts
from ..folder import ProjectFolder, get_table
from ..recipes.package import COMPOSER_FILE
from ..trace import find_book

FAMILY = "php"
_TOOLS = (
    (TEST, "phpunit", ()),
    (LINT, "phpcs", ()),
    (TYPES, "phpstan", ("analyse",)),
    (TYPES, "psalm", ()),
)
_RUNNERS = {
    "pestphp/pest": "pest",
    "phpunit/phpunit": "phpunit",
    "symfony/phpunit-bridge": "simple-phpunit",
}
_SCRIPTS = {
    TEST: ("test", "tests", "test:unit"),
    LINT: SCRIPT_NAMES[LINT],
    TYPES: ("phpstan", "psalm", "types"),
}


def find(project: ProjectFolder) -> list[Candidate]:
    found = []
    scripts = find_book(project, "composer")
    if scripts:
        found = propose_scripts(project, scripts, _SCRIPTS, _start)
    scripted = {candidate.gate.kind for candidate in found}
    return [*found, *(tool for tool in _tools(project) if tool.gate.kind not in scripted)]


def _start(script: str) -> list[str]:
    return ["composer", "run-script", script] if ":" in script else ["composer", script]


def _tools(project: ProjectFolder) -> list[Candidate]:
    found: list[Candidate] = []
    runner = _name_runner(project)
    for kind, tool, words in _TOOLS:
        called = runner if tool == "phpunit" else tool
        argv = [f"vendor/bin/{called}", *words]
        found += propose_configured(project, FAMILY, kind, tool, argv, called=called)
    return found


def _name_runner(project: ProjectFolder) -> str:
    """The program that starts phpunit's tests here, by the package that brings it."""
    wanted = get_table(project.read_json(COMPOSER_FILE), "require-dev")
    known = [name for package, name in _RUNNERS.items() if package in wanted]
    return known[0] if known else "phpunit"

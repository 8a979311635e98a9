"""PHP: composer scripts first, else phpunit or pest, and the checkers that are configured."""

from ....core.verdict.gate import LINT, TEST, TYPES
from ..candidate import SCRIPT_NAMES, Candidate, propose_command, propose_scripts
from ..folder import ProjectFolder, get_table
from ..recipes.package import COMPOSER_FILE
from ..tools import find_setting
from ..trace import find_book

FAMILY = "php"
_TOOLS = (
    (TEST, "phpunit", ()),
    (LINT, "phpcs", ()),
    (TYPES, "phpstan", ("analyse",)),
    (TYPES, "psalm", ()),
)
_SCRIPTS = {
    TEST: ("test", "tests", "test:unit"),
    LINT: SCRIPT_NAMES[LINT],
    TYPES: ("phpstan", "psalm", "types"),
}


def find(place: ProjectFolder) -> list[Candidate]:
    found = []
    scripts = find_book(place, "composer")
    if scripts:
        found = propose_scripts(place, scripts, _SCRIPTS, _start)
    scripted = {candidate.gate.kind for candidate in found}
    return [*found, *(tool for tool in _tools(place) if tool.gate.kind not in scripted)]


def _start(script: str) -> list[str]:
    return ["composer", "run-script", script] if ":" in script else ["composer", script]


def _tools(place: ProjectFolder) -> list[Candidate]:
    found = []
    uses_pest = "pestphp/pest" in get_table(place.json(COMPOSER_FILE), "require-dev")
    for kind, tool, words in _TOOLS:
        setting = find_setting(place, tool)
        if setting:
            source = setting.file.rpartition("/")[2]
            started = "pest" if tool == "phpunit" and uses_pest else tool
            argv = [f"vendor/bin/{started}", *words]
            reason = f"{started} is configured in {source}"
            found.append(propose_command(place, FAMILY, kind, argv, source=source, reason=reason))
    return found

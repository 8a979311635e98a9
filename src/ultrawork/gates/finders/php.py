"""PHP: composer scripts first, else phpunit or pest, and the checkers that are configured."""

from ...core.gate import LINT, TEST, TYPES
from .candidate import Candidate, of_command
from .composer import FILE
from .place import Place, table
from .scripts import SCRIPT_NAMES, checks
from .settings import configured
from .trail import book

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


def find(place: Place) -> list[Candidate]:
    found = []
    scripts = book(place, "composer")
    if scripts:
        found = checks(place, scripts, _SCRIPTS, _start)
    scripted = {candidate.gate.kind for candidate in found}
    return [*found, *(tool for tool in _tools(place) if tool.gate.kind not in scripted)]


def _start(script: str) -> list[str]:
    return ["composer", "run-script", script] if ":" in script else ["composer", script]


def _tools(place: Place) -> list[Candidate]:
    found = []
    uses_pest = "pestphp/pest" in table(place.json(FILE), "require-dev")
    for kind, tool, words in _TOOLS:
        setting = configured(place, tool)
        if setting:
            source = setting.file.rpartition("/")[2]
            started = "pest" if tool == "phpunit" and uses_pest else tool
            argv = [f"vendor/bin/{started}", *words]
            reason = f"{started} is configured in {source}"
            found.append(of_command(place, FAMILY, kind, argv, source=source, reason=reason))
    return found

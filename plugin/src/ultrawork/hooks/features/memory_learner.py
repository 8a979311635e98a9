"""What commands teach about a project. Most teach nothing, which is determined before anything is loaded."""

from ..event import Event
from ..tool import find_target
from .common import make_relative, mask_secrets

_RUNNERS = (
    "npm", "pnpm", "yarn", "bun", "npx", "cargo", "go", "make", "gradle", "mvn", "dotnet", "mix", "tsc", "pytest",
    "python", "python3", "ruff", "golangci-lint",
)  # fmt: skip
_SHOWS = (
    "Node.js v", "Python ", "rustc ", "go version", "Cannot find module", "No module named", "environment variable",
    "is not set", "must be set",
)  # fmt: skip


def learn(event: Event) -> None:
    if event.text("tool_name") == "Bash":
        _learn_from_command(event)
    else:
        _note_edit(event)


def _learn_from_command(event: Event) -> None:
    """Learn from a command and its output."""
    command = str(event.mapping("tool_input").get("command") or "").strip()
    output = _read_output(event)
    known = command.partition(" ")[0] in _RUNNERS or "--version" in command
    if not known and not any(words in output for words in _SHOWS):
        return
    from ...core.project import directives
    from ...store.omc import memory
    from ...store.omc.folder import HASTE, Omc

    worked = directives.find_commands(mask_secrets(event, command)) if event.name == "PostToolUse" else {}
    facts = directives.find_facts(command, output)
    if worked or facts:
        memory.learn(Omc(event.place, HASTE), worked, facts, event.clock())


def _note_edit(event: Event) -> None:
    """Note which files are edited; they are counted when the session ends."""
    path = make_relative(event, find_target(event))
    if path and event.session and "node_modules/" not in path:
        from ...store.omc import failures
        from ...store.omc.folder import HASTE, Omc

        failures.take_new(Omc(event.place, HASTE), event.session, f"edited {path}")


def _read_output(event: Event) -> str:
    if event.name == "PostToolUseFailure":
        return event.text("error")
    output = event.mapping("tool_response")
    return "\n".join(str(output.get(key) or "") for key in ("stdout", "stderr"))

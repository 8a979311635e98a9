"""The client's own settings: which commands it lets pass without a question, and whether it runs them in a sandbox."""

import os

from ..core.stop import gate_limits
from ..store import markers
from . import transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ..core.permission.codex_turn import TurnPolicy
    from .event import Event

# Where an organisation rules, what it allows is not for us to work out.
_MANAGED = (
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
)
_SIZE = 4_000_000
_CODEX = "codex"


def list_ruled(event: "Event", commands: "Sequence[str]") -> list[str]:
    """
    The commands that a rule of the client covers at this moment. It is asked when the session is
    switched on: a rule that the agent writes later is not the person's.
    """
    if event.is_codex or any(os.path.exists(path) for path in _MANAGED):
        return []
    allow = list(_rules(event, "allow"))
    refuse = list_refusing(event)
    return [
        command
        for command in commands
        if gate_limits.is_allowed_by_rules(command, allow=allow, refuse=refuse)
    ]


def is_refused(event: "Event", command: str) -> bool:
    """Whether somebody wants to be asked about this command, or has said no to it."""
    managed = any(os.path.exists(path) for path in _MANAGED)
    return managed or gate_limits.is_refused_by_rules(command, list_refusing(event))


def list_refusing(event: "Event") -> list[str]:
    """The rules of the client that ask or deny."""
    return [*_rules(event, "ask"), *_rules(event, "deny")]


def is_sandboxed(event: "Event") -> bool:
    """
    Claude Code where any settings say so. Codex calls its mode open as soon as it asks nothing, sandbox or not:
    only its record tells.
    """
    if event.is_codex:
        return not read_turn_policy(event).is_open
    return any(_section(one, "sandbox").get("enabled") is True for one in _settings(event))


def read_turn_policy(event: "Event") -> "TurnPolicy":
    """What Codex confines the commands of this turn to."""
    from ..core.permission.codex_turn import read_turn

    return read_turn(transcript.read_turn_context(event.text("transcript_path")))


def confine(event: "Event") -> None:
    """
    From here on everything that this hook starts knows the sandbox of the agent's commands, as Codex's own
    program applies it. What begins beside us has inherited it.
    """
    from ..core.permission.codex_turn import CONFINED

    policy = read_turn_policy(event)
    if policy.is_open or event.environ.get(CONFINED):
        return
    from ..gates.confinement import Confinement

    program = _find_client(event) if policy.can_hold_checks else ""
    told = Confinement(policy.kind, program, policy.profile, event.cwd).write()
    event.environ = {**event.environ, CONFINED: told}


def _find_client(event: "Event") -> str:
    """The program that the event comes from; one that was replaced since is looked for by its name."""
    from ..system.ancestry import list_upwards
    from ..system.program import find_program

    found = next(iter(list_upwards(event.caller.pid)), None)
    if found is None or not found.name.startswith(_CODEX):
        return ""
    path = found.program or found.argv[0]
    return path if os.access(path, os.X_OK) else find_program(_CODEX, event.environ) or ""


def is_out_of_reach(event: "Event") -> bool:
    """Whether the agent's commands are confined, and checks cannot be held to the same."""
    if not is_sandboxed(event):
        return False
    from ..core.permission.codex_turn import CONFINED
    from ..gates.confinement import Confinement, read_confinement

    found = read_confinement(event.environ)
    if found is not None and found.is_working(event.environ):
        return False
    if found is not None:
        event.environ = {**event.environ, CONFINED: Confinement(found.kind).write()}
    return True


def read_mode(event: "Event") -> tuple[str, bool]:
    """What the client calls its mode, and whether it runs every command there unasked, under any name."""
    mode = event.text("permission_mode")
    if not event.is_codex:
        return mode, False
    policy = read_turn_policy(event)
    return (gate_limits.PLAN_MODE, False) if policy.is_planning else (mode, not policy.asks)


def _rules(event: "Event", kind: str) -> "Iterator[str]":
    for settings in _settings(event):
        found = _section(settings, "permissions").get(kind)
        yield from (one for one in found if isinstance(one, str)) if isinstance(found, list) else ()


def _settings(event: "Event") -> "Iterator[dict[str, Any]]":
    environ = event.environ
    own = environ.get("CLAUDE_CONFIG_DIR") or f"{environ.get('HOME', '')}/.claude"
    project = environ.get("CLAUDE_PROJECT_DIR") or event.place
    for path in (
        *_MANAGED,
        f"{own}/settings.json",
        f"{project}/.claude/settings.json",
        f"{project}/.claude/settings.local.json",
    ):
        found = markers.read(path, _SIZE)
        if found is not None:
            yield found


def _section(settings: "dict[str, Any]", name: str) -> "dict[str, Any]":
    value = settings.get(name)
    return value if isinstance(value, dict) else {}

"""Codex's sandbox: what a turn or a whole command was confined to, and the program that applies it."""

import os

from ..confinement import Confinement
from .record import READ_ONLY, TurnPolicy, make_state, read_turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..client import HookEvent

NAME = "codex"
_FREE = "--dangerously-bypass-approvals-and-sandbox", "--yolo"
_UNRECORDED = "--ephemeral"


def make_confinement(policy: TurnPolicy, program: str, folder: str) -> Confinement:
    return Confinement(NAME, policy.kind, program, policy.profile, folder)


def find_client_program(event: "HookEvent") -> str:
    """Return the program that sent the event; one that was replaced since is found by name."""
    from ...system.ancestry import list_upwards
    from ...system.program import find_program

    process_fact = next(iter(list_upwards(event.caller.pid)), None)
    if process_fact is None or not process_fact.name.startswith(NAME):
        return ""
    path = process_fact.program or process_fact.argv[0]
    return path if os.access(path, os.X_OK) else find_program(NAME, event.environ) or ""


def make_command(confinement: Confinement, writable: "Iterable[str]") -> list[str]:
    from ...store.codec import dumps

    state = dumps(make_state(confinement.profile, confinement.folder, writable))
    return [confinement.program, "sandbox", "--sandbox-state-json", state, "--"]


def find_run_confinement(
    words: "Sequence[str]", environ: "Mapping[str, str]", place: str, since: float
) -> Confinement | None:
    """Return the narrowest sandbox of the threads that ran here meanwhile. A run without a record gets the strictest,
    unless its own options turn all off."""
    from ...system.program import find_program
    from .record import list_turn_contexts

    contexts = [] if _UNRECORDED in words else list_turn_contexts(environ, place, since)
    policies = [read_turn(context) for context in contexts]
    if not policies:
        return None if any(word in _FREE for word in words) else Confinement(NAME, READ_ONLY)
    confined = [turn_policy for turn_policy in policies if not turn_policy.is_open]
    if not confined:
        return None
    policy = min(confined, key=lambda turn_policy: turn_policy.can_hold_checks)
    program = find_program(words[0], environ) or "" if policy.can_hold_checks else ""
    return make_confinement(policy, program, place)

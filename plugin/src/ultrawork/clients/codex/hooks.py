"""Codex: our form with its own keys. It allows no changed input for a call, wakes no one, and confines by its
sandbox."""

from ..client import ClientAdapter, late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..client import HookEvent
    from ..confinement import Confinement
    from .record import TurnPolicy

# Calls that stand for another one, and what a patch begins with.
_TRANSLATED = ("_agent", "__find_tool")
_BEGINS_PATCH = b"*** Begin Patch"
# Variables that it gives to its model's commands, and to no hook.
_TOOL = ("CODEX_TOOL_CALL_ID", "CODEX_THREAD_ID", "CODEX_SESSION_ID")


class CodexCli(ClientAdapter):
    name = "codex"
    title = "Codex"
    login_question = (("login", "status"), "Logged in", "Not logged in")
    one_shot = "codex exec"
    skill_sign = "$"
    must_block = True
    most_agents = (6, 3)
    fit_answer = late("answers")
    list_usage = late("usage")
    list_requests = late("record")
    read_agent_path = late("record")
    examine_trust = late("trust")
    make_sandbox_command = late("sandbox", "make_command")
    find_run_confinement = late("sandbox")
    plan_install = late("install")

    def translate_call(self, data: "dict[str, Any]", raw: bytes) -> "dict[str, Any]":
        is_call = str(data.get("tool_name")).endswith(_TRANSLATED)
        if not is_call and not (_BEGINS_PATCH in raw and "tool_name" in data):
            return data
        from .calls import translate_call

        return translate_call(data)

    def name_resume(self, session: str) -> str:
        return f"codex resume {session}"

    def name_program(self, environ: "Mapping[str, str]") -> str:
        """Return the program's path: Codex puts no plugin's programs on the PATH of its model."""
        root = environ.get("CLAUDE_PLUGIN_ROOT", "").rstrip("/")
        return f'"{root}/bin/ultrawork"' if root else "ultrawork"

    def is_attended(self, event: "HookEvent") -> bool:
        from .record import is_begun_by_hand

        return is_begun_by_hand(event.text("transcript_path"))

    def is_from_tool(self, environ: "Mapping[str, str]") -> bool:
        return any(environ.get(name) for name in _TOOL)

    def reads_guide(self, _environ: "Mapping[str, str]", _own: str) -> bool:
        return True

    def is_sandboxed(self, event: "HookEvent") -> bool:
        """Return whether it is sandboxed, by its record: it calls its mode open as soon as it asks nothing."""
        return not self._read_policy(event).is_open

    def read_mode(self, event: "HookEvent") -> tuple[str, bool]:
        from ...core.stop.gate_limits import PLAN_MODE

        policy = self._read_policy(event)
        if policy.is_planning:
            return PLAN_MODE, False
        return event.text("permission_mode"), not policy.asks

    def name_add_folder(self) -> str:
        return "codex --add-dir"

    def name_wider_sandbox(self, kind: str) -> str:
        from .record import READ_ONLY

        return "codex --sandbox workspace-write" if kind == READ_ONLY else ""

    def find_confinement(self, event: "HookEvent") -> "Confinement | None":
        from .sandbox import find_client_program, make_confinement

        policy = self._read_policy(event)
        if policy.is_open:
            return None
        program = find_client_program(event) if policy.can_hold_checks else ""
        return make_confinement(policy, program, event.cwd)

    def _read_policy(self, event: "HookEvent") -> "TurnPolicy":
        """Return what it confines this turn's commands to."""
        from .record import read_turn, read_turn_context

        return read_turn(read_turn_context(event.text("transcript_path")))


ADAPTER = CodexCli()

"""Claude Code: its form of events and answers is our own."""

from ..client import ClientAdapter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..client import HookEvent

# What lets an unattended run start the checks itself.
FLAG = "--allowedTools 'Bash(ultrawork verify:*)'"
ALLOW = "ulw gates allow"


class ClaudeCode(ClientAdapter):
    name = "claude"
    title = "Claude Code"
    directs_agents = True
    wakes = True
    reports_skills = True
    asks_for_last_line = True

    def name_resume(self, session: str) -> str:
        return f"claude --resume {session}"

    def is_attended(self, event: "HookEvent") -> bool:
        """It says so; its older versions by their entry point."""
        given = event.environ.get("CLAUDE_CODE_SESSION_ATTENDED")
        if given is not None:
            return given != "0"
        return event.environ.get("CLAUDE_CODE_ENTRYPOINT", "") == "cli"

    def reads_guide(self, environ: "Mapping[str, str]", own: str) -> bool:
        """Since it tells who attends a session, but only in a project without a CLAUDE.md."""
        newer = "CLAUDE_CODE_SESSION_ATTENDED" in environ
        return (newer and not own) or "AGENTS.md" in own

    def is_goal_on(self, record: str) -> bool:
        from .record import is_goal_on

        return is_goal_on(record)

    def list_requests(self, record: str) -> "Iterable[str]":
        from .record import list_requests

        return list_requests(record)

    def list_scheduled(self, record: str) -> "Iterable[str]":
        from .record import list_scheduled

        return list_scheduled(record)

    def list_queued(self, record: str) -> "Sequence[str]":
        from .record import list_queued

        return list_queued(record)

    def list_ruled(self, event: "HookEvent", commands: "Sequence[str]") -> list[str]:
        from .permissions import list_ruled

        return list_ruled(event, commands)

    def list_refusing(self, event: "HookEvent") -> list[str]:
        from .permissions import list_refusing

        return list_refusing(event)

    def is_refused(self, event: "HookEvent", command: str) -> bool:
        from .permissions import is_refused

        return is_refused(event, command)

    def is_sandboxed(self, event: "HookEvent") -> bool:
        from .permissions import is_sandboxed

        return is_sandboxed(event)

    def find_way(self, event: "HookEvent") -> str:
        if self.is_sandboxed(event):
            return super().find_way(event)
        return ALLOW if event.attended else FLAG


ADAPTER = ClaudeCode()

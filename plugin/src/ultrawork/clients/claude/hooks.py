"""Claude Code: its form of events and answers is our own."""

from ..client import ClientAdapter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...core.run.prices import MessageUsage
    from ..client import HookEvent
    from ..install import SettingsEdit

# What lets an unattended run start the checks itself.
FLAG = "--allowedTools 'Bash(ultrawork verify:*)'"
ALLOW = "ulw gates allow"
_RALPH = ".claude/ralph-loop.local.md"


class ClaudeCode(ClientAdapter):
    name = "claude"
    title = "Claude Code"
    login_question = (("auth", "status"), '"loggedIn": true', '"loggedIn": false')
    one_shot = "claude -p"
    guide = "CLAUDE.md"
    agents_folder = ".claude/agents"
    directs_agents = True
    wakes = True
    reports_skills = True
    asks_for_last_line = True

    def name_resume(self, session: str) -> str:
        return f"claude --resume {session}"

    def keep_conversations(self, place: str, kept: str, environ: "Mapping[str, str]") -> None:
        from .conversations import keep_conversations

        keep_conversations(place, kept, environ)

    def restore_conversation(self, conversation: str, kept: str, place: str, environ: "Mapping[str, str]") -> bool:
        from .conversations import restore_conversation

        return restore_conversation(conversation, kept, place, environ)

    def find_start(self, record: str) -> str:
        from .conversations import find_start

        return find_start(record)

    def make_hook_variables(self, session: str, place: str) -> "dict[str, str]":
        return {"CLAUDE_CODE_SESSION_ID": session, "CLAUDE_CODE_SESSION_ATTENDED": "0", "CLAUDE_PROJECT_DIR": place}

    def is_attended(self, event: "HookEvent") -> bool:
        """Return whether a user is present, as the client says; older versions by their entry point."""
        attended = event.environ.get("CLAUDE_CODE_SESSION_ATTENDED")
        if attended is not None:
            return attended != "0"
        return event.environ.get("CLAUDE_CODE_ENTRYPOINT", "") == "cli"

    def reads_guide(self, environ: "Mapping[str, str]", own: str) -> bool:
        """Return whether it reads AGENTS.md: versions that report attendance do, in a project without a CLAUDE.md."""
        newer = "CLAUDE_CODE_SESSION_ATTENDED" in environ
        return (newer and not own) or "AGENTS.md" in own

    def list_sessions(self, environ: "Mapping[str, str]") -> "dict[str, tuple[int, str, str]] | None":
        from .listing import read_listing

        return read_listing(environ)

    def find_other_loop(self, record: str, place: str) -> str:
        from os.path import exists

        from .record import is_goal_on

        if is_goal_on(record):
            return "/goal"
        return "another loop plugin" if exists(f"{place}/{_RALPH}") else ""

    def list_usage(self, record: str, since: float) -> "Iterable[MessageUsage]":
        from .usage import list_usage

        return list_usage(record, since)

    def list_requests(self, record: str) -> "Iterable[str]":
        from .record import list_requests

        return list_requests(record)

    def list_scheduled(self, record: str) -> "Iterable[str]":
        from .record import list_scheduled

        return list_scheduled(record)

    def list_queued(self, record: str) -> "Sequence[str]":
        from .record import list_queued

        return list_queued(record)

    def list_plugins(self, home: str) -> "Iterable[tuple[str, str]]":
        from .plugins import list_installed

        return list_installed(home)

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

    def make_statusline_edit(self, environ: "Mapping[str, str]", program: str) -> "SettingsEdit | None":
        from .install import make_statusline_edit

        return make_statusline_edit(environ, program)


ADAPTER = ClaudeCode()

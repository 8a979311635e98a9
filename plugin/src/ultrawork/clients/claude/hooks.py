"""Claude Code: its form of events and answers is our own."""

from ..client import ClientAdapter, late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..client import HookEvent

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
    keep_conversations = late("conversations")
    restore_conversation = late("conversations")
    find_start = late("conversations")
    list_sessions = late("listing", "read_listing")
    list_usage = late("usage")
    list_requests = late("record")
    list_scheduled = late("record")
    list_queued = late("record")
    list_plugins = late("listing", "list_installed")
    list_ruled = late("permissions")
    list_refusing = late("permissions")
    is_refused = late("permissions")
    is_sandboxed = late("permissions")
    plan_install = late("install")
    make_statusline_edit = late("install")

    def name_resume(self, session: str) -> str:
        return f"claude --resume {session}"

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

    def find_other_loop(self, record: str, place: str) -> str:
        from os.path import exists

        from .record import is_goal_on

        if is_goal_on(record):
            return "/goal"
        return "another loop plugin" if exists(f"{place}/{_RALPH}") else ""

    def find_way(self, event: "HookEvent") -> str:
        if self.is_sandboxed(event):
            return super().find_way(event)
        return ALLOW if event.attended else FLAG


ADAPTER = ClaudeCode()

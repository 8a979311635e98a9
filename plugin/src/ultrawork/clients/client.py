"""
What the rest of the program asks of a client.

An adapter changes what differs. The defaults fit a client that we know nothing of: nothing is confined, nothing is
recorded, and its events have our own names.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Protocol

    from ..core.caller import Caller
    from .confinement import Confinement
    from .hook_file import HookTable
    from .install import ClientInstall, SettingsEdit

    class HookEvent(Protocol):
        """The part of an event that adapters read."""

        name: str
        data: dict[str, Any]
        environ: Mapping[str, str]

        @property
        def caller(self) -> Caller: ...
        @property
        def cwd(self) -> str: ...
        @property
        def place(self) -> str: ...
        @property
        def attended(self) -> bool: ...
        def text(self, key: str) -> str: ...


class ClientAdapter:
    """
    `skill_sign` is what people type before the name of a skill. `directs_agents`: a hook may rewrite the call of an
    agent, and hears which agents run. `wakes`: it keeps a job beside a session that can wake the agent.
    `reports_skills`: a typed skill is an event of its own. `asks_for_last_line`: without a terminal, the model's last
    words are all that a script sees. `must_block`: a prompt that is only answered with a message still reaches the
    model. `reads_guide`: it gives AGENTS.md to its model.
    """

    name = ""
    title = "this client"
    # Its names of events, and ours.
    events: "Mapping[str, str]" = {}  # noqa: RUF012 (nobody changes it)
    # How it is run for one prompt.
    one_shot = ""
    # What it calls its own guide of a project, and where agents of the project or the person lie.
    guide = ""
    agents_folder = ""
    # The file with our hooks that the plugin ships for it.
    hook_file = ""
    skill_sign = "/"
    # Its command that says whether somebody is logged in, and what it prints for yes and for no.
    login_question: "tuple[tuple[str, ...], str, str]" = ((), "", "")
    directs_agents = False
    wakes = False
    reports_skills = False
    asks_for_last_line = False
    must_block = False
    # How many agents may work at once, by tools that tell their ids and by tools that do not.
    most_agents = (6, 6)

    def translate_call(self, data: "dict[str, Any]", _raw: bytes) -> "dict[str, Any]":
        """A tool call in our names."""
        return data

    def fit_answer(self, output: "dict[str, Any]", _event: "HookEvent") -> "dict[str, Any]":
        """An answer as this client reads it."""
        return output

    def name_skill(self, skill: str) -> str:
        """How a person starts a skill of ours there."""
        return f"{self.skill_sign}ultrawork:{skill}"

    def name_resume(self, _session: str) -> str:
        """The command that resumes a conversation."""
        return "open that conversation again"

    def name_program(self, _environ: "Mapping[str, str]") -> str:
        """How the agent's shell can call our program."""
        return "ultrawork"

    def is_attended(self, _event: "HookEvent") -> bool:
        """Whether a person sits there."""
        return False

    def is_from_tool(self, _environ: "Mapping[str, str]") -> bool:
        """Whether the variables are those of the agent's own commands, which no hook has."""
        return False

    def reads_guide(self, _environ: "Mapping[str, str]", _own: str) -> bool:
        """Whether the model gets AGENTS.md without us; `_own` is the client's own guide in this project."""
        return False

    def find_other_loop(self, _record: str, _place: str) -> str:
        """A loop that decides when the session ends in our place; empty where none is on."""
        return ""

    def list_requests(self, _record: str) -> "Iterable[str]":
        """What was typed in this conversation, newest first."""
        return ()

    def list_scheduled(self, _record: str) -> "Iterable[str]":
        """Prompts that the model set up for later."""
        return ()

    def list_queued(self, _record: str) -> "Sequence[str]":
        """What the person typed while the model worked and the client has not passed on yet, oldest first."""
        return ()

    def read_agent_path(self, _record: str) -> str:
        """Under which name an agent was begun, from the agent's own record; empty if it names none."""
        return ""

    def list_plugins(self, _home: str) -> "Iterable[tuple[str, str]]":
        """Name and folder of each plugin that is installed there for a person."""
        return ()

    def list_ruled(self, _event: "HookEvent", _commands: "Sequence[str]") -> list[str]:
        """The commands that a rule of the client allows at this moment."""
        return []

    def list_refusing(self, _event: "HookEvent") -> list[str]:
        """The rules of the client that ask or deny."""
        return []

    def is_refused(self, _event: "HookEvent", _command: str) -> bool:
        """Whether the person wants to be asked about this command, or has said no to it."""
        return False

    def is_sandboxed(self, _event: "HookEvent") -> bool:
        """Whether the agent's commands are confined."""
        return False

    def read_mode(self, event: "HookEvent") -> tuple[str, bool]:
        """What the client calls its mode, and whether it runs every command there unasked."""
        return event.text("permission_mode"), False

    def find_way(self, _event: "HookEvent") -> str:
        """What makes checks run where a hook may not start them."""
        return "ulw verify"

    def make_hook_variables(self, _session: str, _place: str) -> "dict[str, str]":
        """What a hook finds in its environment, where nobody attends the session."""
        return {}

    def make_hook_file(self, _table: "HookTable") -> "dict[str, Any] | None":
        """What the client reads to know our hooks; None where it has none of ours."""
        return None

    def plan_install(self, _environ: "Mapping[str, str]", _root: str) -> "ClientInstall | None":
        """How our hooks or tools get there from our folder `_root`; None where that cannot be."""
        return None

    def make_statusline_edit(
        self, _environ: "Mapping[str, str]", _program: str
    ) -> "SettingsEdit | None":
        """The entry that shows our line in the client's status bar; None where it has none."""
        return None

    def examine_trust(
        self, _program: str, _environ: "Mapping[str, str]", _place: str
    ) -> tuple[str, str] | None:
        """What the client says of our hooks, and what to do about it; None where it asks nobody to trust them."""
        return None

    def name_add_folder(self) -> str:
        """How its sandbox is opened for one more folder; empty where that cannot be said."""
        return ""

    def make_sandbox_command(
        self, confinement: "Confinement", _writable: "Iterable[str]"
    ) -> list[str]:
        """What stands before a command that runs in the sandbox and may write these folders besides."""
        raise NotImplementedError(confinement.kind)

    def name_wider_sandbox(self, _kind: str) -> str:
        """How the client is started so that its agent can write, where a sandbox keeps it from that."""
        return ""

    def find_run_confinement(
        self, _words: "Sequence[str]", _environ: "Mapping[str, str]", _place: str, _since: float
    ) -> "Confinement | None":
        """The sandbox of a command of this client that began in a folder at a time, and has ended."""
        return None

    def find_confinement(self, _event: "HookEvent") -> "Confinement | None":
        """The sandbox that checks of this event are held to; None where nothing is confined."""
        return None

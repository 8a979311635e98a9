"""
The interface of a client for the rest of the program.

An adapter overrides what differs. The defaults fit an unknown client: nothing is confined, nothing is recorded, and
its events have our own names.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Protocol

    from ..core.caller import Caller
    from ..core.run.prices import MessageUsage
    from .confinement import Confinement
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
        def once(self, key: tuple[str, ...], make: Callable[[], Any]) -> Any: ...


class _Late:
    """A method that is a function of a module beside the adapter's; the module is loaded when it is called."""

    __slots__ = ("_module", "_name", "_package")

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name, self._package = module, name, ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = self._name or name
        self._package = owner.__module__.rpartition(".")[0]

    def __get__(self, _adapter: "ClientAdapter | None", _owner: type | None = None) -> "Any":
        return getattr(__import__(f"{self._package}.{self._module}", fromlist=[self._name]), self._name)


def late(module: str, name: str = "") -> "Any":
    """Declare that this method is the function `name` of a module beside the adapter's, by default its namesake."""
    return _Late(module, name)


class ClientAdapter:
    """
    `skill_sign` is what users type before the name of a skill. `directs_agents`: a hook may rewrite the call of
    an agent and learns which agents run. `wakes`: it keeps a job beside a session that can wake the agent.
    `reports_skills`: a typed skill is its own event. `asks_for_last_line`: without a terminal, a script sees only
    the model's last words. `must_block`: a prompt that is only answered with a message still reaches the model.
    `reads_guide`: it gives AGENTS.md to its model.
    """

    name = ""
    title = "this client"
    # The client's event names and ours.
    events: "Mapping[str, str]" = {}  # noqa: RUF012 (no code changes it)
    # The command that runs it for one prompt.
    one_shot = ""
    # The name of its own project guide, and the folders of the project's and the user's agents.
    guide = ""
    agents_folder = ""
    skill_sign = "/"
    # The command that reports whether a user is logged in, and what it prints for yes and for no.
    login_question: "tuple[tuple[str, ...], str, str]" = ((), "", "")
    directs_agents = False
    wakes = False
    reports_skills = False
    asks_for_last_line = False
    must_block = False
    # How many agents may run at once, with tools that report their ids and with tools that do not.
    most_agents = (6, 6)

    def translate_call(self, data: "dict[str, Any]", _raw: bytes) -> "dict[str, Any]":
        """Return a tool call with our names."""
        return data

    def fit_answer(self, output: "dict[str, Any]", _event: "HookEvent") -> "dict[str, Any]":
        """Return an answer in this client's form."""
        return output

    def name_skill(self, skill: str) -> str:
        """Return what a user types to start one of our skills."""
        return f"{self.skill_sign}ultrawork:{skill}"

    def name_resume(self, _session: str) -> str:
        """Return the command that resumes a conversation."""
        return "open that conversation again"

    def keep_conversations(self, _place: str, _kept: str, _environ: "Mapping[str, str]") -> None:
        """Move the conversations of a folder that goes away to `kept`; only needed where each folder has its own."""

    def restore_conversation(self, _conversation: str, _kept: str, _place: str, _environ: "Mapping[str, str]") -> bool:
        """Make a kept conversation one of `place`; return whether it can be resumed there."""
        return True

    def find_start(self, _record: str) -> str:
        """Return the folder in which a conversation has to be resumed; empty if any will do."""
        return ""

    def name_program(self, _environ: "Mapping[str, str]") -> str:
        """Return the command by which the agent's shell can run our program."""
        return "ultrawork"

    def is_attended(self, _event: "HookEvent") -> bool:
        """Return whether a user is present."""
        return False

    def is_from_tool(self, _environ: "Mapping[str, str]") -> bool:
        """Return whether these variables belong to the agent's own commands, which no hook has."""
        return False

    def reads_guide(self, _environ: "Mapping[str, str]", _own: str) -> bool:
        """Return whether the model gets AGENTS.md without us. `_own` is the client's own guide in this project."""
        return False

    def find_other_loop(self, _record: str, _place: str) -> str:
        """Return another loop that decides when the session ends; empty if none is on."""
        return ""

    def list_requests(self, _record: str) -> "Iterable[str]":
        """Return what was typed in this conversation, newest first."""
        return ()

    def list_scheduled(self, _record: str) -> "Iterable[str]":
        """Return prompts that the model scheduled for later."""
        return ()

    def list_queued(self, _record: str) -> "Sequence[str]":
        """Return what the user typed while the model worked and the client has not delivered yet, oldest first."""
        return ()

    def list_usage(self, _record: str, _since: float) -> "Iterable[MessageUsage]":
        """Return the tokens of each answer since a time, as the client recorded them."""
        return ()

    def read_agent_path(self, _record: str) -> str:
        """Return the name an agent was started with, from its own record; empty if it has none."""
        return ""

    def list_sessions(self, _environ: "Mapping[str, str]") -> "dict[str, tuple[int, str, str]] | None":
        """Return process, status and what it waits for, by session, as the client lists them; None if it cannot."""
        return None

    def list_plugins(self, _home: str) -> "Iterable[tuple[str, str]]":
        """Return name and folder of each plugin that the user installed there."""
        return ()

    def list_ruled(self, _event: "HookEvent", _commands: "Sequence[str]") -> list[str]:
        """Return the commands that a rule of the client allows right now."""
        return []

    def list_refusing(self, _event: "HookEvent") -> list[str]:
        """Return the rules of the client that ask or deny."""
        return []

    def is_refused(self, _event: "HookEvent", _command: str) -> bool:
        """Return whether the user wants to be asked about this command, or denied it."""
        return False

    def is_sandboxed(self, _event: "HookEvent") -> bool:
        """Return whether the agent's commands are confined."""
        return False

    def read_mode(self, event: "HookEvent") -> tuple[str, bool]:
        """Return the client's name for its mode, and whether it runs every command there without asking."""
        return event.text("permission_mode"), False

    def find_way(self, _event: "HookEvent") -> str:
        """Return how to allow checks that a hook may not start."""
        return "ulw verify"

    def make_hook_variables(self, _session: str, _place: str) -> "dict[str, str]":
        """Return the environment of a hook in an unattended session."""
        return {}

    def plan_install(self, _environ: "Mapping[str, str]", _root: str) -> "ClientInstall | None":
        """Return how our hooks or tools are installed from our folder `_root`; None if they cannot be."""
        return None

    def make_statusline_edit(self, _environ: "Mapping[str, str]", _program: str) -> "SettingsEdit | None":
        """Return the entry that shows our line in the client's status bar; None if it has none."""
        return None

    def examine_trust(self, _program: str, _environ: "Mapping[str, str]", _place: str) -> tuple[str, str] | None:
        """Return what the client says about our hooks and what to do; None if it asks for no trust."""
        return None

    def name_add_folder(self) -> str:
        """Return how to open its sandbox for one more folder; empty if unknown."""
        return ""

    def make_sandbox_command(self, confinement: "Confinement", _writable: "Iterable[str]") -> list[str]:
        """Return the prefix that runs a command in the sandbox with these extra writable folders."""
        raise NotImplementedError(confinement.kind)

    def name_wider_sandbox(self, _kind: str) -> str:
        """Return how to start the client so that its agent can write, if a sandbox prevents that."""
        return ""

    def find_run_confinement(
        self, _words: "Sequence[str]", _environ: "Mapping[str, str]", _place: str, _since: float
    ) -> "Confinement | None":
        """Return the sandbox of a finished command of this client that started in a folder at a time."""
        return None

    def find_confinement(self, _event: "HookEvent") -> "Confinement | None":
        """Return the sandbox for the checks of this event; None if nothing is confined."""
        return None

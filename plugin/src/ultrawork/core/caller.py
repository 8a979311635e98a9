"""Determine who sent an event: the calling process, the process that owns a session, and agents above them."""

from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Programs that let a model run commands: their descendants are not the user.
_AGENTS = frozenset(
    (
        "claude", "claude.exe", "codex", "codex.exe", "gemini", "opencode", "aider", "cursor-agent", "copilot",
        "goose", "amp", "qwen", "crush",
    )
)  # fmt: skip
_PACKAGES = ("@anthropic-ai/claude-code", "@openai/codex", "@google/gemini-cli", "opencode-ai")
_SERVER, _DAEMON = "app-server", "--managed-daemon"
# Codex without a terminal: a model, not a user, requested what it starts.
_UNATTENDED = frozenset(("exec", "e", "review", "mcp-server", _SERVER, _DAEMON))
_INTERPRETERS = ("node", "bun", "deno", "nodejs")
# Processes that adopt orphans, and what an agent's shell can leave behind there.
_REAPERS = ("systemd", "init", "launchd", "tini", "docker-init", "dumb-init")
_TOOLS = (
    "sh", "dash", "bash", "zsh", "fish", "ksh", "busybox", "script", "setsid", "nohup", "env", "expect", "unbuffer",
    "socat", "timeout", "nice", "python", "perl", "ruby",
)  # fmt: skip


# Where a marker stores the process that owns its session.
ANCHOR = "anchor"


class Caller(Value):
    """
    A process, by pid and start time. `socket`: it made the socket pair on our standard input, which no other
    process can fake; with a pipe only the parent is known.
    """

    pid: int
    started: str
    socket: bool = False

    def is_same(self, anchor: "Caller") -> bool:
        """Return whether it is the process that a session belongs to, as sure as that one was known."""
        same = self.pid == anchor.pid and self.started == anchor.started
        return same and (self.socket or not anchor.socket)

    def stamp(self) -> list[object]:
        return [self.pid, self.started, self.socket]


def read_caller(record: object) -> Caller | None:
    """Parse a stored caller; None if it is malformed."""
    if not isinstance(record, list) or [type(field) for field in record] != [int, str, bool]:
        return None
    return Caller(*record)


class ProcessFact(Value):
    pid: int
    parent: int
    argv: "Sequence[str]"
    program: str = ""
    session: int = 0

    @property
    def name(self) -> str:
        return _base(self.program or (self.argv[0] if self.argv else ""))


def is_agent(process: ProcessFact) -> bool:
    """Return whether it is an agent, by its own name or by the script that an interpreter runs."""
    names = [process.program, *process.argv[:1]]
    script = next((argument for argument in process.argv[1:] if not argument.startswith("-")), "")
    if process.name in _INTERPRETERS or _base(names[-1]) in _INTERPRETERS:
        names.append(script)
    return any(_base(name) in _AGENTS or _is_packaged(name) for name in names)


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _is_packaged(path: str) -> bool:
    return any(f"node_modules/{package}/" in path for package in _PACKAGES)


def find_agent_above(chain: "Sequence[ProcessFact]") -> ProcessFact | None:
    """Return the nearest agent above the first process of a chain that leads upward. A program that an interpreter
    starts with its own arguments counts as the same one: some clients are a script that starts the real program.
    Codex's terminal starts its own daemon."""
    for place, above in enumerate(chain[1:]):
        below = chain[place]
        if is_agent(above) and not _is_wrapper(above, below) and not _has_served(above, below):
            return above
    return None


def find_ownerless(chain: "Sequence[ProcessFact]") -> ProcessFact | None:
    """
    Return the process of a chain whose parent has exited, if it is a shell or a tool that makes terminals: it was
    detached, and its terminal's owner is unknown. Terminals, logins and multiplexers are not such tools.
    """
    for place, above in enumerate(chain[1:]):
        below = chain[place]
        if is_reaper(above):
            return below if _is_tool(below) and below.session != above.session else None
    return None


def is_reaper(process: ProcessFact) -> bool:
    """Whether it takes in processes whose parent has gone; in a container a client may be the first process itself."""
    return (process.pid == 1 or process.name in _REAPERS) and not is_agent(process)


def _is_tool(process: ProcessFact) -> bool:
    name = process.name.rstrip("0123456789.")
    return name in _TOOLS or name in _INTERPRETERS


def _has_served(above: ProcessFact, below: ProcessFact) -> bool:
    """Return whether a terminal started its own daemon. A daemon or an unattended Codex starts none: if it seems to
    have one as a child, a model's shell became that."""
    is_daemon = {_SERVER, _DAEMON} <= set(below.argv[1:])
    return is_daemon and above.name == below.name and _UNATTENDED.isdisjoint(above.argv[1:])


def _is_wrapper(above: ProcessFact, below: ProcessFact) -> bool:
    if _base(above.argv[0] if above.argv else "") not in _INTERPRETERS or not is_agent(below):
        return False
    return list(above.argv[2:]) == list(below.argv[1:])

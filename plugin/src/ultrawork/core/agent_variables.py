"""Which environment variables reach which programs. A project's programs (checks, language servers, a Python session)
get none of an agent's: its keys, its session, its markers. An agent that ultrawork starts keeps the keys but inherits
no session.

Checks get the environment of the client's start, without what a tool's shell adds or changes: variables that control
programs are stored by value and restored. Of all others only a digest is stored, which shows whether a run had the same
ones without storing secrets."""

from collections.abc import Callable, Collection, Mapping

from .value import Value, fresh

# Never passed on.
PREFIXES = ("ANTHROPIC_", "CLAUDE", "CODEX_", "OPENCODE", "GEMINI_CLI")
_NAMES = ("AI_AGENT",)
# Keys of agents that a project's own programs may use too: passed on only if they are declared.
_KEYS = (
    "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY",
    "MISTRAL_API_KEY", "XAI_API_KEY", "DEEPSEEK_API_KEY", "GROQ_API_KEY", "OPENROUTER_API_KEY",
    "AWS_BEARER_TOKEN_BEDROCK", "CURSOR_API_KEY", "COPILOT_GITHUB_TOKEN",
)  # fmt: skip
# Credentials of a cluster: neither for programs of a project nor for agents.
CLUSTER_SECRETS = (
    "TEMPORAL_API_KEY", "TEMPORAL_API_KEY_FILE", "TEMPORAL_TLS_SERVER_CA_CERT_PATH",
    "TEMPORAL_TLS_CLIENT_CERT_PATH", "TEMPORAL_TLS_CLIENT_KEY_PATH", "ULTRAWORK_GIT_TOKEN",
    "ULTRAWORK_GIT_TOKEN_FILE", "ULTRAWORK_JOBS_KEY_FILE", "ULTRAWORK_JOURNAL_KEY_FILE",
)  # fmt: skip
# Point git at another checkout than the one a program runs in; an alias or a hook of git sets them.
_CHECKOUT = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE")
# With another client's session, or our own hooks' session, an agent would be bound to that session.
_SESSION = (
    "CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_MESSAGING_SOCKET",
    "CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_ENV_FILE", "CLAUDE_PID",
    "CLAUDE_CODE_SSE_PORT", "CLAUDE_PLUGIN_DATA", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PROJECT_DIR",
    "AI_AGENT", "CODEX_CI", "CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID",
    "GEMINI_CLI", "OPENCODE",
)  # fmt: skip


def remove_agent_variables(environ: Mapping[str, str], declared: Collection[str] = ()) -> dict[str, str]:
    """Return the variables for a program of the project; a key that it is `declared` to need stays."""
    return {name: value for name, value in environ.items() if not _is_private(name, declared)}


def _is_private(name: str, declared: Collection[str]) -> bool:
    if name.startswith(PREFIXES) or name in _NAMES or name in CLUSTER_SECRETS or name in _CHECKOUT:
        return True
    return name in _KEYS and name not in declared


def remove_session_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables for an agent that we start: without the session that started us, with the keys."""
    hidden = (*_SESSION, *CLUSTER_SECRETS, *_CHECKOUT)
    return {name: value for name, value in environ.items() if name not in hidden}


# Variables that decide which program runs, what it loads and how it is configured.
_STEERING = frozenset(
    (
        "PATH", "HOME", "ENV", "BASH_ENV", "SHELLOPTS", "BASHOPTS", "CDPATH", "IFS", "PS4", "CI", "TZ", "LANG",
        "XDG_CONFIG_HOME", "XDG_DATA_HOME",
    )
)  # fmt: skip
_STEERING_PREFIXES = ("LD_", "DYLD_", "GIT_", "LC_", "BASH_FUNC_", "ULTRAWORK_")
# Ours, and irrelevant for checks: the state folder, the interpreter, what is skipped, whose run it is.
_OURS = ("ULTRAWORK_HOME", "ULTRAWORK_PYTHON", "ULTRAWORK_DISABLE", "ULTRAWORK_SKIP_HOOKS", "ULTRAWORK_RUN", "ULTRAWORK_CONFINED")  # fmt: skip
# They differ between shells and change no result.
_IDLE = ("PWD", "OLDPWD", "SHLVL", "_", "COLUMNS", "LINES", "SHELL", "DISPLAY", "COLORTERM", "EDITOR", "PAGER", "TMPDIR")  # fmt: skip
_IDLE_PREFIXES = (
    "TERM", "SSH_", "TMUX", "STY", "WINDOWID", "WAYLAND_", "XAUTH", "XDG_", "DBUS_", "VSCODE_", "ITERM_",
    "AI_AGENT", "OTEL_", "INVOCATION_", "JOURNAL_", *PREFIXES,
)  # fmt: skip
_SECRET = ("TOKEN", "KEY", "SECRET", "PASS", "AUTH", "CREDENTIAL", "_URL", "_URI", "_DSN")


class Restored(Value):
    """`environ` as gates get it; `differing` are variables that are not what they were and cannot be put back."""

    environ: dict[str, str]
    differing: list[str] = fresh(list)


def is_steering(name: str) -> bool:
    if name in _OURS or any(part in name.upper() for part in _SECRET):
        return False
    if name in _STEERING or name.startswith(_STEERING_PREFIXES):
        return True
    from .toolchains.toolchain import get_built_in

    listed = get_built_in().gather("steering")
    return name in listed or any(name.startswith(pattern[:-1]) for pattern in listed if pattern[-1] == "*")


def _is_idle(name: str) -> bool:
    return name in _OURS or name in _IDLE or name.startswith(_IDLE_PREFIXES)


def split_variables(environ: Mapping[str, str], digest: Callable[[str], str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return variables stored by value, and those stored only as a digest."""
    variables = {name: value for name, value in environ.items() if is_steering(name)}
    digests = {
        name: digest(value)[:16] for name, value in environ.items() if name not in variables and not _is_idle(name)
    }
    return variables, digests


def restore_variables(
    environ: Mapping[str, str], variables: Mapping[str, str], digests: Mapping[str, str], digest: Callable[[str], str]
) -> Restored:
    """Return the variables of the start, as far as available; new ones are left out."""
    kept = {name: value for name, value in environ.items() if name in digests or _is_idle(name)}
    differing = [name for name, stored_digest in digests.items() if digest(environ.get(name, ""))[:16] != stored_digest]
    return Restored({**kept, **variables}, sorted(differing))

"""
Which environment variables belong to an agent: its keys, its session, its markers.

A project's programs (checks, language servers, a Python session) get none of them. An agent that ultrawork starts
keeps the keys but inherits no session.
"""

from collections.abc import Collection, Mapping

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

"""The client that calls us, as far as its environment tells."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SESSION_VARIABLES = ("CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID")


def own_session(environ: "Mapping[str, str]") -> str:
    """The client's own session; empty where it tells none."""
    return next((environ[name] for name in SESSION_VARIABLES if environ.get(name)), "")

"""
The table of features. Each feature is a folder in `features/` and a row here; to remove it, delete both.

No other package imports a feature. Code that needs one asks here by name, and only then is it loaded.
"""

from .errors import NotFound
from .value import Value, fresh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# When the hook rows of a feature run: it takes part in this session, it is used in this checkout,
# the user turned it on there (`ultrawork features on`), one of its skills was typed.
OPEN, HERE, ON, TYPED = "open", "here", "on", "typed"


class Feature(Value):
    """One feature. `hears`: its events, with the state in which it is asked. `verbs`: its commands, name → module,
    group, help, verbs that the help names. `tools`: its MCP tools, server name (the toolbox has none) → group → names, defined in its `tools.py`.
    A feature that `leads` decides what comes next in its sessions, and `run --mode` accepts its name. `run_flags` are
    flags that this mode adds. Its `table.py`
    holds its event handlers and the questions it answers."""

    hears: dict[str, str] = fresh(dict)
    skills: tuple[str, ...] = ()
    verbs: dict[str, tuple[str, str, str, str]] = fresh(dict)
    tools: dict[str, dict[str, tuple[str, ...]]] = fresh(dict)
    leads: bool = False
    run_flags: "dict[str, RunFlag]" = fresh(dict)


class RunFlag(Value):
    """A flag that `ultrawork run --mode FEATURE` adds: one of `choices`, or a number."""

    help: str
    choices: tuple[str, ...] = ()


_JOBS = ("wait_for_job", "check_job_status", "kill_job", "list_jobs")
# fmt: off
FEATURES = {
    "axiom": Feature(
        hears={
            "SessionStart": HERE, "UserPromptSubmit": HERE, "UserPromptExpansion": TYPED, "PreToolUse": OPEN,
            "PostToolUse": OPEN, "PostToolUseFailure": OPEN, "PreCompact": OPEN, "SessionEnd": OPEN,
        },
        skills=(
            "ultrawork:ax-draft", "ultrawork:ax-review", "ultrawork:ax-decompose", "ultrawork:ax-implement",
            "ultrawork:ax-suspend", "ultrawork:ax-status", "ultrawork:ax-evolve", "ultrawork:ax-context",
            "ultrawork:ax-rollback",
        ),
        verbs={"axiom": ("verbs.commands", "agents and scripts",
                         "Take a requirement from draft to archive", "session memory")},
        leads=True,
    ),
    "swarm": Feature(
        hears=dict.fromkeys(
            ("SessionStart", "PostToolUse", "SubagentStop", "SubagentStart", "TeammateIdle", "TaskCompleted",
             "SessionEnd"), OPEN,
        ),
        verbs={"swarm": ("verbs.commands", "agents and scripts",
                         "Share one task list between agents and sessions", "worker task")},
    ),
    "pipeline": Feature(
        run_flags={
            "--retry": RunFlag("retries of a failed pipeline stage"),
            "--on-error": RunFlag("what a pipeline does when the retries are used up",
                                  ("abort", "skip", "retry", "fallback")),
            "--merge": RunFlag("how a pipeline combines parallel results", ("concat", "summarize", "vote")),
        },
    ),
    "helpers": Feature(
        tools={"codex": {"helpers": ("ask_codex", *_JOBS)}, "gemini": {"helpers": ("ask_gemini", *_JOBS)}},
    ),
    "notepad": Feature(
        hears={"SessionStart": ON, "SubagentStop": ON},
        verbs={"notepad": ("verbs", "agents and scripts", "Read and write the project's notes", "memory features")},
        tools={"": {"notepad": (
            "notepad_read", "notepad_write_priority", "notepad_write_working", "notepad_write_manual",
            "notepad_prune", "notepad_stats",
        )}},
    ),
}
# fmt: on


def load_part(feature: str, part: str) -> "Any":
    """Return a module of a feature."""
    if feature not in FEATURES:
        raise NotFound(f"this needs the feature {feature}, which is not installed")
    return __import__(f"ultrawork.features.{feature}.{part}", fromlist=[part])


def load_function(target: str) -> "Callable[..., Any]":
    """Return the function `module:function`."""
    module, _, name = target.partition(":")
    function: Callable[..., Any] = getattr(__import__(module, fromlist=[name]), name)
    return function


def ask(feature: str, question: str) -> "Callable[..., Any]":
    """Return the function of a feature that answers a question."""
    target = load_part(feature, "table").ANSWERS[question]
    return load_function(f"ultrawork.features.{feature}.{target}")


def find_keeper(session: str) -> str:
    """Return the name of the feature that keeps a checkout's memory in this session; empty if none does."""
    return next((name for name in FEATURES if session.startswith(f"{name}-")), "")


def list_leads() -> list[str]:
    return [name for name, feature in FEATURES.items() if feature.leads]


def ask_lead(question: str) -> "Callable[..., Any]":
    """
    Return the answering function of the leading feature. Callers have checked that a feature leads
    (`state.lead`).
    """
    return ask(next(iter(list_leads()), "axiom"), question)

"""
The features: each is a folder of `features/` and a row here. To take one out, delete both.

Nothing below imports a feature. Code that has something for one asks here by name, and only then is it loaded.
"""

from .errors import NotFound
from .value import Value, fresh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# When the hook rows of a feature are asked: it takes part in this session, it is used in this checkout,
# a person switched it on there (`ultrawork features on`), one of its skills was typed.
OPEN, HERE, ON, TYPED = "open", "here", "on", "typed"


class Feature(Value):
    """
    `hears` are the events it acts at, with the state in which it is asked; `verbs` its commands in a terminal: name →
    module, shelf, help; `tools` those of an MCP server: its name (the toolbox has none) → group → names, which are in
    its `tools.py`. One that `leads` decides what comes next in its sessions, and `run --mode` takes its name.
    What it does at events and what others may ask of it is in its `table.py`.
    """

    hears: dict[str, str] = fresh(dict)
    skills: tuple[str, ...] = ()
    verbs: dict[str, tuple[str, str, str]] = fresh(dict)
    tools: dict[str, dict[str, tuple[str, ...]]] = fresh(dict)
    leads: bool = False


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
                         "Take a requirement from draft to archive")},
        leads=True,
    ),
    "swarm": Feature(
        hears=dict.fromkeys(
            ("SessionStart", "PostToolUse", "SubagentStop", "SubagentStart", "TeammateIdle", "TaskCompleted",
             "SessionEnd"), OPEN,
        ),
        verbs={"swarm": ("verbs.commands", "agents and scripts",
                         "Share one task list between agents and sessions")},
    ),
    "helpers": Feature(
        tools={"codex": {"helpers": ("ask_codex", *_JOBS)}, "gemini": {"helpers": ("ask_gemini", *_JOBS)}},
    ),
    "notepad": Feature(
        hears={"SessionStart": ON, "SubagentStop": ON},
        verbs={"notepad": ("verbs", "agents and scripts", "Read and write the project's notes")},
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
    """Load `module:function`."""
    module, _, function = target.partition(":")
    found: Callable[..., Any] = getattr(__import__(module, fromlist=[function]), function)
    return found


def ask(feature: str, question: str) -> "Callable[..., Any]":
    """Return the function of a feature that answers a question."""
    target = load_part(feature, "table").ANSWERS[question]
    return load_function(f"ultrawork.features.{feature}.{target}")


def find_keeper(session: str) -> str:
    """The feature that keeps what a checkout remembers in this session, by its name; empty if none does."""
    return next((name for name in FEATURES if session.startswith(f"{name}-")), "")


def list_leads() -> list[str]:
    return [name for name, feature in FEATURES.items() if feature.leads]


def ask_lead(question: str) -> "Callable[..., Any]":
    """The same of the feature that leads sessions; callers have seen that theirs is led (`state.lead`)."""
    return ask(next(iter(list_leads()), "axiom"), question)

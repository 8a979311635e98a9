"""
A scripted model that conducts a planned session: it acts only on what the program put into its conversation.

It starts the agents that are named there, and the agents do what their prompts say.
"""

from .play import PLAN, fenced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Rule = dict[str, Any]

LINE = r'\n- subagent_type "ultrawork:[\w-]+" prompt "[^"]*"'
_HEAD = r"Call Agent for each[^\n]*"
FENCED = fenced({"tasks": list(PLAN)})
PASSES = fenced({"verdict": "PASS", "findings": []})
EXPLORER: "Rule" = {
    "name": "exp",
    "match": {"agent": "sub", "first": "EXPLORER_ID"},
    "reply": {"text": "The texts are a, b, c."},
}
PLANNER: "Rule" = {
    "name": "plan",
    "match": {"agent": "sub", "first": "require_success_criteria"},
    "reply": {"text": FENCED},
}
SPEC: "Rule" = {
    "name": "spec",
    "match": {"agent": "sub", "first": "Write the specification"},
    "reply": {"text": "1. All three texts say right."},
}
PRD: "Rule" = {
    "name": "prd",
    "match": {"agent": "sub", "first": "Write the acceptance criteria"},
    "reply": {"text": fenced({"criteria": ["make test => exit 0"]})},
}
VERIFIER: "Rule" = {"match": {"agent": "sub", "first": "RECEIPTS"}, "reply": {"text": PASSES}}
IDLE_WORKER: "Rule" = {"match": {"agent": "sub", "first": "TASK_ID"}, "reply": {"text": "Done."}}


def call(place: int) -> "Rule":
    """An Agent call with the type and prompt of one line of what the program said is next."""
    before = _HEAD + LINE * place
    return {
        "name": "Agent",
        "input": {
            "description": "as told",
            "subagent_type": "{{last:" + before + r'\n- subagent_type "(ultrawork:[\w-]+)"}}',
            "prompt": "{{last:" + before + r'\n- subagent_type "[^"]*" prompt "([^"]*)"}}',
        },
    }


def asks(header: str, *, options: int) -> "Rule":
    """It asks the person what it was told to ask, with so many of the answers that it was told."""
    one = "[^/\\n]+"
    labels = [f"Options: {f'{one} / ' * place}({one}) / " for place in range(options)]
    labels[-1] = labels[-1].removesuffix(" / ")
    question = {
        "question": "{{last:Ask with AskUserQuestion: ([^\\n]+)}}",
        "header": header,
        "multiSelect": False,
        "options": [
            {"label": "{{last:" + label + "}}", "description": str(number)}
            for number, label in enumerate(labels)
        ],
    }
    return {
        "name": "asks",
        "match": {"agent": "main", "last": "Ask with AskUserQuestion: "},
        "reply": {"tool": {"name": "AskUserQuestion", "input": {"questions": [question]}}},
    }


def starts() -> "list[Rule]":
    """As many agents as are named, in one message."""
    return [
        {
            "name": f"start-{count}",
            "match": {"agent": "main", "last": _HEAD + LINE * count},
            "reply": {"tools": [call(place) for place in range(count)]},
        }
        for count in (5, 4, 3, 2, 1)
    ]


def follower(*agents: "Rule", idle: str = "Waiting.") -> "list[Rule]":
    """A model that does what it is told: the agents' own rules come first."""
    last: Rule = {"name": "idle", "match": {"agent": "main"}, "reply": {"text": idle}}
    return [*agents, *starts(), last]


def writes(name: str, words: str = "right", also: str = "", file: str = "") -> "Rule":
    """A worker that mends its file and says so."""
    command = f"echo {words} > {file or f'{name}.txt'}"
    return {
        "match": {"agent": "sub", "first": rf"TASK_ID: {name}\b{also}", "turn": 1},
        "reply": {"tool": {"name": "Bash", "input": {"command": command}}},
    }


def hanging(point: str, gate: str) -> "Rule":
    """The agent of this point answers once the gate is open."""
    return {
        "name": "hang",
        "match": {"agent": "sub", "first": point},
        "times": 1,
        "reply": {"wait_file": gate, "text": "late"},
    }


WORKERS = [writes("a"), writes("b"), writes("c"), IDLE_WORKER]
GOOD = follower(EXPLORER, PLANNER, VERIFIER, *WORKERS)
STAGED = follower(EXPLORER, SPEC, PRD, PLANNER, VERIFIER, *WORKERS)

"""A scripted model that conducts a planned session: it acts only on what the program put into its conversation.

It starts the agents that are named there, and the agents do what their prompts say."""

from json import dumps, loads

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
    "match": {"agent": "sub", "first": "Write acceptance criteria"},
    "reply": {"text": fenced({"criteria": ["make test => exit 0"]})},
}
VERIFIER: "Rule" = {"match": {"agent": "sub", "first": "RECEIPTS"}, "reply": {"text": PASSES}}
IDLE_WORKER: "Rule" = {"match": {"agent": "sub", "first": "TASK_ID"}, "reply": {"text": "Done."}}


def call(place: int) -> "Rule":
    """Return an Agent call with the type and prompt of one line of the next step."""
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
    """Ask the user the given question, with so many of the given answers."""
    one = "[^/\\n]+"
    labels = [f"Options: {f'{one} / ' * place}({one}) / " for place in range(options)]
    labels[-1] = labels[-1].removesuffix(" / ")
    question = {
        "question": "{{last:Ask with AskUserQuestion: ([^\\n]+)}}",
        "header": header,
        "multiSelect": False,
        "options": [
            {"label": "{{last:" + label + "}}", "description": str(number)} for number, label in enumerate(labels)
        ],
    }
    return {
        "name": "asks",
        "match": {"agent": "main", "last": "Ask with AskUserQuestion: "},
        "reply": {"tool": {"name": "AskUserQuestion", "input": {"questions": [question]}}},
    }


def starts() -> "list[Rule]":
    """Start as many agents as are named, in one message."""
    return [
        {
            "name": f"start-{count}",
            "match": {"agent": "main", "last": _HEAD + LINE * count},
            "reply": {"tools": [call(place) for place in range(count)]},
        }
        for count in (5, 4, 3, 2, 1)
    ]


def follower(*agents: "Rule", idle: str = "Waiting.") -> "list[Rule]":
    """Return a model that follows its instructions: the agents' own rules come first."""
    last: Rule = {"name": "idle", "match": {"agent": "main"}, "reply": {"text": idle}}
    return [*agents, *starts(), last]


def writes(name: str, words: str = "right", also: str = "", file: str = "") -> "Rule":
    """Return a worker that fixes its file and says so."""
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


_CODEX_HEAD = r"Call spawn_agent for each[^\n]*"
_CODEX_LINE = r'\n- message "[^"]*" task_name "[^"]*"'
_CLOSING = "First call close_agent for each finished agent: "
_WAITING = "Call wait_agent [^\\n]* Their ids: "
_ID = "[0-9a-f-]{36}"
# How many agents Codex runs at a time.
CODEX_AGENTS = 6


def in_codex(rule: "Rule") -> "Rule":
    """Return the rule for Codex: its agent gets the task as a developer message, and its shell has another name."""
    text = dumps(rule).replace('"first": ', '"system": ')
    shell = ('"name": "Bash", "input": {"command": ', '"name": "exec_command", "input": {"cmd": ')
    found: Rule = loads(text.replace(*shell))
    return found


def follow_in_codex(*agents: "Rule", closes: bool = True) -> "list[Rule]":
    """Return the same model for Codex; it closes agents when told to, or never."""
    last: Rule = {"name": "idle", "match": {"agent": "main"}, "reply": {"text": "What is next?"}}
    counts = range(CODEX_AGENTS, 0, -1)
    waits = [_wait(count) for count in counts]
    acts = [_act(ended, new) for ended in (*counts, 0) for new in (*counts, 0) if ended or new]
    told = [rule for rule in acts if closes or not rule["name"].startswith("close")]
    return [*map(in_codex, agents), *told, *waits, last]


def _act(ended: int, new: int) -> "Rule":
    """Closes so many, starts so many."""
    closing = f"{_CLOSING}{', '.join([_ID] * ended)}[^\\n]*" if ended else ""
    starting = f"{'' if not ended else '.*'}{_CODEX_HEAD}{_CODEX_LINE * new}" if new else ""
    calls = [*map(_close, range(ended)), *map(_spawn, range(new))]
    return {
        "name": f"close-{ended}-{new}" if ended else f"start-{new}",
        "match": {"agent": "main", "last": closing + starting},
        "reply": {"tools": calls},
    }


def _close(place: int) -> "Rule":
    target = "{{last:" + _CLOSING + f"{_ID}, " * place + f"({_ID})" + "}}"
    return {"name": "multi_agent_v1.close_agent", "input": {"target": target}}


def _spawn(place: int) -> "Rule":
    message = "{{last:" + _CODEX_HEAD + _CODEX_LINE * place + r'\n- message "([^"]*)"}}'
    return {"name": "multi_agent_v1.spawn_agent", "input": {"message": message}}


def _wait(count: int) -> "Rule":
    """Wait for all agents that it just started, or that are named by id."""
    begun = f'"agent_id":"{_ID}".*?'
    ids = [
        "{{last:(?:" + begun * place + '"agent_id":"|' + f"{_WAITING}{f'{_ID}, ' * place}" + f")({_ID})" + "}}"
        for place in range(count)
    ]
    named = f"{_WAITING}{', '.join([_ID] * count)}"
    return {
        "name": f"wait-{count}",
        "match": {"agent": "main", "last": f"{begun * count}|{named}"},
        "reply": {"tool": {"name": "multi_agent_v1.wait_agent", "input": {"targets": ids, "timeout_ms": 60000}}},
    }


CODEX_STAGED = follow_in_codex(SPEC, PRD, PLANNER, VERIFIER, *WORKERS, EXPLORER)

"""
A scripted agent: a process that carries out the steps of a file on real files.

`ULTRAWORK_SCRIPT` names the file. An agent takes the first `[[agent]]` whose conditions all hold, and runs its steps
in order, in its folder:

    [[agent]]
    role = "worker"                 # explorer, planner, worker or verifier
    subject = "3"                   # a task, exp-1, plan, verify; also a pattern such as "exp-*"
    attempt = 1                     # which try at this subject, counted from 1
    told = "test_add fails"         # the prompt contains this text
    do = [
      { say = "Mending the sum" },
      { replace = "calc.py", old = "a - b", new = "a + b" },
      { write = "tests/test_add.py", text = '''
    from calc import add

    def test_add():
        assert add(2, 2) == 4
    ''' },
      { run = ["python3", "-m", "pytest", "-q"] },
    ]

The same with one `[[agent.do]]` per step is another way to write it.

| step | what it does |
|---|---|
| `say = TEXT` | says it; the last one is the agent's result; `{prompt}` is its prompt |
| `write = PATH`, `text` | writes a file and its folders |
| `append = PATH`, `text` | appends to a file |
| `replace = PATH`, `old`, `new` | replaces the only `old` in a file |
| `delete = PATH` | removes a file |
| `outside = PATH`, `text` | writes into the main checkout, which is forbidden |
| `run = [WORD, …]` | runs a program and prints its exit status |
| `answer = { … }` | the structured answer |
| `spend = TOKENS`, `usd` | uses tokens and money; the agent ends when its budget is exceeded |
| `sleep = SECONDS` | waits |
| `limit = SECONDS` | ends as at a provider's rate limit |
| `print = TEXT` | prints raw text, `times` times |
| `exit = STATUS` | ends at once |
| `hang = true` | never ends |

A `read_only` agent skips steps that change files.
"""

import os
import sys
from collections.abc import Mapping
from fnmatch import fnmatchcase
from tomllib import TOMLDecodeError
from tomllib import load as parse
from typing import Any

from ...core import check
from ...core.errors import NotFound, UsageError
from .attempt import AgentCommand, Attempt
from .base import BUDGET, CRASH, AgentProgram, Backend, OutputReading, make_agent_environment

VARIABLE = "ULTRAWORK_SCRIPT"
_CONDITIONS = ("role", "subject", "attempt", "told")
_WORDS, _NUMBER, _TABLE, _LIST = (str,), (int, float), (dict,), (list,)
# The step's own key first, then its other keys.
_STEPS: dict[str, dict[str, tuple[type, ...]]] = {
    "say": {"say": _WORDS},
    "write": {"write": _WORDS, "text": _WORDS},
    "append": {"append": _WORDS, "text": _WORDS},
    "replace": {"replace": _WORDS, "old": _WORDS, "new": _WORDS},
    "delete": {"delete": _WORDS},
    "outside": {"outside": _WORDS, "text": _WORDS},
    "run": {"run": _LIST},
    "answer": {"answer": _TABLE},
    "spend": {"spend": _NUMBER, "usd": _NUMBER},
    "sleep": {"sleep": _NUMBER},
    "limit": {"limit": _NUMBER},
    "print": {"print": _WORDS, "times": _NUMBER},
    "exit": {"exit": _NUMBER},
    "hang": {"hang": (bool,)},
}
_OPTIONAL = ("usd", "times")


class Script(Backend):
    name = "script"
    title = "a scripted agent"
    how_to_get = f"set {VARIABLE} to a file of steps"
    automatic = False

    def find_program(self, environ: Mapping[str, str]) -> AgentProgram | None:
        path = environ.get(VARIABLE, "")
        return AgentProgram(self.name, path, "steps of a file") if os.path.isfile(path) else None

    def command(self, attempt: Attempt, environ: Mapping[str, str]) -> AgentCommand:
        from ...store.codec import dumps

        agents = load_agents(environ.get(VARIABLE, ""))
        part = next((agent for agent in agents if is_meant_for(agent, attempt)), None)
        given = {
            "session": attempt.resume or f"script-{attempt.subject}-{attempt.epoch}",
            "prompt": attempt.prompt,
            "read_only": attempt.read_only,
            "budget_usd": attempt.budget_usd,
            "steps": _nothing(attempt) if part is None else part.get("do", []),
        }
        agent = os.path.join(os.path.dirname(os.path.abspath(__file__)), "script_agent.py")
        argv = [sys.executable, "-I", "-S", agent]
        return AgentCommand(argv, make_agent_environment(environ), dumps(given).encode("utf-8", "replace"))

    def take(self, event: dict[str, Any], reading: OutputReading) -> None:
        _EVENTS[event["type"]](event, reading)


def _read_start(event: dict[str, Any], reading: OutputReading) -> None:
    reading.name_session(event["session"])


def _read_text(event: dict[str, Any], reading: OutputReading) -> None:
    reading.say(str(event["text"]))


def _did(event: dict[str, Any], reading: OutputReading) -> None:
    if "tool" in event:
        reading.call(str(event["id"]), str(event["tool"]), event["given"])
    elif "output" in event:
        reading.get_result(str(event["id"]), event["output"])
    reading.show(str(event["what"]))


def _limited(event: dict[str, Any], reading: OutputReading) -> None:
    reading.wait(float(event["retry_after"]))


def _failed(event: dict[str, Any], reading: OutputReading) -> None:
    reading.fail(CRASH, str(event["message"]))


def _spent(event: dict[str, Any], reading: OutputReading) -> None:
    reading.spend(str(event["id"]), int(event["tokens"]), float(event["usd"]))


def _used_up(event: dict[str, Any], reading: OutputReading) -> None:
    reading.fail(BUDGET, str(event["message"]))


def _read_end(event: dict[str, Any], reading: OutputReading) -> None:
    reading.finished = True
    reading.count_anew()
    reading.answer = event["answer"]
    reading.tokens = int(event["tokens"])
    reading.cost_usd = float(event["usd"])


_EVENTS = {
    "start": _read_start,
    "text": _read_text,
    "step": _did,
    "spent": _spent,
    "budget": _used_up,
    "limit": _limited,
    "error": _failed,
    "result": _read_end,
}


def is_meant_for(agent: dict[str, Any], attempt: Attempt) -> bool:
    return (
        agent.get("role", attempt.role) == attempt.role
        and fnmatchcase(attempt.subject, agent.get("subject", "*"))
        and agent.get("attempt", attempt.epoch) == attempt.epoch
        and agent.get("told", "") in attempt.prompt
    )


def _nothing(attempt: Attempt) -> list[dict[str, Any]]:
    who = f"{attempt.role} at {attempt.subject}, attempt {attempt.epoch}"
    return [{"error": f"the script has no entry for the {who}"}]


def load_agents(path: str) -> list[dict[str, Any]]:
    """Return the agents of a file, each step validated; an error names its place."""
    try:
        with open(path, "rb") as file:
            agents = parse(file).get("agent", [])
    except OSError as error:
        raise NotFound(f"could not read the script {check.quote(path)} ({error.strerror}); set {VARIABLE}") from None
    except TOMLDecodeError as error:
        raise UsageError(f"{path}: {error}") from None
    if not isinstance(agents, list) or not all(isinstance(agent, dict) for agent in agents):
        raise UsageError(f"{path}: agent is not a list; write [[agent]]")
    for number, agent in enumerate(agents, 1):
        _check_agent(agent, f"{path}: agent {number}")
    return agents


def _check_agent(agent: dict[str, Any], where: str) -> None:
    strange = next((key for key in agent if key not in (*_CONDITIONS, "do")), None)
    if strange is not None:
        known = ", ".join((*_CONDITIONS, "do"))
        raise UsageError(f"{where}: no key {check.quote(strange)}; known: {known}")
    steps = agent.get("do", [])
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise UsageError(f"{where}: do is not a list of steps")
    for number, step in enumerate(steps, 1):
        _check_step(step, f"{where}, step {number}")


def _check_step(step: dict[str, Any], where: str) -> None:
    verb = next((key for key in step if key in _STEPS), None)
    if verb is None:
        raise UsageError(f"{where}: {check.quote(step)} is not a step; known: {', '.join(_STEPS)}")
    keys = _STEPS[verb]
    strange = [key for key, value in step.items() if not isinstance(value, keys.get(key, ()))]
    missing = [key for key in keys if key not in step and key not in _OPTIONAL]
    if strange or missing:
        wrong = (strange + missing)[0]
        raise UsageError(f"{where}: {verb} takes {', '.join(keys)}; check {check.quote(wrong)}")

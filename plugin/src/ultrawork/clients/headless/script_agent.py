"""The scripted agent itself: steps as JSON on its input, events as lines of JSON on its output.

Run as a file with `python -I -S`, so that it starts as fast as Python does."""

import json
import os
import subprocess
import sys
import time
from typing import Any

TOLD = 400


class ScriptedAgent:
    """What it was told, and what it has spent and answered so far."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.prompt = str(given["prompt"])
        self.read_only = bool(given["read_only"])
        self.budget = float(given.get("budget_usd") or 0.0)
        self.count = 0
        self.result: dict[str, Any] = {"type": "result", "answer": None, "tokens": 0, "usd": 0.0}


def tell(**event: object) -> None:
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def say(agent: ScriptedAgent, step: dict[str, Any]) -> None:
    tell(type="text", text=step["say"].replace("{prompt}", agent.prompt))


def write(_agent: ScriptedAgent, step: dict[str, Any]) -> None:
    put(step["write"], step["text"], "w")


def append(_agent: ScriptedAgent, step: dict[str, Any]) -> None:
    put(step["append"], step["text"], "a")


def replace(_agent: ScriptedAgent, step: dict[str, Any]) -> None:
    path = step["replace"]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    count = text.count(step["old"])
    if count != 1:
        raise SystemExit(f"{path} holds {step['old']!r} {count} times")
    put(path, text.replace(step["old"], step["new"]), "w")


def delete(_agent: ScriptedAgent, step: dict[str, Any]) -> None:
    os.unlink(step["delete"])


def write_outside(agent: ScriptedAgent, step: dict[str, Any]) -> None:
    """Write into the main checkout, which a worktree's git can find."""
    words = ["git", "rev-parse", "--path-format=absolute", "--git-common-dir"]
    completed = subprocess.run(words, capture_output=True, text=True, check=True)
    path = os.path.join(os.path.dirname(completed.stdout.strip()), step["outside"])
    given = {"path": path, "content": step["text"]}
    tell(type="step", what=f"write {path}", id=f"{agent.count}-outside", tool="write", given=given)
    put(path, step["text"], "w")


def put(path: str, text: str, mode: str) -> None:
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, mode, encoding="utf-8") as file:
        file.write(text)


def run(agent: ScriptedAgent, step: dict[str, Any]) -> None:
    done = subprocess.run(
        step["run"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    output = done.stdout.decode("utf-8", "replace")[-TOLD:]
    tell(type="step", what=f"exit {done.returncode}", id=agent.count, output=output)


def give_answer(agent: ScriptedAgent, step: dict[str, Any]) -> None:
    agent.result["answer"] = step["answer"]


def spend(agent: ScriptedAgent, step: dict[str, Any]) -> None:
    tokens, usd = step["spend"], step.get("usd", 0.0)
    agent.result["tokens"] += tokens
    agent.result["usd"] += usd
    tell(type="spent", id=agent.count, tokens=tokens, usd=usd)
    if agent.budget and agent.result["usd"] > agent.budget:
        tell(type="budget", message=f"its budget of ${agent.budget:.2f} is used up")
        raise SystemExit(1)


def sleep(_agent: ScriptedAgent, step: dict[str, Any]) -> None:
    time.sleep(step["sleep"])


def reach_limit(_agent: ScriptedAgent, step: dict[str, Any]) -> None:
    tell(type="limit", retry_after=step["limit"])
    raise SystemExit(1)


def print_raw(_agent: ScriptedAgent, step: dict[str, Any]) -> None:
    for _ in range(int(step.get("times", 1))):
        sys.stdout.write(step["print"])
    sys.stdout.flush()


def leave(_agent: ScriptedAgent, step: dict[str, Any]) -> None:
    raise SystemExit(int(step["exit"]))


def hang(_agent: ScriptedAgent, _step: dict[str, Any]) -> None:
    while True:
        time.sleep(3600)


def tell_error(_agent: ScriptedAgent, step: dict[str, Any]) -> None:
    tell(type="error", message=step["error"])
    raise SystemExit(1)


STEPS = {
    "say": say,
    "write": write,
    "append": append,
    "replace": replace,
    "delete": delete,
    "outside": write_outside,
    "run": run,
    "answer": give_answer,
    "spend": spend,
    "sleep": sleep,
    "limit": reach_limit,
    "print": print_raw,
    "exit": leave,
    "hang": hang,
    "error": tell_error,
}
CHANGING = ("write", "append", "replace", "delete", "outside", "run")
QUIET = ("say", "print", "answer", "spend", "error", "limit")


def do_step(agent: ScriptedAgent, step: dict[str, Any]) -> None:
    verb = next(key for key in step if key in STEPS)
    agent.count += 1
    if verb in CHANGING and agent.read_only:
        tell(type="step", what=f"refused: {verb}")
        return
    if verb not in QUIET:
        words = step[verb] if isinstance(step[verb], list) else [step[verb]]
        line = f"{verb} {' '.join(map(str, words))}"
        tell(type="step", what=line, id=agent.count, tool=f"script_{verb}", given=step)
    STEPS[verb](agent, step)


def main() -> None:
    document = json.loads(sys.stdin.buffer.read())
    agent = ScriptedAgent(document)
    tell(type="start", session=document["session"])
    for step in document["steps"]:
        do_step(agent, step)
    tell(**agent.result)


if __name__ == "__main__":
    main()

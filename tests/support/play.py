"""A planned session played without a client: agents start, work and end by events alone."""

import itertools
import json

from .scene import Scene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

# Three texts and one check; each task fixes one text.
FILES = {
    "Makefile": "test:\n\t@sh check.sh\n",
    "check.sh": "for f in a b c; do grep -q right $f.txt || { echo $f is wrong; exit 1; }; done; echo 3 passed\n",
    "a.txt": "wrong\n",
    "b.txt": "wrong\n",
    "c.txt": "wrong\n",
}
GOAL = "correct the three texts"


def entry(name: str, *needs: str, **more: "Any") -> "dict[str, Any]":
    return {
        "id": name,
        "subject": f"Correct {name}",
        "complexity": "standard",
        "criteria": [f"grep -q right {name}.txt"],
        "blockedBy": list(needs),
        **more,
    }


PLAN = (entry("a"), entry("b", "a"), entry("c", "a"))


def fenced(value: object) -> str:
    return f"Here it is:\n```json\n{json.dumps(value)}\n```"


class Play(Scene):
    """`begin` starts it; `agent` requests one agent and gives it an id; `end` ends it with its last message."""

    def __init__(self, root: str, files: "Mapping[str, str] | None" = None, *, attended: bool = True) -> None:
        super().__init__(root, FILES if files is None else files, attended=attended)
        self.transcript = ""
        self.notified: dict[str, Any] = {}
        self._numbers = itertools.count(1)

    def begin(self, words: str = f"--auto {GOAL}", skill: str = "ultrawork:ultrawork") -> "dict[str, Any]":
        return self.typed(skill, words)

    def ask(self, kind: str, subject: str = "", **given: "Any") -> "tuple[str, dict[str, Any]]":
        """Make the model's call of an agent; return its id, and the hook's answer."""
        call = f"toolu_{next(self._numbers)}"
        key = {"explorer": "EXPLORER_ID", "worker": "TASK_ID", "axiom-worker": "TASK_ID"}.get(kind, "PART")
        prompt = f"{key}: {subject}" if subject else "as told"
        tool_input = {"subagent_type": f"ultrawork:{kind}", "prompt": prompt, **given}
        answer = self.event(
            "PreToolUse", tool_name="Agent", tool_input=tool_input, tool_use_id=call, transcript_path=self.transcript
        )
        return call, answer

    def agent(self, kind: str, subject: str = "", **given: "Any") -> str:
        """Start an agent; return the client's id for it."""
        call, answer = self.ask(kind, subject, **given)
        specific = answer["hookSpecificOutput"]
        assert "updatedInput" in specific, answer
        name = f"agent-{call}"
        self.event(
            "PostToolUse",
            tool_name="Agent",
            tool_input=specific["updatedInput"],
            tool_use_id=call,
            tool_response={"isAsync": True, "agentId": name},
        )
        return name

    def end(self, agent: str, message: str) -> "dict[str, Any]":
        """Return the hook's answer to its end; if it may end, the client reports it in a prompt."""
        answer = self.event("SubagentStop", agent_id=agent, last_assistant_message=message, background_tasks=[])
        if "decision" not in answer:
            prompt = f"<task-notification>{agent}</task-notification>"
            self.notified = self.event("UserPromptSubmit", prompt=prompt)
        return answer

    def explored(self) -> None:
        """Let every due explorer report."""
        while True:
            due = [one for one in self.due() if one["subagent_type"] == "ultrawork:explorer"]
            if not due:
                return
            for one in due:
                name = one["prompt"].partition("EXPLORER_ID: ")[2].split()[0]
                self.end(self.agent("explorer", name), "The texts are a, b, c.")

    def planned(self, plan: "Sequence[Mapping[str, Any]]" = PLAN) -> "dict[str, Any]":
        self.explored()
        return self.end(self.agent("planner"), fenced({"tasks": list(plan)}))

    def worked(self, name: str, text: str = "right\n") -> "dict[str, Any]":
        """Let a worker take a task, write its file and say that it is done."""
        agent = self.agent("worker", name)
        self.write(f"{name}.txt", text)
        return self.end(agent, "Done.")

    def edit_as(self, agent: str, path: str, tool: str = "Edit", key: str = "file_path") -> "dict[str, Any]":
        """Request an edit; return the answer of the hook before it."""
        data = {"agent_id": agent} if agent else {}
        place = path if path.startswith("/") else f"{self.place}/{path}"
        return self.event("PreToolUse", tool_name=tool, tool_input={key: place}, **data)

    def next(self) -> "dict[str, Any]":
        found = json.loads(self.run("next", "--session", "last", "--json"))
        data: dict[str, Any] = found["data"]
        return data

    def due(self) -> "list[dict[str, Any]]":
        agents: list[dict[str, Any]] = self.next()["agents"]
        return agents

    def tasks(self) -> "dict[str, dict[str, Any]]":
        found = json.loads(self.run("task", "list", "--session", "last", "--json"))["data"]["tasks"]
        return {one["id"]: one for one in found}


def denied(answer: "Mapping[str, Any]") -> str:
    specific = answer.get("hookSpecificOutput") or {}
    return str(specific.get("permissionDecisionReason") or "")


def context(answer: "Mapping[str, Any]") -> str:
    specific = answer.get("hookSpecificOutput") or {}
    return str(specific.get("additionalContext") or "")

"""What hooks cost: every event through the real launcher, beside a bare interpreter in the same rounds."""

import json
import os
import shutil
import sys
import tempfile

from common import PLUGIN, PYTHON, Call, bare, measure

from support import hook_files
from support.play import Play
from support.scene import QUICK, SESSION, Scene
from ultrawork.clients.find import get_client
from ultrawork.hooks.table import WAKE

ROUNDS = 40
ENOUGH = 5
OFF, TOOL, STATEFUL = 0.14, 1.7, 2.0
# Processor time of the two hooks of one tool call: 34 ms where the bare interpreter takes 10.8.
TOOL_CALL = 3.2
# These reach Python whatever is on: each may be the one that switches it on, or has to be answered.
LOUD = ("SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PermissionRequest", "Setup")
PLAIN = "Please look at the parser and tell me why the test fails."
# Says words that are modes, too: they have to be read, and none of them is asked for.
NAMING = "Please show the parser to my team and tell me why the pipeline fails."
AGENT = [{"type": "subagent", "id": "a1", "status": "running"}]
TRACED = 200
# Measured once by their own hooks.json on a quiet machine whose bare interpreter took 12.8 ms: wall and
# processor time in ms (medians), programs started.
PEERS = (
    ("prompt", "oh-my-claude 5.5.0", 179.3, 314.6, 10),
    ("prompt", "ultrapower 5.5.5", 47.6, 47.6, 2),
    ("prompt", "hardworker 1.17", 40.0, 72.4, 4),
    ("one Edit (before + after)", "oh-my-claude 5.5.0", 419.4, 668.5, 17),
    ("one Edit (before + after)", "ultrapower 5.5.5", 103.4, 103.9, 4),
    ("one Edit (before + after)", "hardworker 1.17", 72.9, 106.5, 6),
    ("stop", "oh-my-claude 5.5.0", 305.2, 554.7, 22),
    ("stop", "ultrapower 5.5.5", 47.1, 46.9, 2),
    ("stop", "hardworker 1.17", 34.6, 35.8, 2),
)
PEERS_BARE = 12.8


class Stage:
    """A scene whose events are real processes; `keep` makes each of them meet the same state."""

    def __init__(self, scene):
        self.scene = scene
        # Only the arming was to leave out its background run; a client sets no such variable.
        self.environ = {k: v for k, v in scene.environ.items() if k != "ULTRAWORK_SKIP_HOOKS"}
        os.makedirs(f"{scene.home}/cache", exist_ok=True)
        with open(f"{scene.home}/cache/python", "w", encoding="utf-8") as file:
            file.write(f"{PYTHON}\n")
        self.inputs = self.rounds = 0

    def call(self, name, event, *, times=None, on=True, kept=False, **data):
        environ = self.environ if on else {**self.environ, "CLAUDE_CODE_SESSION_ID": "other"}
        given = self._given(event, data)
        return Call(
            name,
            ["/bin/sh", f"{PLUGIN}/bin/ultrawork-hook", event],
            times=times,
            given=given,
            environ=environ,
            place=self.scene.place,
            before=self._restore if kept else lambda: self._vary(given),
        )

    def _vary(self, given):
        """An agent that makes the same call over and over is another matter, and is warned."""
        with open(given, encoding="utf-8") as file:
            data = json.load(file)
        self.rounds += 1
        if "tool_input" in data:
            data["tool_input"]["description"] = f"call {self.rounds}"
        with open(given, "w", encoding="utf-8") as file:
            json.dump(data, file)

    def _given(self, event, data):
        self.inputs += 1
        path = f"{self.scene.root}/input-{self.inputs}.json"
        given = {
            "session_id": SESSION, "cwd": self.scene.place, "permission_mode": "bypassPermissions",
            "prompt_id": "p9", "hook_event_name": event, "transcript_path": "", **data,
        }  # fmt: skip
        with open(path, "w", encoding="utf-8") as file:
            json.dump(given, file)
        return path

    def keep(self):
        shutil.copytree(self.scene.home, f"{self.scene.root}/kept", symlinks=True)

    def _restore(self):
        """Everything but the cache: its bytecode is what a second event of a session finds."""
        for name in os.listdir(self.scene.home):
            if name != "cache":
                _remove(f"{self.scene.home}/{name}")
        ignored = shutil.ignore_patterns("cache")
        kept = f"{self.scene.root}/kept"
        shutil.copytree(kept, self.scene.home, symlinks=True, ignore=ignored, dirs_exist_ok=True)


def _remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def light(root):
    """`ulw` is on, and the agent has been at work for a while."""
    stage = Stage(Scene(root, QUICK))
    scene = stage.scene
    scene.prompt("ulw change the words")
    trace = f"{scene.home}/sessions/{SESSION}/trace.jsonl"
    with open(trace, "a", encoding="utf-8") as file:
        for number in range(TRACED):
            entry = {"at": 1.0, "tool": "Read", "call": f"{number:016x}", "what": f"src/{number}"}
            file.write(json.dumps({**entry, "ok": True, "ms": 4}) + "\n")
    return stage


def talking(root):
    """A later prompt whose turn changes nothing: the files are looked at, no gate runs."""
    stage = Stage(Scene(root, QUICK))
    stage.scene.prompt("ulw change the words")
    stage.scene.stop("x", background_tasks=AGENT)
    stage.scene.prompt("what does it do?")
    stage.keep()
    return stage


def planned(root):
    """A planned session in execution, one task due."""
    stage = Stage(Play(root))
    stage.scene.begin()
    stage.scene.planned()
    stage.keep()
    return stage


def tools(place):
    path = f"{place}/app.txt"
    return {
        "Read": ({"file_path": path}, {"type": "text", "file": {"filePath": path, "content": "x\n" * 400}}),
        "Edit": (
            {"file_path": path, "old_string": "a", "new_string": "b"},
            {"filePath": path, "oldString": "a", "newString": "b", "structuredPatch": []},
        ),
        "Bash": ({"command": "python3 -m pytest -q"}, {"stdout": "." * 2000, "stderr": ""}),
    }


def quiet_rows(stage):
    events = [event for event in get_client("claude").make_hook_file(hook_files.TABLE)["hooks"] if event not in LOUD]
    data = {"tool_name": "Read", "tool_input": {"file_path": "/x"}, "last_assistant_message": "x"}
    return [stage.call(f"off: {event}", event, times=OFF, on=False, **data) for event in dict.fromkeys([*events, WAKE])]


def tool_rows(stage):
    rows = []
    for tool, (given, response) in tools(stage.scene.place).items():
        data = {"tool_name": tool, "tool_input": given, "duration_ms": 4}
        rows += [
            stage.call(f"on: PreToolUse {tool}", "PreToolUse", times=TOOL, **data),
            stage.call(f"on: PostToolUse {tool}", "PostToolUse", times=TOOL, tool_response=response, **data),
        ]
    return rows


def turn_rows(stage, talk):
    said = {"last_assistant_message": "Done.", "session_crons": []}
    return [
        stage.call("off: UserPromptSubmit", "UserPromptSubmit", times=STATEFUL, on=False, prompt=PLAIN),
        stage.call("on: UserPromptSubmit", "UserPromptSubmit", times=STATEFUL, prompt=PLAIN),
        stage.call("off: UserPromptSubmit, my team", "UserPromptSubmit", times=STATEFUL, on=False, prompt=NAMING),
        stage.call("on: UserPromptSubmit, my team", "UserPromptSubmit", times=STATEFUL, prompt=NAMING),
        stage.call(
            "on: Stop, agents at work", "Stop", times=STATEFUL, background_tasks=AGENT, **said
        ),
        talk.call("on: Stop, files compared by git", "Stop", kept=True, background_tasks=[], **said),
    ]  # fmt: skip


def planned_rows(stage):
    """Once for each agent, which then works for minutes: shown, without a budget."""
    given = {"subagent_type": "ultrawork:worker", "prompt": "TASK_ID: a"}
    data = {"tool_name": "Agent", "tool_input": given, "tool_use_id": "t1"}
    started = {"isAsync": True, "agentId": "agent-1"}
    return [
        stage.call("planned: PreToolUse Agent", "PreToolUse", kept=True, **data),
        stage.call("planned: PostToolUse Agent", "PostToolUse", kept=True, tool_response=started, **data),
    ]


def leave_out_disturbed(calls):
    """A process that had to wait for others tells nothing of itself; but where too few had not, all count."""
    quiet = [
        [both for both in zip(call.samples, call.cpu_samples, strict=True) if both[0] < 1.2 * both[1] + 0.002]
        for call in calls
    ]
    if min(map(len, quiet)) >= ENOUGH:
        for call, kept in zip(calls, quiet, strict=True):
            call.samples, call.cpu_samples = map(list, zip(*kept, strict=True))


def tell(calls, floor):
    print(f"\nHooks, {PYTHON}, {ROUNDS} rounds; quiet: how many of them no other program disturbed\n")
    print(f"{'event':<34} {'quiet':>6} {'p50 ms':>8} {'p95 ms':>8} {'cpu ms':>8} {'x bare':>7} {'budget':>7}")
    for call in calls:
        late = "" if call.within(floor.median) else "  OVER"
        print(
            f"{call.name:<34} {len(call.samples):6} {call.median * 1e3:8.1f} {call.p95 * 1e3:8.1f} {call.cpu * 1e3:8.1f}"
            f" {call.median / floor.median:7.2f} {call.budget():>7}{late}"
        )
    return all(call.within(floor.median) for call in calls)


def tell_tool_calls(calls, floor):
    """The two hooks of one tool call together, in processor time: waiting for others is not our cost."""
    print(f"\n{'one tool call, processor time':<34} {'cpu ms':>8} {'x bare':>7} {'budget':>7}")
    kept = True
    named = {call.name: call for call in calls}
    for tool in tools(""):
        cpu = named[f"on: PreToolUse {tool}"].cpu + named[f"on: PostToolUse {tool}"].cpu
        times = cpu / floor.cpu
        late = "" if times < TOOL_CALL else "  OVER"
        kept = kept and times < TOOL_CALL
        print(f"{tool:<34} {cpu * 1e3:8.1f} {times:7.2f} {TOOL_CALL:g} x{late}")
    return kept


def tell_peers():
    print(f"\nOthers, measured once where the bare interpreter took {PEERS_BARE} ms\n")
    print(f"{'event':<28} {'who':<20} {'ms':>7} {'cpu ms':>7} {'programs':>9} {'x bare':>7}")
    for event, who, wall, cpu, programs in PEERS:
        print(f"{event:<28} {who:<20} {wall:7.1f} {cpu:7.1f} {programs:9} {wall / PEERS_BARE:7.1f}")


def main():
    with tempfile.TemporaryDirectory(prefix="bench-") as root:
        on, talk, plan = light(f"{root}/on"), talking(f"{root}/talk"), planned(f"{root}/plan")
        floor = bare()
        calls = [
            floor, *quiet_rows(on), *turn_rows(on, talk), *tool_rows(on), *planned_rows(plan),
        ]  # fmt: skip
        measure(calls, on.environ, on.scene.place, rounds=ROUNDS)
    leave_out_disturbed([call for call in calls if call is floor or call.times])
    kept = [tell(calls, floor), tell_tool_calls(calls, floor)]
    tell_peers()
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())

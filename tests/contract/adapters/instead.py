"""
Functions of the earlier program that have no counterpart here: their input is put to what stands in their place, and
that answer is pinned. Events go through the hooks of a project whose features are all on.
"""

import json
import os
import re
from contextlib import closing

from ultrawork.core.errors import UltraworkError
from ultrawork.core.modes import progress_log
from ultrawork.features.helpers.values import helpers
from ultrawork.features.swarm.store.board import Board
from ultrawork.features.swarm.store.worker import SwarmWorker
from ultrawork.features.swarm.values.tasks import parse_swarm_task
from ultrawork.features.swarm.values.team import WorkerRights, quote_messages
from ultrawork.features.swarm.values.wording import describe_task
from ultrawork.report import status
from ultrawork.store.omc import agent_tracking
from ultrawork.store.omc.folder import Omc
from ultrawork.store.paths import Home
from ultrawork.store.store import Store
from ultrawork.system.process import run_program

from .hooks import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .cases import Case, Place

_ENDS = "detectCompletionSignals|detectArchitect.*|parseDecompositionResult|formatCancelMessage"
_WORDS = "extractContext|calculateConfidence|detectSlashCommand|estimateTokens|analyzeContextUsage"
_LATER = "inferDirectiveFromPattern|validateFileOwnership|extractSharedFiles|order & .*|formatFileList"
_TOOL_ERRORS = "getToolErrorRetryGuidance|readLastToolError|clearToolErrorState|detectRecoverableError"
_STORIES = "writePrd|create\\w*Prd|initPrd|formatPrdStatus|formatStory"
_FILES = (
    "markStory\\w+|format\\w+ForContext|getProgressContext|\\w+ProjectMemory|getAgentPerformance|getReplaySummary"
    "|calculateParallelEfficiency|incrementReinforcement"
)
_MODES = "formatValidationResults|formatCompactSummary|generateSummary|appendCompletedStep|recordFailureReason"
_SKILLS = "generateSkillFrontmatter|validateExtractionRequest|validateSkillMetadata"


def answer(case: "Case", place: "Place") -> "Any":
    place.write({name: one for name, one in case.input.get("files", {}).items() if not _unknown(one)})
    args = place.filled(case.input.get("args", []))
    for names, probe in _PROBES.items():
        if re.fullmatch(names, case.fn):
            try:
                return probe(place, args)
            except UltraworkError as error:
                return f"we refuse: {error}"
    raise LookupError(f"nothing says what stands in the place of {case.fn}")


def _unknown(content: "Any") -> bool:
    """A file of which only the length was written down."""
    return isinstance(content, dict) and list(content) == ["$len"]


def _tell(place: "Place", kind: str, **data: "Any") -> "dict[str, Any]":
    return Event(kind, {"cwd": place.dir, "session_id": "s1", **data}, None, place).told()


def _prompt(place: "Place", args: "Any") -> "Any":
    return _tell(place, "UserPromptSubmit", prompt=_text(args))


def _stop(place: "Place", args: "Any") -> "Any":
    return _tell(place, "Stop", last_assistant_message=_text(args), stop_hook_active=False)


def _text(args: "Any") -> str:
    return args[0] if args and isinstance(args[0], str) else json.dumps(args)


def _command(place: "Place", args: "Any") -> "Any":
    """A command before it runs: also one whose words frighten, or whose message has some form."""
    given = args[0] if isinstance(args[0], dict) else {"command": f"git commit -m '{args[0]}'"}
    words = {"command": str(given.get("command", ""))}
    return _tell(place, "PreToolUse", tool_name=given.get("toolName", "Bash"), tool_input=words)


def _asked(place: "Place", _args: "Any") -> "Any":
    """A permission that is asked for while a mode may run."""
    return _tell(place, "PermissionRequest", tool_name="Bash", tool_input={"command": "make deploy"})


def _failed(place: "Place", args: "Any") -> "Any":
    given = args[0] if args and isinstance(args[0], dict) else {"error": str(args[0])}
    tool, error = str(given.get("tool_name", "Bash")), str(given.get("error", ""))
    return _tell(place, "PostToolUseFailure", tool_name=tool, tool_input={"command": "x"}, error=error)


def _list(place: "Place", args: "Any") -> "Any":
    """An agent's own list, and the stop after it."""
    todos = args[0].get("todos", [])
    _tell(place, "PostToolUse", tool_name="TodoWrite", tool_input={"todos": todos})
    return _stop(place, ["Done."])


def _task(place: "Place", args: "Any") -> "Any":
    said = args[0] if args else None
    given = said if isinstance(said, dict) else {"subject": said}
    _tell(place, "PostToolUse", tool_name="TaskCreate", tool_input=given, tool_response={})
    return _stop(place, ["Done."])


def _kept(place: "Place", args: "Any") -> "Any":
    """A session begins and ends over these files: what is told of them, and that nobody changed them."""
    before = _read_files(place)
    told = [_tell(place, "SessionStart", source="startup"), _stop(place, ["Done."])]
    now = _read_files(place)
    return told, sorted(name for name, text in before.items() if now.get(name) != text)


def _read_files(place: "Place") -> dict[str, str]:
    found = {}
    for folder, _, names in os.walk(f"{place.dir}/.omc"):
        for name in names:
            with open(f"{folder}/{name}", encoding="utf-8", errors="replace") as file:
                found[os.path.relpath(f"{folder}/{name}", place.dir)] = file.read()
    return found


def _stories(_place: "Place", args: "Any") -> "Any":
    """Stories as whoever plans writes them, read by us."""
    given = next((one for one in args if isinstance(one, dict)), None)
    listed = next((one for one in args if isinstance(one, list)), [])
    first = progress_log.parse_prd(given or {"userStories": listed}, "prd.json").next
    return first.id if first else None


def _modes(place: "Place", args: "Any") -> "Any":
    """What `status` says of a mode whose file lies in the checkout."""
    if args and isinstance(args[0], dict):
        place.write({".omc/state/autopilot-state.json": args[0]})
    store = Store(Home(f"{place.root}/state"), actor="person", clock=lambda: place.now)
    found = status.list_modes_elsewhere(store.database, place.dir, place.now)
    return [one["line"] for one in found]


def _role(_place: "Place", args: "Any") -> "Any":
    """Whom we would ask beside the client's own agents, by the role alone."""
    return helpers.choose_helper(str(args[0].get("agentRole", "")))


def _chain(_place: "Place", args: "Any") -> "Any":
    return [helpers.choose_helper(str(one)) for one in args[0] or []]


def _output(_place: "Place", args: "Any") -> "Any":
    """A program that says more than it may: its last words are kept, and how much it said."""
    ran = run_program(["printf", "%s", "x" * 60 + "end"], cwd="/", env={}, deadline=10.0, output_limit=int(args[0]))
    return ran.output, ran.output_bytes


def _merged(place: "Place", args: "Any") -> "Any":
    """Two writers of the tracking, one after the other under its lock."""
    for agent in [one for state in args for one in state.get("agents", [])]:
        agent_tracking.mark_started(Omc(place.dir), agent["agent_id"], agent["agent_type"], "s1", place.now)
    return [(one["agent_id"], one["status"]) for one in agent_tracking.list_all(Omc(place.dir))]


def _skill(place: "Place", args: "Any") -> "Any":
    """A skill is a file that somebody wrote; one with these fields, and a prompt with its words."""
    head = "\n".join(f"{key}: {json.dumps(value)}" for key, value in args[0].items())
    place.write({".omc/skills/one.md": f"---\n{head}\n---\nUse it.\n"})
    return _tell(place, "UserPromptSubmit", prompt="generate or create a test")


def _rights(_place: "Place", args: "Any") -> "Any":
    """What a worker is told of its rights: of commands it has no list, of its files it has."""
    given = args[0]
    return WorkerRights(tuple(given["allowedPaths"]), tuple(given["deniedPaths"])).describe()


def _foreign(_place: "Place", args: "Any") -> "Any":
    """Text of others as a worker reads it, between marks with a number of this moment."""
    return quote_messages([_text(args)], "0123")


def _told(place: "Place", args: "Any") -> "Any":
    """A task as whoever has claimed it reads it."""
    given = {key: args[0][key] for key in ("id", "subject", "description")}
    with closing(_make_board(place, given)) as board:
        task = board.claim(SwarmWorker("w1", pid=os.getpid()), place.now)
        return task and describe_task(task, board.counts())


def _free(place: "Place", args: "Any") -> "Any":
    """Whoever asks first gets the next task, whatever it says that it can."""
    listed = args[0] if isinstance(args[0], list) else [args[0]]
    names = [one["name"] if isinstance(one, dict) else str(one) for one in listed]
    with closing(_make_board(place, {"id": "1", "subject": "review the code"})) as board:
        found = [board.claim(SwarmWorker(name, pid=os.getpid()), place.now) for name in names]
    return [(name, task and task.id) for name, task in zip(names, found, strict=True)]


def _make_board(place: "Place", task: "dict[str, Any]") -> Board:
    board = Board(Omc(place.dir), create=True)
    board.add([parse_swarm_task(task)], place.now)
    return board


_PROBES: "dict[str, Callable[[Place, Any], Any]]" = {
    _ENDS: _stop,
    _WORDS: _prompt,
    _LATER: _prompt,
    _TOOL_ERRORS: _failed,
    _STORIES: _stories,
    _FILES: _kept,
    _MODES: _modes,
    _SKILLS: _skill,
    "checkPreTool|validateCommitMessage": _command,
    "isActiveModeRunning": _asked,
    "formatTodoStatus|getNextPendingTodo": _list,
    "isValidTask": _task,
    "resolveDelegation": _role,
    "parseFallbackChain": _chain,
    "createStdoutCollector": _output,
    "mergeTrackerStates": _merged,
    "isCommandAllowed|formatPermissionInstructions": _rights,
    "sanitizePromptContent": _foreign,
    "buildTaskPrompt": _told,
    "getDefaultCapabilities|scoreWorkerFitness|rankWorkersForTask": _free,
}

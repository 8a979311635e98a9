"""
What an earlier program of the documents did, case by case, against ours.

Decision, exit status and state are compared; words are not, except the flags that a help page names and
whatever a script would read from standard output. `differences.toml` lists where we differ, and why.
"""

import concurrent.futures
import json
import os
import re
import subprocess

import pytest

from support.cases import Cases, filled
from support.floor import PLUGIN
from ultrawork.cli.command import Command
from ultrawork.cli.environment import SWITCH, Flag, parse_flags
from ultrawork.cli.help import render_help
from ultrawork.core import check
from ultrawork.core.check import pick_field
from ultrawork.core.errors import NotFound, UltraworkError
from ultrawork.core.plan import task
from ultrawork.core.plan.task import Task
from ultrawork.core.session import session
from ultrawork.core.session.exploration import LISTS, Explorer
from ultrawork.core.session.session import PhaseFacts, Session
from ultrawork.store import atomic, sessions, tasks
from ultrawork.store.codec import dumps_pretty
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = "case-session"
# One thing, two spellings: the documents use both.
SPELLINGS = {"open": "pending", "blocked_by": "blockedBy"}
ALLOWED = PhaseFacts(approved=True, passed=True, restart=True)


CASES = Cases(HERE)


def script_words(name):
    """The verb behind one of the documents' script names, from the launcher of that name."""
    with open(f"{PLUGIN}/scripts/{name}.sh", encoding="utf-8") as file:
        return re.search(r'ultrawork" (.*) "\$@"', file.read()).group(1).split()


class World:
    """A program, the placeholders of a case, and its fixture made through our own store."""

    def __init__(self, program):
        self.program = program
        self.folder = f"{program.home}/sessions/{NAME}"
        self.places = {
            "session": NAME,
            "sdir": self.folder,
            "base": program.home,
            "project": program.place,
            "home": program.root,
            "tmp": f"{program.root}/tmp",
        }

    def fill(self, value):
        return filled(value, self.places)

    def prepare(self, fixture):
        for command in fixture.get("shell", []):
            subprocess.run(command, shell=True, cwd=self.program.place, check=True)
        for path in fixture.get("dirs", []):
            os.makedirs(path, exist_ok=True)
        for path, content in fixture.get("files", {}).items():
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(content if isinstance(content, str) else json.dumps(content))
        if "session" in fixture:
            self._store(fixture)

    def _store(self, fixture):
        store = Store(Home(self.program.home), actor="person", clock=lambda: 1_000_000.0)
        with store.change(NAME) as change:
            sessions.create(change, self._session(fixture["session"]))
            tasks.create(change, [self._task(*item) for item in fixture.get("tasks", {}).items()])
            explore(change, fixture.get("context", {}))
        store.database.close()

    def _session(self, given):
        """`verifier_passed` and its like are a model's word; nothing of ours corresponds to it."""
        phase = given.get("phase", session.PLANNING)
        return Session(
            id=NAME,
            goal=given.get("goal", "Test goal"),
            working_dir=self.program.place,
            started_at=1_000_000.0,
            phase=phase,
            options=given.get("options") or {},
            ended_at=1_000_000.0 if phase in session.TERMINAL else None,
        )

    def _task(self, name, given):
        return Task(
            id=name,
            subject=given.get("subject", f"Task {name}"),
            status=task.parse(given.get("status", "open")),
            complexity=given.get("complexity", "standard"),
            criteria=given.get("criteria") or [],
            evidence=given.get("evidence") or [],
            blocked_by=given.get("blocked_by") or [],
        )

    def run(self, step):
        if "parallel" in step:
            with concurrent.futures.ThreadPoolExecutor() as pool:
                answers = list(pool.map(self._start, step["parallel"]))
            return next((answer for answer in answers if answer.status), answers[0])
        return self.program.call(*script_words(step["run"]), *step["args"], env=step.get("env"))

    def _start(self, step):
        return self.program.run(*step["args"], program=f"../scripts/{step['run']}.sh")

    def document(self, path):
        if not os.path.exists(f"{self.folder}/{path}"):
            return {}
        with open(f"{self.folder}/{path}", encoding="utf-8") as file:
            return json.load(file)

    def active(self, name):
        store = Store(Home(self.program.home), actor="person", clock=lambda: 1_000_000.0)
        try:
            return sessions.get(store.database, name).active
        except NotFound:
            return False
        finally:
            store.database.close()


def explore(change, context):
    entries = context.get("explorers", [])
    sessions.expect_explorers(change, context.get("expected_explorers", []))
    for number, entry in enumerate(entries):
        shared = {key: context.get(key, []) for key in LISTS} if number == 0 else {}
        report = Explorer(id=entry["id"], summary=entry.get("summary", ""), findings=shared)
        sessions.take_report(change, report)


def parse_args(world, spec, argv):
    flags = [
        Flag(
            name,
            "help",
            aliases=row.get("aliases", ()),
            kind=SWITCH if row.get("flag") else "text",
            required=row.get("required", False),
        )
        for name, row in spec.items()
    ]
    args = parse_flags(argv[2:], flags, rest="[WORD]", verb="script")
    answer = {
        row["key"]: args.on(name) if row.get("flag") else args.text(name) or row.get("default")
        for name, row in spec.items()
    }
    return {key: value for key, value in answer.items() if value is not None}


def generate_help(world, name, spec):
    flags = [Flag(flag, "help", kind=SWITCH if row.get("flag") else "text") for flag, row in spec.items()]
    return render_help(name, [Command("", "Help", None, flags=flags)])


def may_follow(world, now, target):
    try:
        session.move(session.parse(now), session.parse(target), ALLOWED)
    except UltraworkError:
        return {"allowed": False}
    return {"allowed": True}


def session_file(world, name):
    return world.program.done("session", "get", "--session", name, "--file").out.strip()


def resolve_session(world, name):
    answer = world.program.call("session", "get", "--session", name)
    if answer.status:
        raise NotFound(answer.err)
    return name


CALLS = {
    "parseArgs": parse_args,
    "generateHelp": generate_help,
    "validateTaskId": lambda _, name: check.require_task_id(name),
    "isSessionActive": lambda world, name: world.active(name),
    "getSessionFile": session_file,
    "resolveSessionId": resolve_session,
    "validatePhaseTransition": may_follow,
    "writeJsonAtomically": lambda _, path, value: atomic.write(path, dumps_pretty(value)),
}


def spelled(value):
    """The same with our spelling of a word that has two."""
    if isinstance(value, str):
        return SPELLINGS.get(value, value)
    if isinstance(value, list):
        return [spelled(item) for item in value]
    if isinstance(value, dict):
        return {SPELLINGS.get(key, key): spelled(item) for key, item in value.items()}
    return value


def holds(wanted, found):
    """Whether all that is wanted is there; more does no harm."""
    wanted, found = spelled(wanted), spelled(found)
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(key in found and holds(item, found[key]) for key, item in wanted.items())
    if isinstance(wanted, list) and isinstance(found, list):
        return len(wanted) == len(found) and all(map(holds, wanted, found))
    return type(wanted) is type(found) and wanted == found


def wrong_paths(name, wanted, document):
    for written, value in wanted.items():
        path = ".".join(SPELLINGS.get(step, step) for step in written.split("."))
        try:
            found = pick_field(document, path)
        except NotFound:
            if value not in (None, False):
                yield f"{name} has no {path}"
        else:
            if not holds(value, found):
                yield f"{name} {path} is {found!r}, not {value!r}"


def json_in(text):
    return json.loads(text[min(text.find(mark) % (len(text) + 1) for mark in "{[") :])


def wrong_output(expect, answer, asked_for_help):
    if ("exit" in expect) and bool(expect["exit"]) != bool(answer.status):
        yield f"exit {answer.status}: {answer.err or answer.out}"
        return
    read = "--" if asked_for_help else '"'
    words = [word for word in expect.get("stdout_contains", []) if word.startswith(read)]
    yield from (f"printed no {word}" for word in words if word not in answer.out)
    lines = "\n".join(map(spelled, expect.get("stdout_equals", answer.out).strip().split("\n")))
    if lines != answer.out.strip():
        yield f"printed {answer.out!r}"
    yield from (f"printed {word}" for word in expect.get("stdout_lacks", []) if word in answer.out)
    if "stdout_json" in expect:
        yield from wrong_paths("output", expect["stdout_json"], json_in(answer.out))
    if "stdout_json_exact" in expect and expect["stdout_json_exact"] != json_in(answer.out):
        yield f"printed {answer.out!r}"
    if "stdout_json_len" in expect and len(json_in(answer.out)) != expect["stdout_json_len"]:
        yield f"{len(json_in(answer.out))} entries"


def wrong_state(expect, world):
    views = {name: expect[name] for name in ("session", "context") if name in expect}
    views |= {f"tasks/{name}": wanted for name, wanted in expect.get("task", {}).items()}
    for name, wanted in views.items():
        yield from wrong_paths(name, wanted, world.document(f"{name}.json"))
    yield from (f"{path} is missing" for path in expect.get("exists", []) if not os.path.exists(path))
    yield from (f"{path} is there" for path in expect.get("not_exists", []) if os.path.exists(path))


def wrong_value(expect, case, world):
    try:
        value = CALLS[case["call"]](world, *case["args"])
    except (UltraworkError, OSError) as error:
        if not (expect.get("exit") or "throws_contains" in expect):
            yield f"refused: {error}"
        return
    if expect.get("exit") or "throws_contains" in expect:
        yield f"gave {value!r}"
    for key, same in (("value", value), ("value_subset", value)):
        if key in expect and not holds(expect[key], same):
            yield f"gave {value!r}"
    if isinstance(value, str):
        yield from (f"lacks {word}" for word in expect.get("value_contains", []) if word not in value)
        yield from (f"has {word}" for word in expect.get("value_lacks", []) if word in value)


def disagreements(case, program):
    world = World(program)
    given, expect = world.fill(case["input"]), world.fill(case["expect"])
    world.prepare(given.get("fixture", {}))
    if "call" in given:
        return list(wrong_value(expect, given, world))
    for step in given["steps"]:
        answer = world.run(step)
    asked_for_help = "--help" in step.get("args", [])
    return [*wrong_output(expect, answer, asked_for_help), *wrong_state(expect, world)]


@pytest.mark.parametrize("case", CASES.all, ids=lambda case: case["id"])
def test_we_agree_or_say_why_not(program, case):
    CASES.judged(case, disagreements(case, program))


def test_at_most_a_fifth_of_the_cases_differ():
    assert len(CASES.different) <= len(CASES.all) / 5


def test_the_table_of_differences_is_true_and_gives_reasons():
    """A law, a document or a defect; what does not apply is no case, what is doubtful is not followed silently."""
    assert CASES.wrong_table() == []

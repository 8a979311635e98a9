"""Whatever comes in: exit 0, an answer that the client can read or none, never an `allow`, within bounds."""

import gc
import json
import os
import resource
import subprocess
import sys
import time

import pytest

from support.effort import amount
from support.floor import PLUGIN
from support.fuzz import RARE, Fuzz
from support.fuzz_answers import wrong
from support.play import Play
from support.scene import QUICK, SESSION, Scene
from ultrawork.hooks.main import LIMIT, reply
from ultrawork.hooks.table import HANDLERS, WAKE
from ultrawork.store import checkouts
from ultrawork.store.omc.features import ALL

LAUNCHER = f"{PLUGIN}/bin/ultrawork-hook"
EVENTS = [*HANDLERS, WAKE, "BeforeTool", "AfterAgent", "Notification", "NoSuchEvent", ""]
# Only these end in a look at the files or a run of the gates; the others may meet the session often.
COSTLY = ("Stop", "SubagentStop", "AfterAgent", WAKE)
MEGABYTE = 1 << 20
SECONDS = 20.0  # of processor time, for one input, on any machine


def light(root):
    """A session that is on, in a project whose check takes no time."""
    scene = Scene(root, QUICK, attended=False)
    scene.prompt("ulw change the words")
    return scene


def featured(root):
    """The same where a person switched on all features of the project."""
    scene = light(root)
    scene.write(".omc/features", "\n".join(ALL))
    checkouts.allow_features(scene.state_folder, scene.place)
    scene.write("AGENTS.md", "Be careful.\n")
    return scene


def planned(root):
    """A planned session in execution."""
    scene = Play(root, attended=False)
    scene.begin()
    scene.planned()
    return scene


KINDS = {"light": light, "featured": featured, "planned": planned}
# Inputs of each event, a hundred thousand of them before a release; features write files at many events, and
# each waits for the disk.
SHARE = {"light": amount(1_200, 60_000), "featured": amount(300, 5_000), "planned": amount(800, 35_000)}


@pytest.fixture(scope="module", params=KINDS)
def made(request, tmp_path_factory):
    """Gives the scene of the last test again, or a new one if that has ended."""
    scenes = []

    def current():
        if not scenes or not scenes[-1].is_on():
            scene = KINDS[request.param](str(tmp_path_factory.mktemp("fuzz")))
            # What asks the doctor, program by program, is tried as a process only.
            scene.environ["ULTRAWORK_SKIP_HOOKS"] += ",setup"
            scene.share = SHARE[request.param]
            scenes.append(scene)
        return scenes[-1]

    return current


@pytest.fixture
def on(made, monkeypatch):
    scene = made()
    monkeypatch.chdir(scene.place)
    return scene


def fuzz(scene, event, seed):
    often = RARE if event in COSTLY else 20
    return Fuzz(seed, root=scene.place, home=scene.home, known=SESSION, often=often)


class Watch:
    """What the hooks wrote into their log: a defect stands there with its traceback."""

    def __init__(self, scene):
        self.path = f"{scene.home}/logs/hooks.log"
        self.read = 0
        self.defect()

    def defect(self):
        try:
            size = os.stat(self.path).st_size
        except OSError:
            return ""
        if size == self.read:
            return ""
        with open(self.path, encoding="utf-8", errors="replace") as file:
            file.seek(self.read if size > self.read else 0)
            text = file.read()
        self.read = size
        return text if "Traceback" in text else ""


def answered(scene, event, raws):
    """One after the other in this process; the first that is not sound ends it."""
    watch, longest = Watch(scene), 0.0
    for raw in raws:
        began = time.process_time()
        out, wake = reply(event, raw, scene.environ)
        longest = max(longest, time.process_time() - began)
        trouble = wrong(_name(event, raw), out) or watch.defect()
        assert not trouble, (trouble, raw[:2000])
        assert not wake, raw[:2000]
    assert longest < SECONDS
    return longest


def _name(event, raw):
    if event:
        return event
    try:
        return str(json.loads(raw).get("hook_event_name"))
    except (ValueError, AttributeError, RecursionError):
        return ""


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # a hook ends without closing its database
@pytest.mark.parametrize("event", EVENTS)
def test_every_input_is_answered_soundly(on, event):
    source = fuzz(on, event, seed=1)
    answered(on, event, (source.event(event) for _ in range(100)))


@pytest.fixture
def often_collected():
    """The collector as Python comes with it: what runs tests makes it lazy, which looks like growth."""
    lazy = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*lazy)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # as above
@pytest.mark.parametrize("event", EVENTS)
def test_very_many_inputs_are_answered_soundly_in_bounded_memory(on, event, often_collected):
    """In three kinds of projects together."""
    source = fuzz(on, event, seed=2)
    answered(on, event, (source.event(event) for _ in range(on.share // 10)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answered(on, event, (source.event(event) for _ in range(on.share * 9 // 10)))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 64 * 1024, f"{grown} kB more after {on.share:,} inputs"


def huge(kind):
    """Inputs that are large or deep, as the client could pass them on from a tool."""
    head = f'{{"session_id": "{SESSION}", "hook_event_name": "PostToolUse", "tool_name": "Bash", "x": '.encode()
    return {
        "fifty megabytes of text": lambda: head + b'"' + b"x" * (50 * MEGABYTE) + b'"}',
        "fifty megabytes of nothing": lambda: b" " * (50 * MEGABYTE),
        "as much as is read, in one text": lambda: head + b'"' + b"x" * (LIMIT - 1000) + b'"}',
        "as much as is read, in small lists": lambda: head + b"[" + b"[]," * ((LIMIT - 1000) // 3) + b"0]}",
        "a hundred thousand deep": lambda: head + b"[" * 100_000 + b"]" * 100_000 + b"}",
        "deep and never closed": lambda: b'{"a":' * 1_000_000,
        "not UTF-8": lambda: head + b'"' + b"\xff\xfe\xc3" * 100_000 + b'"}',
        "long numbers": lambda: head + b"[" + b"9" * 1_000_000 + b"]}",
        "empty": lambda: b"",
        "only a byte order mark": lambda: b"\xef\xbb\xbf",
    }[kind]()


HUGE = (
    "fifty megabytes of text", "fifty megabytes of nothing", "as much as is read, in one text",
    "as much as is read, in small lists", "a hundred thousand deep", "deep and never closed", "not UTF-8",
    "long numbers", "empty", "only a byte order mark",
)  # fmt: skip


# A process inherits the peak of whoever starts it; so something small starts and measures it.
METER = """
import os, sys
child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
ended, used = os.wait4(child, 0)[1:]
with open(sys.argv[1], "w") as file:
    print(os.waitstatus_to_exitcode(ended), used.ru_maxrss, used.ru_utime + used.ru_stime, file=file)
"""


class Ran:
    def __init__(self, meter, out, err):
        status, kilobytes, cpu = meter.split()
        self.status, self.out, self.err = int(status), out, err
        self.megabytes, self.cpu = int(kilobytes) / 1024, float(cpu)


def launched(scene, words, raw):
    """The launcher as the client starts it, and what it used."""
    given, meter = f"{scene.root}/given", f"{scene.root}/meter"
    with open(given, "wb") as file:
        file.write(raw)
    command = [sys.executable, "-I", "-S", "-c", METER, meter, "/bin/sh", LAUNCHER, *words]
    with open(given, "rb") as file:
        done = subprocess.run(
            command,
            stdin=file,
            env=scene.environ,
            cwd=scene.place,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=300,
            check=False,
        )
    with open(meter, encoding="utf-8") as file:
        return Ran(file.read(), done.stdout, done.stderr)


def sound(ran, name, *, megabytes):
    assert (ran.status, ran.err) == (0, "")
    assert wrong(name, ran.out) == ""
    assert ran.megabytes < megabytes
    assert ran.cpu < SECONDS


@pytest.fixture(scope="module")
def launcher(tmp_path_factory):
    scene = featured(str(tmp_path_factory.mktemp("launcher")))
    scene.environ.pop("ULTRAWORK_SKIP_HOOKS")
    return scene


@pytest.mark.parametrize("kind", HUGE)
def test_a_huge_input_ends_in_time_and_in_memory(launcher, kind):
    sound(launched(launcher, ["PostToolUse"], huge(kind)), "PostToolUse", megabytes=300)


# Each event with some kinds and each kind with some events; all pairs before a release.
PAIRS = [
    pytest.param(event, kind, marks=() if (at + number) % len(HUGE) == 0 else pytest.mark.release)
    for at, event in enumerate(EVENTS)
    for number, kind in enumerate(HUGE)
]


@pytest.mark.slow
@pytest.mark.parametrize(("event", "kind"), PAIRS)
def test_a_huge_input_of_any_event_ends_in_time_and_in_memory(launcher, event, kind):
    sound(launched(launcher, [event] if event else [], huge(kind)), event, megabytes=300)


def processes(scene, count, seed):
    for number in range(count):
        event = EVENTS[number % len(EVENTS)]
        raw = fuzz(scene, event, seed=seed + number).event(event)
        ran = launched(scene, [event] if event else [], raw)
        try:
            sound(ran, _name(event, raw), megabytes=100)
        except AssertionError as error:
            raise AssertionError((event, raw[:2000], ran.err, ran.out)) from error


@pytest.mark.slow
def test_every_process_ends_well(launcher):
    processes(launcher, 2 * len(EVENTS), seed=10)


@pytest.mark.slow
def test_hundreds_of_processes_end_well(launcher):
    processes(launcher, amount(40, 500), seed=1000)


@pytest.mark.parametrize(
    ("event", "out"),
    [
        ("PreToolUse", '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}'),
        ("PreToolUse", '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask"}}'),
        ("PermissionRequest", '{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}'),
        ("Stop", '{"decision": "approve"}'),
        ("Stop", '{"decision": "block"}'),
        ("Stop", '{"continue": false}'),
        ("Stop", '{"allow": true}'),
        ("Stop", '{"systemMessage": 1}'),
        ("SessionEnd", '{"hookSpecificOutput": {"hookEventName": "SessionEnd", "additionalContext": "x"}}'),
        ("Stop", "{}"),
        ("Stop", "plain"),
        ("Stop", "[]"),
    ],
)  # fmt: skip
def test_an_answer_that_is_not_sound_would_be_seen(event, out):
    assert wrong(event, out)

"""Whatever is typed, and wherever: an answer or a sentence, never a defect, never a file elsewhere."""

import os
import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.effort import amount
from support.floor import PLUGIN
from ultrawork.cli.verbs_table import VERBS
from ultrawork.core import errors

# Other verbs start programs; what those do is theirs.
FLOOR = ("session", "task", "context", "config", "version")
HUGE = "x" * 10_000_000
NASTY = [
    "", " ", ".", "..", "../../x", "/", "//", "/etc/passwd", "a/b", "a\0b", "\0", "~", "{SESSION_ID}", "$X", "${X}",
    "-", "--", "-1", "--=", "-=x", "--json", "\udc80", "\ud800", "é", "\U0001f4a5", "\x1b[31m", "a\nb", "1e999", "nan", "inf",
    "0", "1", "2", "9" * 5000, "[0]", "a.b", "options.max_workers", "plan..x", "last", "s1", "s", "PLANNING",
    "EXECUTION", "CANCELLED", "FAILED", "in_progress", "resolved", "skipped", "open", "complete", "1,2", "a|b",
    '{"tasks": []}', '[{"id": "9", "subject": "x"}]', "%s", "'; DROP TABLE sessions; --", "x" * 2000,
]  # fmt: skip
VALUES = st.sampled_from(NASTY) | st.text(st.characters(), max_size=30)
NAMES = ("CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID", "CLAUDECODE", "HOME", "LANG", "ULTRAWORK_STOP_BUDGET")


def commands():
    for verb in FLOOR:
        name = VERBS[verb].full_name
        __import__(name)
        yield from ((verb, command) for command in sys.modules[name].COMMANDS)


COMMANDS = list(commands())


@st.composite
def calls(draw):
    """Mostly real verbs with real flags, so that the words reach deep places."""
    verb, command = draw(st.sampled_from(COMMANDS))
    words = [word for word in (verb, command.name) if word and draw(st.integers(0, 20))]
    for flag in draw(st.lists(st.sampled_from(command.flags), max_size=5)):
        name = draw(st.sampled_from([flag.name, *flag.aliases]))
        if name in ("--help", "-h"):
            continue
        value = draw(VALUES)
        words += draw(
            st.sampled_from([[name, value], [f"{name}={value}"], [name]])
            if flag.kind != "switch"
            else st.sampled_from([[name], [name], [f"{name}={value}"]])
        )
    return words + draw(st.lists(VALUES, max_size=2) if command.rest else st.just([]))


def outside(program):
    """Every file that is not in the state folder, with its size."""
    return {
        path: os.lstat(path).st_size
        for folder, _, names in os.walk(program.root)
        for path in (f"{folder}/{name}" for name in names)
        if not path.startswith(f"{program.home}/")
    }


def begin(program):
    """A session with tasks, unless an earlier example has left one."""
    if program.call("task", "get", "--session", "s1", "--id", "2").status == 0:
        return
    program.done("session", "new", "--goal", "g", "--session", "s1", "--force")
    program.done("task", "create", "--id", "1", "--subject", "x")
    program.done("task", "create", "--id", "2", "--subject", "y", "--blocked-by", "1")


def sound(answer):
    assert answer.status in errors.EXIT_MEANINGS, answer
    assert "a defect in ultrawork" not in answer.out + answer.err, answer
    assert "Traceback" not in answer.out + answer.err, answer


CALLS = given(calls(), st.binary(max_size=50), st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=2))


@pytest.mark.slow
@settings(max_examples=amount(75, 150))
@CALLS
@example(["session", "get", "--session", "last", "--field", "options[00000000001]"], b"", {})
@example(["task", "create", "--id", "9", "--subject", "x", "--description", "\udc80"], b"", {})
@example(["task", "create", "--from", "-"], b'[{"id": "a", "subject": "x", "evidence": [1e999]}]', {})
@example(["context", "add", "--id", "x", "--hint", "\ud800", "--key-files", "\udfff"], b"", {})
@example(["session", "get"], b"", {"CLAUDE_CODE_SESSION_ID": "\udc80"})
def test_every_call_is_answered(program, words, stdin, env):
    answered(program, words, stdin, env)


@pytest.mark.slow
@settings(max_examples=amount(400, 5_000))
@CALLS
def test_very_many_calls_are_answered(program, words, stdin, env):
    answered(program, words, stdin, env)


def answered(program, words, stdin, env):
    begin(program)
    before = outside(program)
    sound(program.call(*words, env=env, stdin=stdin))
    assert outside(program) == before
    assert program.call("session", "check", "--all").status == 0


@settings(max_examples=100)
@given(st.lists(VALUES, max_size=4), st.dictionaries(st.sampled_from(NAMES), VALUES))
def test_words_without_sense_are_answered(program, words, env):
    sound(program.call(*words, env=env))


OUTSIDE = ["..", "../../../tmp/x", "a/b", "/etc/x", "a\0b", "\0", HUGE, "$X", "{X}"]


@pytest.mark.parametrize(
    "words",
    [
        ["session", "new", "--goal", "g", "--session"],
        ["session", "get", "--session"],
        ["session", "get", "--dir", "--session"],
        ["session", "set", "--iteration", "2", "--session"],
        ["session", "clean", "--all", "--session"],
        ["task", "create", "--subject", "x", "--id"],
        ["task", "update", "--status", "in_progress", "--id"],
        ["task", "get", "--id"],
        ["task", "claim", "--owner", "w", "--id"],
        ["context", "init", "--expected"],
        ["context", "add", "--id"],
    ],
    ids=" ".join,
)
def test_no_id_leads_out_of_the_state_folder(program, words):
    begin(program)
    before = outside(program)
    folders = sorted(os.listdir(f"{program.home}/sessions"))
    for value in OUTSIDE:
        answer = program.call(*words, value)
        sound(answer)
        assert answer.status in (2, 4), value[:50]
        assert len(answer.err) < 400, value[:50]
        assert outside(program) == before, value[:50]
        assert sorted(os.listdir(f"{program.home}/sessions")) == folders, value[:50]


@pytest.mark.parametrize(
    "words",
    [
        ["session", "new", "--goal"],
        ["session", "set", "--phase"],
        ["session", "set", "--exploration-stage"],
        ["session", "set", "--iteration"],
        ["session", "get", "--field"],
        ["session", "list", "--since"],
        ["task", "create", "--id", "9", "--subject"],
        ["task", "update", "--id", "1", "--status"],
        ["task", "update", "--id", "1", "--add-evidence"],
        ["task", "list", "--format"],
        ["task", "claim", "--owner"],
        [],
        ["session"],
        ["session", "get"],
    ],
    ids=" ".join,
)
def test_ten_megabytes_are_refused_in_a_short_sentence(program, words):
    begin(program)
    answer = program.call(*words, HUGE)
    sound(answer)
    assert answer.status in (2, 4)
    assert len(answer.err) < 400


HOMES = [
    b"", b"relative", b"./x", b"/dev/null", b"/dev/null/x", b"{root}/new", b"{root}/new/with blanks/\xc3\xa9",
    b"{root}/\xff\xfe", b"{root}/a\nb", b"{root}/file", b"{root}/file/x", b"{root}/" + b"x" * 300, b"{root}/loop",
    b"{root}/$HOME", b"{root}/state/",
]  # fmt: skip
BYTES = st.binary(max_size=20).map(lambda value: value.replace(b"\0", b""))
REAL_WORDS = st.sampled_from(
    [b"session", b"task", b"new", b"get", b"list", b"claim", b"update", b"--goal", b"g", b"--id", b"1",
     b"--owner", b"--json", b"--session", b"s1", b"--add-evidence"]
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=amount(10, 40))
@given(
    st.lists(REAL_WORDS | BYTES, max_size=6),
    st.sampled_from(HOMES),
    st.dictionaries(st.sampled_from([name.encode() for name in NAMES[:3]]), BYTES),
)
@example([b"session", b"new", b"--goal", b"g"], b"{root}/a\nb", {})
@example([b"session", b"new", b"--goal", b"g"], b"relative", {})
@example([b"session", b"new", b"--goal", b"g"], b"{root}/\xff\xfe", {})
def test_every_process_is_answered(program, words, home, env):
    root = os.fsencode(program.root)
    place = os.fsencode(program.place)
    if not os.path.lexists(root + b"/loop"):
        os.symlink(root + b"/loop", root + b"/loop")
        with open(root + b"/file", "wb") as file:
            file.write(b"in the way")
    found = subprocess.run(
        [f"{PLUGIN}/bin/ultrawork".encode(), *words],
        env={
            b"PATH": program.environ["PATH"].encode(),
            b"HOME": root + b"/home",
            b"ULTRAWORK_PYTHON": sys.executable.encode(),
            **env,
            b"ULTRAWORK_HOME": home.replace(b"{root}", root),
        },
        cwd=place,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert found.returncode in errors.EXIT_MEANINGS, found
    assert b"Traceback" not in found.stderr
    assert b"a defect in ultrawork" not in found.stdout + found.stderr
    assert os.listdir(place) == []

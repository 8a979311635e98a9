"""`ultrawork config set` changes one value and keeps every other byte."""

import os
import tomllib

import pytest

from ultrawork.cli.settings_edit import set_value
from ultrawork.core.errors import Conflict

KEPT = """\
# how we check  \r
[stop] # limits\r
  budget = "120s"   # no "#" longer\r
refusals=3\r
\r
[tests]\r
paths = [\r
  "a", # first\r
  ["b"][0],\r
]\r
"""


def write(path, text):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[stop]\nbudget = "60s"\n'),
        ("[stop]", '[stop]\nbudget = "60s"\n'),
        ("# mine", '# mine\n\n[stop]\nbudget = "60s"\n'),
        (
            '[stop]\nrefusals = 3\n\n# next\n[run]\nsetup = ""\n',
            '[stop]\nrefusals = 3\n\n# next\nbudget = "60s"\n[run]\nsetup = ""\n',
        ),
        ('[stop]\nbudget = """\n1s"""\nx = 1', '[stop]\nbudget = "60s"\nx = 1'),
        ("[stop]\nbudget = '#1' # why", '[stop]\nbudget = "60s" # why'),
        ('[ stop ]\r\n\tbudget="1s" \t# a\r\n', '[ stop ]\r\n\tbudget = "60s" \t# a\r\n'),
    ],
)
def test_one_value_changes_and_every_other_byte_stays(before, after):
    assert set_value(before, "stop", "budget", "60s") == after


@pytest.mark.parametrize("text", ['stop = { budget = "1s" }\n', 'stop.budget = "1s"\n', "stop = 3\n"])
def test_a_file_that_cannot_be_edited_safely_is_refused(text):
    with pytest.raises(Conflict, match=r"add budget = \"60s\" by hand"):
        set_value(text, "stop", "budget", "60s")


def test_a_project_gets_a_file_with_the_setting(program):
    answer = program.done("config", "set", "stop.budget", "60s")
    assert read(f"{program.place}/ultrawork.toml") == '[stop]\nbudget = "60s"\n'
    assert 'stop.budget = "60s"' in answer.out
    shown = program.done("config").out
    assert [line.split() for line in shown.splitlines() if line.startswith("stop.budget")] == [
        ["stop.budget", '"1m"', "ultrawork.toml"]
    ]


@pytest.mark.parametrize(
    ("key", "given", "value"),
    [
        ("stop.refusals", "5", 5),
        ("stop.questions", "no", False),
        ("tests.paths", "a,b c", ["a", "b c"]),
        ("run.budget_usd", "2.5", 2.5),
        ("run.setup", 'echo "ü" \\ #', 'echo "ü" \\ #'),
        ("gates.test", "make test", "make test"),
        ("gates.types", "false", False),
    ],
)
def test_a_value_is_written_in_its_own_type(program, key, given, value):
    program.done("config", "set", key, given)
    section, name = key.split(".")
    assert tomllib.loads(read(f"{program.place}/ultrawork.toml")) == {section: {name: value}}


def test_settings_in_pyproject_stay_there(program):
    text = '[project]\nname = "x"\n\n[tool.ultrawork.stop]\nrefusals = 3\n'
    write(f"{program.place}/pyproject.toml", text)
    program.done("config", "set", "stop.refusals", "4")
    assert read(f"{program.place}/pyproject.toml") == text.replace("3", "4")
    assert not os.path.exists(f"{program.place}/ultrawork.toml")


def test_own_defaults_are_written_through_a_link_and_keep_their_mode(program):
    os.makedirs(program.home, exist_ok=True)
    target = f"{program.root}/dotfiles.toml"
    write(target, "# mine\n")
    os.chmod(target, 0o640)
    os.symlink(target, f"{program.home}/config.toml")
    program.done("config", "set", "keep.sessions", "14d", "--user")
    assert read(target) == '# mine\n\n[keep]\nsessions = "14d"\n'
    assert os.stat(target).st_mode & 0o777 == 0o640
    assert os.path.islink(f"{program.home}/config.toml")


def test_a_value_that_another_source_hides_is_written_with_a_warning(program):
    write(f"{program.place}/ultrawork.toml", "[stop]\nrefusals = 3\n")
    answer = program.call("config", "set", "stop.refusals", "5", "--user")
    assert answer.status == 0
    assert "ultrawork.toml still sets stop.refusals to 3, which wins" in answer.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["stop.budgte", "60s"], 'no setting "stop.budgte"; did you mean stop.budget?'),
        (["qqqq", "1"], 'no setting "qqqq"; ultrawork config lists them'),
        (["stop.refusals", "many"], "stop.refusals"),
        (["tests.changed", "maybe"], "note, ask, refuse"),
        (["keep.logs", "5"], "keep.logs applies to all your projects; add --user"),
        (["stop.budget"], "give a setting and its value: ultrawork config set stop.budget 60s"),
    ],
)
def test_a_wrong_key_or_value_is_one_sentence_and_writes_nothing(program, words, why):
    answer = program.call("config", "set", *words)
    assert answer.status == 2
    assert why in answer.err
    assert answer.err.count("\n") == 1
    assert not os.path.exists(f"{program.place}/ultrawork.toml")


def test_an_agent_cannot_change_settings(program):
    answer = program.call("config", "set", "stop.refusals", "1", env={"CLAUDECODE": "1"})
    assert answer.status == 5
    assert "only you can change settings" in answer.err
    assert not os.path.exists(f"{program.place}/ultrawork.toml")


def test_a_file_that_cannot_be_written_keeps_its_bytes(program):
    path = f"{program.place}/ultrawork.toml"
    write(path, KEPT.replace('  ["b"][0],\r\n', '  "b",\r\n'))
    before = read(path)
    os.chmod(program.place, 0o555)
    try:
        answer = program.call("config", "set", "stop.budget", "60s")
    finally:
        os.chmod(program.place, 0o755)
    if os.geteuid():
        assert answer.status == 6
        assert read(path) == before
    else:
        assert read(path) == before.replace('"120s"', '"60s"')

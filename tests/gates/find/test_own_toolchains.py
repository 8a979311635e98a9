"""A toolchain is a file: one that ultrawork never heard of is found, run, read and narrowed without any Python of ours."""

import os
import sys

import pytest

from support import toolchains
from ultrawork.gates.find.explanation import explain_toolchains
from ultrawork.gates.run.execution import run_gate
from ultrawork.gates.run.narrow import narrow

PATH = f"{os.path.dirname(sys.executable)}:/usr/local/bin:/usr/bin:/bin"
SPEAKS_TAP = """\
kind = "test"
calls = ["paperboy"]
settings = ["paperboy.ini"]

[report]
reader = "tap"

[narrow]
words = ["--only", "{tests}"]
join = ","

[[find]]
files = ["rounds/*.round"]
run = "./paperboy rounds"
reason = "rounds for paperboy, such as {source}"
"""
PAPERBOY = """\
#!/bin/sh
echo "TAP version 13"
case "$*" in
  *--only*) echo "ok 1 - only $3" ; echo 1..1 ; exit 0 ;;
esac
echo "ok 1 - delivers"
echo "not ok 2 - rings"
echo 1..2
exit 1
"""
WRITES_JUNIT = """\
kind = "test"
calls = ["postman"]
[report]
reader = "junit"
arguments = ["--to", "{report}/out.xml"]
[[find]]
files = ["postman.toml"]
run = "./postman"
"""
POSTMAN = """\
#!/bin/sh
echo '<testsuite name="mail"><testcase classname="mail" name="arrives"/>' > "$2"
echo '<testcase classname="mail" name="is read"><failure message="no"/></testcase></testsuite>' >> "$2"
exit 1
"""
PRINTS_JSON = """\
kind = "test"
calls = ["courier"]
[report]
reader = "json"
environment = { COURIER_REPORT = "{report}/ctrf.json" }
[[find]]
files = ["courier.toml"]
run = "./courier"
"""
COURIER = """\
#!/bin/sh
cat > "$COURIER_REPORT" <<'END'
{"results": {"tool": {"name": "courier"}, "tests": [
 {"name": "arrives", "suite": "mail", "status": "passed"},
 {"name": "is read", "suite": "mail", "status": "failed", "message": "left unread"}]}}
END
exit 1
"""


def run(gate, root, *, path=PATH):
    environ = {"PATH": path, "HOME": f"{root}/home", "ULTRAWORK_HOME": f"{root}/state"}
    return run_gate(gate, root, deadline=60, log_path=None, environ=environ, cache=f"{root}/cache")


def make(project, files):
    here = project(files)
    for name in ("paperboy", "postman", "courier"):
        if os.path.exists(f"{here.root}/{name}"):
            os.chmod(f"{here.root}/{name}", 0o755)
    return here


@pytest.fixture
def paperboy(project):
    return make(
        project,
        {
            ".ultrawork/toolchains/paperboy.toml": SPEAKS_TAP,
            "rounds/a.round": "",
            "paperboy": PAPERBOY,
            "paperboy.ini": "fast = yes\n",
        },
    )


def test_one_that_prints_tap_is_found_run_and_read_by_its_file_alone(paperboy):
    gate = paperboy.gate()
    assert (gate.command, gate.runner) == ("./paperboy rounds", "paperboy")
    assert gate.reason == "rounds for paperboy, such as rounds/a.round"
    assert run(gate, paperboy.root).report.outcomes == {"delivers": "passed", "rings": "failed"}


def test_it_is_asked_for_some_tests_as_its_file_says(paperboy):
    chosen = narrow(paperboy.gate(), ["delivers"])
    assert chosen.argv == ("./paperboy", "rounds", "--only", "delivers")
    assert run(chosen, paperboy.root).report.outcomes == {"only delivers": "passed"}


def test_its_file_and_its_settings_belong_to_the_definition_of_the_check(paperboy):
    gate = paperboy.gate()
    assert {".ultrawork/toolchains/paperboy.toml", "paperboy.ini"} <= set(gate.files)
    with open(f"{paperboy.root}/.ultrawork/toolchains/paperboy.toml", "a", encoding="utf-8") as file:
        file.write('[[seeds]]\nprints = "x"\nvariable = "Y"\nvalue = "z"\n')
    assert paperboy.gate().definition != gate.definition


def test_it_is_known_behind_make_too(project):
    files = {
        ".ultrawork/toolchains/paperboy.toml": SPEAKS_TAP,
        "Makefile": "test:\n\t./paperboy rounds\n",
        "paperboy": PAPERBOY,
    }
    gate = make(project, files).gate()
    assert (gate.command, gate.runner, gate.toolchain["name"]) == ("make test", "paperboy", "paperboy")


def test_one_that_writes_junit_is_told_where_to(project):
    files = {".ultrawork/toolchains/postman.toml": WRITES_JUNIT, "postman.toml": "", "postman": POSTMAN}
    here = make(project, files)
    report = run(here.gate(), here.root).report
    assert report.outcomes == {"mail::arrives": "passed", "mail::is read": "failed"}


def test_one_that_writes_json_is_told_by_a_variable(project):
    files = {".ultrawork/toolchains/courier.toml": PRINTS_JSON, "courier.toml": "", "courier": COURIER}
    here = make(project, files)
    report = run(here.gate(), here.root).report
    assert report.outcomes == {"mail > arrives": "passed", "mail > is read": "failed"}
    assert report.messages == {"mail > is read": "left unread"}


@pytest.mark.parametrize("name", ["postman", "courier"])
def test_a_report_of_a_run_that_passed_is_read_too(project, name):
    text = {"postman": WRITES_JUNIT, "courier": PRINTS_JSON}[name]
    script = {"postman": POSTMAN, "courier": COURIER}[name].replace("exit 1", "exit 0")
    script = script.replace('"failed"', '"passed"').replace('<failure message="no"/>', "")
    files = {f".ultrawork/toolchains/{name}.toml": text, f"{name}.toml": "", name: script}
    here = make(project, files)
    assert set(run(here.gate(), here.root).report.outcomes.values()) == {"passed"}


def test_those_of_the_home_folder_count_in_every_project(project, tmp_path_factory, monkeypatch):
    home = tmp_path_factory.mktemp("home")
    (home / ".ultrawork/toolchains").mkdir(parents=True)
    (home / ".ultrawork/toolchains/paperboy.toml").write_text(SPEAKS_TAP)
    monkeypatch.setenv("HOME", str(home))
    here = make(project, {"rounds/a.round": "", "paperboy": PAPERBOY})
    assert here.gate().runner == "paperboy"
    document, text = explain_toolchains(here.root, ["paperboy"])
    assert "paperboy, from ~/.ultrawork/toolchains/paperboy.toml" in text
    assert document["toolchains"][0]["report"] == {"reader": "tap"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("kinds = 1\n", "kinds in .ultrawork/toolchains/x.toml is not a key of a toolchain; did you mean kind"),
        ("kind = [\n", "is not valid TOML"),
    ],
)
def test_a_file_that_does_not_fit_is_left_out_with_a_sentence(project, text, why):
    here = project({".ultrawork/toolchains/x.toml": text})
    assert any(why in line for line in here.left_out())


BEHAVE = {
    "features/sums.feature": ("Feature: sums\n  Scenario: adds\n    Given two\n  Scenario: fails\n    Given three\n"),
    "features/steps/steps.py": (
        "from behave import given\n@given('two')\ndef two(c): pass\n@given('three')\ndef three(c): assert False\n"
    ),
}
BRITTLE = {
    "package.json": '{"name": "x", "devDependencies": {"brittle": "*"}}',
    "test/a.js": (
        "const test = require('brittle')\ntest('adds', t => { t.is(1 + 1, 2) })\ntest('fails', t => { t.is(1, 2) })\n"
    ),
}


@pytest.mark.slow
def test_behave_is_a_file_of_ours_and_nothing_more(project):
    here = project(BEHAVE)
    gate = here.gate()
    assert (gate.command, gate.runner) == ("behave", "behave")
    path = f"{toolchains.behave()}/bin:{PATH}"
    report = run(gate, here.root, path=path).report
    assert report.outcomes == {"sums.sums::adds": "passed", "sums.sums::fails": "failed"}
    some = run(narrow(gate, ["sums.sums::adds"]), here.root, path=path).report
    assert some.outcomes["sums.sums::fails"] == "skipped"


@pytest.mark.slow
def test_brittle_is_a_file_of_ours_and_nothing_more(project):
    here = project(BRITTLE)
    os.symlink(toolchains.node_modules("brittle"), f"{here.root}/node_modules")
    gate = here.gate()
    assert (gate.command, gate.runner) == ("brittle-node test/*.js", "brittle")
    report = run(gate, here.root).report
    assert report.outcomes == {"adds > should be equal": "passed", "fails > should be equal": "failed"}

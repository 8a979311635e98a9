"""A project without checks gets a draft that fits its language, and the draft works."""

import os
import shutil

import pytest

from support.floor import PATH, Program
from support.scene import NO_CHECK, QUICK, Scene

PROJECTS = {
    "python3": ({"report.py": "def pages():\n    return 3\n"}, "tests/test_report.py"),
    "node": ({"lib.js": "exports.x = 1;\n"}, "tests/lib.test.mjs"),
    "sh": ({"bin/do.sh": "echo hi\n"}, "tests/smoke.sh"),
    "perl": ({"a.pl": "print 1;\n"}, "t/load.t"),
}


@pytest.fixture
def project(program):
    program.environ = {**program.environ, "PATH": os.environ["PATH"]}
    return program


def lay(program, files):
    for name, text in files.items():
        path = f"{program.place}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


@pytest.mark.slow
@pytest.mark.parametrize("language", PROJECTS)
def test_what_is_written_passes_and_notices_broken_code(project, language):
    if shutil.which(language) is None:
        pytest.skip(f"{language} is not installed")
    files, skeleton = PROJECTS[language]
    lay(project, files)
    answer = project.done("gates", "draft", "--write", "--json")
    assert answer.data["written"] == ["ultrawork.toml", skeleton]
    assert project.call("verify").status == 0
    lay(project, dict.fromkeys(files, "( ][\n"))
    assert project.call("verify").status == 1


def test_it_is_only_shown_until_it_is_to_be_written(project):
    lay(project, NO_CHECK)
    answer = project.done("gates", "draft")
    assert "[gates]" in answer.out
    assert answer.out.endswith("Write it: ultrawork gates draft --write\n")
    assert sorted(os.listdir(project.place)) == ["report.py"]


def test_a_project_with_a_test_check_needs_none(project):
    lay(project, QUICK)
    answer = project.call("gates", "draft")
    assert (answer.status, "has a test check already: make test" in answer.err) == (5, True)


def test_a_project_in_no_known_language_is_told_what_to_write(project):
    lay(project, {"a.txt": "x"})
    answer = project.call("gates", "draft")
    assert (answer.status, '[gates] test = "..."' in answer.err) == (4, True)


def test_settings_that_are_there_are_not_written_over(project):
    lay(project, {**NO_CHECK, "ultrawork.toml": "[stop]\nrefusals = 3\n"})
    answer = project.call("gates", "draft", "--write")
    assert (answer.status, "already exists; add these lines" in answer.err) == (5, True)


def test_a_language_whose_program_is_missing_is_said_so(tmp_path):
    program = Program(str(tmp_path))
    lay(program, {"a.lua": "x = 1\n"})
    answer = program.call("gates", "draft", env={"PATH": f"{tmp_path}/none:{PATH}"})
    if shutil.which("luac", path=PATH) is None:
        assert "Missing: luac is not installed" in answer.out


def test_in_the_client_it_is_answered_without_the_model(tmp_path):
    scene = Scene(str(tmp_path), NO_CHECK)
    told = scene.prompt("ulw gates draft")
    assert told["continue"] is False
    assert told["stopReason"].endswith("Write it: ulw gates draft --write")
    assert scene.prompt("ulw gates draft --write")["stopReason"].startswith(
        "ultrawork: wrote ultrawork.toml and tests/test_report.py."
    )
    assert "make test" not in scene.read("ultrawork.toml")

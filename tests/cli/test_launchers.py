"""The launchers: from any place, under any name, with a Python that was found once."""

import os
import shutil
import subprocess
import sys

import pytest

from support.floor import PATH, PLUGIN

REAL = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
PLACES = ("/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3")
TOOLS = ("sh", "readlink", "dirname", "mkdir", "mv", "cat")
COMPAT = {
    "context-add": "context add",
    "context-get": "context get",
    "context-init": "context init",
    "session-field": "session get",
    "session-get": "session get",
    "session-update": "session set",
    "setup-ultrawork": "session new",
    "task-create": "task create",
    "task-get": "task get",
    "task-list": "task list",
    "task-update": "task update",
    "ultrawork-clean": "session clean",
}


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    """A copy of the plugin in a folder with blanks and quotes in its name, which cannot be written."""
    folder = tmp_path_factory.mktemp("plugins") / 'a plugin\'s "folder"'
    for part in ("bin", "scripts", "src", ".claude-plugin"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(f"{PLUGIN}/{part}", folder / part, ignore=ignored)
    subprocess.run(["chmod", "-R", "a-w", folder], check=True)
    yield str(folder)
    subprocess.run(["chmod", "-R", "u+w", folder], check=True)


@pytest.fixture
def toolbox(tmp_path):
    """A PATH with the few tools that a launcher needs, and no Python."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in TOOLS:
        os.symlink(shutil.which(name), folder / name)
    return folder


def start(program, *words, env=None, cwd=None):
    return subprocess.run(
        words,
        env={**program.environ, **(env or {})},
        cwd=cwd or program.place,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def without_python(words):
    """The same words where the places that launchers know hold no Python either."""
    found = sorted({os.path.realpath(path) for path in PLACES if os.path.exists(path)})
    if not found:
        return words
    if os.getuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        pytest.skip("hiding this machine's Python needs root")
    hide = " && ".join(f"mount --bind /dev/null {path}" for path in found)
    return [shutil.which("unshare"), "-m", "/bin/sh", "-c", f'{hide} && PATH=$TOOLS exec "$@"', "-", *words]


def remembered(program):
    with open(f"{program.home}/cache/python", encoding="utf-8") as file:
        return file.read().strip()


def remember(program, path):
    os.makedirs(f"{program.home}/cache", exist_ok=True)
    with open(f"{program.home}/cache/python", "w", encoding="utf-8") as file:
        file.write(f"{path}\n")


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.mark.parametrize("name", ["ultrawork", "ulw"])
def test_it_starts_from_a_folder_with_blanks_that_cannot_be_written(program, plugin, name):
    program.remember_python()
    before = sorted(os.walk(plugin))
    found = start(program, f"{plugin}/bin/{name}", "session", "new", "--goal", "a  b")
    assert found.returncode == 0, found.stderr
    assert found.stdout.endswith("goal     a  b\n")
    assert sorted(os.walk(plugin)) == before


def test_a_plugin_on_a_read_only_disk_is_no_trouble(program, plugin):
    if os.getuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        pytest.skip("mounting needs root")
    program.remember_python()
    line = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && exec "$1/bin/ultrawork" version'
    found = start(program, "unshare", "-m", "sh", "-c", line, "-", plugin)
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("name", ["ultrawork", "ulw"])
@pytest.mark.parametrize("cwd", ["/", "{root}/with blanks"])
def test_it_starts_from_any_directory(program, name, cwd):
    cwd = cwd.replace("{root}", program.root)
    os.makedirs(cwd, exist_ok=True)
    program.remember_python()
    assert start(program, f"{PLUGIN}/bin/{name}", "version", cwd=cwd).returncode == 0


@pytest.mark.parametrize("name", ["ultrawork", "ulw"])
def test_it_starts_through_links(program, tmp_path, name):
    program.remember_python()
    (tmp_path / "bin").mkdir()
    os.symlink(f"{PLUGIN}/bin/{name}", tmp_path / "bin" / "absolute")
    os.symlink("absolute", tmp_path / "bin" / "relative")
    os.symlink("../bin/relative", tmp_path / "bin" / "again")
    for link in ("absolute", "relative", "again"):
        assert start(program, f"{tmp_path}/bin/{link}", "version").returncode == 0
    found = start(program, "again", "version", env={"PATH": f"{tmp_path}/bin:{PATH}"})
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("name", ["ultrawork", "ulw"])
def test_it_starts_by_its_bare_name_in_its_own_folder(program, name):
    program.remember_python()
    bare = start(program, "sh", name, "version", cwd=f"{PLUGIN}/bin")
    assert bare.returncode == 0, bare.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ultrawork", "ulw"])
def test_words_reach_the_program_as_they_were_typed(program, name):
    words = ["", "a b", "*", "$HOME", "`id`", "\\n", "'\"", "-n", "ü\nx"]
    program.run("session", "new", "--goal", "g")
    program.run("task", "create", "--id", "1", "--subject", "x")
    for word in words[1:]:
        found = program.run("task", "update", "--id", "1", "--add-evidence", word, program=name)
        assert found.status == 0, found
    assert program.run("task", "get", "--id", "1", "--json").data["evidence"] == words[1:]


def test_a_python_is_searched_once_and_remembered_as_the_real_one(program, toolbox):
    """A shim decides anew each time, and slowly."""
    script(toolbox / "python3", f'echo asked >>"{program.root}/asked"; exec "{REAL}" "$@"')
    for _ in range(3):
        found = start(program, f"{PLUGIN}/bin/ultrawork", "version", env={"PATH": str(toolbox)})
        assert found.returncode == 0, found.stderr
    assert os.path.realpath(remembered(program)) == REAL
    with open(f"{program.root}/asked", encoding="utf-8") as file:
        assert file.read() == "asked\n"


def test_a_virtual_environment_is_not_remembered(program, toolbox, tmp_path):
    subprocess.run([REAL, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    path = f"{tmp_path}/venv/bin:{toolbox}"
    start(program, f"{PLUGIN}/bin/ultrawork", "version", env={"PATH": path})
    assert "venv" not in remembered(program)


def test_a_python_that_vanished_is_searched_again(program, toolbox):
    os.symlink(REAL, toolbox / "python3")
    remember(program, "/no/such/python")
    found = start(program, f"{PLUGIN}/bin/ultrawork", "version", env={"PATH": str(toolbox)})
    assert found.returncode == 0, found.stderr
    assert os.path.realpath(remembered(program)) == REAL


@pytest.mark.parametrize("note", ["", "\n", "/\n"])
def test_a_spoiled_note_is_written_again(program, toolbox, note):
    os.symlink(REAL, toolbox / "python3")
    os.makedirs(f"{program.home}/cache")
    with open(f"{program.home}/cache/python", "w", encoding="utf-8") as file:
        file.write(note)
    found = start(program, f"{PLUGIN}/bin/ultrawork", "version", env={"PATH": str(toolbox)})
    assert found.returncode == 0, found.stderr
    assert os.path.realpath(remembered(program)) == REAL


def test_a_python_that_is_too_old_is_passed_over(program, toolbox):
    script(toolbox / "python3", "exit 1")
    script(toolbox / "python3.12", f'exec "{REAL}" "$@"')
    found = start(program, f"{PLUGIN}/bin/ultrawork", "version", env={"PATH": str(toolbox)})
    assert found.returncode == 0, found.stderr
    assert os.path.realpath(remembered(program)) == REAL


@pytest.mark.parametrize("name", ["ultrawork", "ulw"])
def test_a_machine_without_python_is_told_in_one_sentence(program, toolbox, name):
    words = without_python([f"{PLUGIN}/bin/{name}", "version"])
    found = start(program, *words, env={"PATH": f"{PATH}:/usr/sbin:/sbin", "TOOLS": str(toolbox)})
    assert found.returncode == 6
    assert found.stdout == ""
    assert found.stderr == (
        "ultrawork: needs Python 3.11 or newer with sqlite3; install one, or set ULTRAWORK_PYTHON\n"
    )


def test_the_python_that_is_named_is_taken(program, toolbox):
    env = {"PATH": str(toolbox), "ULTRAWORK_PYTHON": REAL}
    found = start(program, f"{PLUGIN}/bin/ultrawork", "version", env=env)
    assert found.returncode == 0, found.stderr
    assert not os.path.exists(f"{program.home}/cache/python")


def test_a_named_python_that_does_not_work_is_told_in_one_sentence(program):
    found = start(program, f"{PLUGIN}/bin/ultrawork", "version", env={"ULTRAWORK_PYTHON": "/no/python"})
    assert found.returncode == 6
    assert found.stderr == ("ultrawork: ULTRAWORK_PYTHON (/no/python) is no Python 3.11 or newer with sqlite3\n")


def test_a_state_folder_that_cannot_be_written_keeps_nobody_from_asking(program, toolbox):
    os.symlink(REAL, toolbox / "python3")
    with open(f"{program.root}/file", "w", encoding="utf-8") as file:
        file.write("in the way")
    env = {"PATH": str(toolbox), "ULTRAWORK_HOME": f"{program.root}/file"}
    found = start(program, f"{PLUGIN}/bin/ultrawork", "version", env=env)
    assert (found.returncode, found.stderr) == (0, "")


@pytest.mark.parametrize("home", ["relative", ""])
def test_without_a_state_folder_nothing_is_written(program, toolbox, home):
    os.symlink(REAL, toolbox / "python3")
    env = {"PATH": str(toolbox), "ULTRAWORK_HOME": home, "HOME": ""}
    found = start(program, f"{PLUGIN}/bin/ultrawork", "--help", env=env)
    assert found.returncode == 0, found.stderr
    refused = start(program, f"{PLUGIN}/bin/ultrawork", "session", "list", env=env)
    assert refused.returncode == 6
    assert os.listdir(program.place) == []


@pytest.mark.parametrize(("name", "words"), COMPAT.items())
def test_the_names_of_the_documents_lead_to_the_verbs(program, name, words):
    program.remember_python()
    env = {"PATH": f"{PLUGIN}/scripts:{PATH}"}
    found = start(program, f"{name}.sh", "--help", env=env)
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith(f"Usage: ultrawork {words} ")


def test_every_name_of_the_documents_is_tried_here():
    assert set(os.listdir(f"{PLUGIN}/scripts")) == {f"{name}.sh" for name in COMPAT}


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node or bun")
def test_the_scripts_of_the_third_document_do_the_same(program):
    """`bun src/scripts/session-get.js --session ID --field phase`."""
    program.run("session", "new", "--session", "s", "--goal", "g")
    script = f"{PLUGIN}/src/scripts/session-get.js"
    found = start(program, shutil.which("node"), script, "--session", "s", "--field", "goal")
    assert (found.stdout.strip(), found.returncode) == ("g", 0)
    script = f"{PLUGIN}/src/scripts/task-list.js"
    assert start(program, shutil.which("node"), script, "--session", "none").returncode == 4
    named = {name.removesuffix(".js") for name in os.listdir(f"{PLUGIN}/src/scripts")}
    assert named <= set(COMPAT)


def test_a_session_is_walked_by_the_names_of_the_documents(program):
    def run(name, *words):
        answer = program.run(*words, program=f"../scripts/{name}.sh")
        assert answer.status == 0, answer
        return answer.out

    run("setup-ultrawork", "--session", "s", "--goal", "g", "--auto")
    run("context-init", "--session", "s", "--expected", "overview")
    run("context-add", "--session", "s", "--explorer-id", "overview", "--summary", "small")
    run("task-create", "--session", "s", "--id", "1", "--subject", "x", "--criteria", "a|b")
    run("session-update", "--session", "s", "--phase", "EXECUTION")
    run("task-update", "--session", "s", "--id", "1", "--status", "in_progress")
    assert run("session-get", "--session", "s", "--field", "phase") == "EXECUTION\n"
    assert run("task-get", "--session", "s", "--id", "1", "--field", "status") == "in_progress\n"
    assert run("context-get", "--session", "s", "--field", "exploration_complete") == "true\n"

"""Running a gate: what it sees, what it needs, what is known of it afterwards."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ultrawork
from support import template
from ultrawork.core.verdict.gate import LINT, TEST, Gate
from ultrawork.gates.run.execution import list_named_environments, run_gate
from ultrawork.gates.run.seals import read_versions
from ultrawork.gates.trees import tree as trees
from ultrawork.gates.trees.scratch import ScratchCopy

SOURCE = os.path.dirname(os.path.dirname(ultrawork.__file__))
PATH = f"{os.path.dirname(sys.executable)}:/usr/local/bin:/usr/bin:/bin"
PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"


class Place:
    def __init__(self, home):
        self.home = home
        self.root = home / "project"
        self.root.mkdir()
        self.cache = str(home / "cache")
        self.environ = {
            "PATH": PATH, "HOME": str(home), "ULTRAWORK_HOME": str(home / "state"),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }  # fmt: skip

    def write(self, name, text="", mode=0o644):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def gate(self, command, kind=TEST, **more):
        return Gate(
            name="test",
            kind=kind,
            argv=["sh", "-c", command],
            command=command,
            source="ultrawork.toml",
            reason="written",
            **more,
        )

    def run(self, command, root=None, deadline=60, log=None, **more):
        gate = command if isinstance(command, Gate) else self.gate(command, **more)
        return run_gate(
            gate,
            str(root or self.root),
            deadline=deadline,
            log_path=str(log) if log else None,
            environ=self.environ,
            cache=self.cache,
        )

    def seen(self, **more):
        """The variables that a gate sees."""
        lines = self.run("env", **more).output.splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


@pytest.fixture
def warm(place, tmp_path):
    """With the bytecode of libraries from earlier tests: compiling pytest takes seconds."""
    template.prepare_cache(f"{tmp_path}/state")
    place.cache = f"{tmp_path}/state/cache"
    return place


def test_a_gate_runs_in_its_folder_and_tells_its_exit(place):
    place.write("web/x", "")
    done = place.run("pwd; exit 4", where="web")
    assert done.exit == 4
    assert os.path.samefile(done.output.strip(), place.root / "web")


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "CLAUDECODE",
        "CLAUDE_CODE_SESSION_ID",
        "AI_AGENT",
        "ULTRAWORK_HOME",
        "CODEX_HOME",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "MAKEFLAGS",
        "PYTEST_ADDOPTS",
        "NODE_TEST_CONTEXT",
        "GIT_DIR",
    ],
)
def test_what_belongs_to_the_agent_or_to_an_outer_run_is_not_handed_on(place, name):
    place.environ[name] = "something"
    assert name not in place.seen(kind=LINT)


def test_other_variables_are_handed_on(place):
    place.environ["DATABASE_URL"] = "sqlite://"
    assert place.seen()["DATABASE_URL"] == "sqlite://"


def test_a_declared_key_is_handed_on_but_never_that_of_the_agent(place):
    place.environ |= {"OPENAI_API_KEY": "short", "ANTHROPIC_API_KEY": "short"}
    assert place.seen(needs=["env:OPENAI_API_KEY"])["OPENAI_API_KEY"] == "short"
    assert place.run("env", needs=["env:ANTHROPIC_API_KEY"]).missing == ["ANTHROPIC_API_KEY"]


def test_variables_of_the_gate_come_last(place):
    assert place.seen(env={"CI": "no", "NODE_ENV": "test"})["CI"] == "no"


def test_only_runners_that_would_watch_are_told_that_nobody_does(place):
    assert place.seen(kind=TEST, definition="test: vitest")["CI"] == "1"
    assert place.seen(kind=TEST, runner="jest")["CI"] == "1"
    assert "CI" not in place.seen(kind=TEST)
    assert "CI" not in place.seen(kind=LINT, definition="lint: vitest")


def test_programs_of_the_project_come_first(place):
    place.write(".venv/bin/python", "#!/bin/sh\n", 0o755)
    place.write(".venv/bin/tool", "#!/bin/sh\necho from the environment\n", 0o755)
    place.write("web/node_modules/.bin/other", "#!/bin/sh\necho from node_modules\n", 0o755)
    assert place.run("tool; other", where="web").output == "from the environment\nfrom node_modules\n"
    assert place.seen()["VIRTUAL_ENV"] == f"{place.root}/.venv"


def test_a_gate_has_no_terminal_and_nothing_to_read(place):
    assert place.run("tty; cat; echo end").output == "not a tty\nend\n"


def test_a_hanging_gate_is_ended(place):
    done = place.run("sleep 60", deadline=0.3)
    assert done.timed_out
    assert done.signal_number == signal.SIGTERM


def test_a_program_that_is_missing_ends_as_in_a_shell(place):
    gate = Gate(name="x", kind=LINT, argv=["nothing-here"], command="x", source="", reason="")
    assert place.run(gate).exit == 127


def test_secrets_do_not_reach_the_output_or_the_log(place, tmp_path):
    place.environ |= {"ANTHROPIC_API_KEY": "secret-of-the-agent", "DEPLOY_TOKEN": "correct-horse"}
    done = place.run("echo $DEPLOY_TOKEN secret-of-the-agent", log=tmp_path / "log")
    assert done.output == "[redacted DEPLOY_TOKEN] [redacted ANTHROPIC_API_KEY]\n"
    assert (tmp_path / "log").read_text() == done.output


def test_a_port_that_nobody_listens_on_is_missing(place):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        needs = [f"tcp:127.0.0.1:{port}"]
        assert place.run("touch ran", needs=needs).missing == [f"127.0.0.1:{port}"]
        assert not (place.root / "ran").exists()
        listener.listen()
        assert place.run("touch ran", needs=needs).missing == []
        assert (place.root / "ran").exists()


@pytest.mark.parametrize(
    ("need", "told"),
    [
        ("no-such-program", "no-such-program"),
        ("env:NO_SUCH_VARIABLE", "NO_SUCH_VARIABLE"),
        ("tcp:localhost:99999999", "localhost:99999999"),
        ("tcp:nonsense", "nonsense"),
    ],
)
def test_what_is_not_there_is_told(place, need, told):
    done = place.run("touch ran", needs=["sh", need])
    assert (done.missing, done.exit) == ([told], None)
    assert not (place.root / "ran").exists()


def test_a_folder_that_is_not_there_is_missing(place):
    assert place.run("true", where="web").missing == ["the folder web"]


@pytest.mark.parametrize(
    ("runner", "name", "expected"),
    [
        ("pytest", "pytest.py", ["pytest.py"]),
        ("pytest", "pytest/__init__.py", ["pytest"]),
        ("pytest", "_pytest/__init__.py", ["_pytest"]),
        ("pytest", "sitecustomize.py", ["sitecustomize.py"]),
        ("pytest", "web/pytest.py", ["web/pytest.py"]),
        ("unittest", "unittest.py", ["unittest.py"]),
        ("jest", "jest.js", ["jest.js"]),
        ("", "unittest/__init__.py", ["unittest"]),
        ("", "mocha.js", ["mocha.js"]),
        ("pytest", "pytest/notes.txt", []),
        ("pytest", "tests/test_pytest.py", []),
        ("jest", "pytest.py", []),
        ("go", "unittest.py", []),
    ],
)
def test_files_named_like_the_runner_are_reported(place, runner, name, expected):
    place.write(name)
    place.write("web/x")
    assert place.run("true", runner=runner, where="web").shadows == expected


@pytest.mark.slow
def test_an_edit_of_the_same_size_in_the_same_second_is_tested(warm):
    warm.write("test_x.py", "import own\n\ndef test_x():\n    assert own.value == 1\n")
    second = int(time.time()) - 5
    colours = []
    for value in (1, 2, 1):
        path = warm.write("own.py", f"value = {value}\n")
        os.utime(path, (second, second))
        colours.append(warm.run(f"{PYTEST} test_x.py", runner="pytest").exit)
    assert colours == [0, 1, 0]


@pytest.mark.slow
def test_no_bytecode_is_left_in_the_project(warm):
    warm.write("own.py", "value = 1\n")
    warm.write("test_x.py", "import own\n\ndef test_x():\n    assert own.value\n")
    warm.run(f"{PYTEST} test_x.py", runner="pytest")
    assert not list(warm.root.rglob("__pycache__"))
    assert list(Path(warm.cache, "scratch").glob("*/")) == []


def test_bytecode_of_libraries_is_kept_and_that_of_the_project_is_not(place):
    place.write("own.py", "value = 1\n")
    command = f"{sys.executable} -c 'import own, json.tool; print(json.tool.__cached__)'"
    first = place.run(command, kind=LINT).output.strip()
    kept = list(Path(place.cache, "bytecode").rglob("tool.*.pyc"))
    assert len(kept) == 1
    assert not os.path.exists(first)
    assert not list(Path(place.cache, "bytecode").rglob("own.*.pyc"))


def test_bytecode_of_an_environment_that_only_the_gate_names_is_kept_too(place):
    """Neither in the project nor on the PATH: the runner in it is not compiled for each run."""
    venv = place.home / "elsewhere" / "env"
    (venv / "bin").mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text(f"home = {os.path.dirname(sys.executable)}\n")
    (venv / "bin/python3").symlink_to(sys.executable)
    (venv / "lib").mkdir()
    (venv / "lib/runner.py").write_text("value = 1\n")
    command = f"PYTHONPATH={venv}/lib {venv}/bin/python3 -c 'import runner'"
    assert place.run(command, kind=LINT).exit == 0
    assert list(Path(place.cache, "bytecode").rglob("runner.*.pyc"))


def test_bytecode_of_a_project_below_a_library_folder_is_fresh_too(place):
    """A project may lie in a folder that is otherwise kept, as /usr/src/app does."""
    inside = place.home / ".local/share/app"
    inside.mkdir(parents=True)
    (inside / "own.py").write_text("value = 1\n")
    (place.home / ".local/lib").mkdir()
    (place.home / ".local/lib/beside.py").write_text("value = 1\n")
    command = f"PYTHONPATH={place.home}/.local/lib {sys.executable} -c 'import own, beside'"
    assert place.run(command, kind=LINT, root=inside).exit == 0
    kept = [path.name.split(".")[0] for path in Path(place.cache, "bytecode").rglob("*.pyc")]
    assert "beside" in kept
    assert "own" not in kept


@pytest.mark.slow
def test_tests_are_read_by_name(warm):
    warm.write("test_x.py", "def test_a():\n    pass\n\ndef test_b():\n    assert False\n")
    done = warm.run(f"{PYTEST} test_x.py", runner="pytest")
    assert done.report is not None
    assert done.report.outcomes == {"test_x.py::test_a": "passed", "test_x.py::test_b": "failed"}


@pytest.mark.slow
def test_secrets_do_not_reach_the_names_and_messages_of_tests(warm):
    warm.environ["DEPLOY_TOKEN"] = "correct-horse"
    warm.write(
        "test_x.py",
        "import pytest\n\n@pytest.mark.parametrize('x', ['correct-horse'])\ndef test_a(x):\n    assert x == 'y'\n",
    )
    report = warm.run(f"{PYTEST} test_x.py", runner="pytest").report
    assert list(report.outcomes) == ["test_x.py::test_a[[redacted DEPLOY_TOKEN]]"]
    assert report.failed_count == 1
    assert "[redacted DEPLOY_TOKEN]" in report.messages[report.failed[0]]
    assert "horse" not in str(report.messages)


def test_tests_are_read_from_the_whole_log(place, tmp_path):
    place.write("run.py", "for i in range(20000):\n    print(f'ok {i + 1} - number {i}')\nprint('1..20000')\n")
    done = place.run(f"{sys.executable} run.py", runner="tap", log=tmp_path / "log")
    assert len(done.output) < 100_000
    assert done.report is not None
    assert done.report.ran == 20_000


@pytest.mark.slow
def test_a_pytest_without_reports_is_run_without_them(warm):
    warm.write("test_x.py", "def test_a():\n    pass\n")
    done = warm.run(f"{PYTEST} -v -p no:junitxml test_x.py", runner="pytest")
    assert done.exit == 0
    assert done.report is not None
    assert done.report.ran == 1


def test_lint_has_no_tests(place):
    assert place.run("echo '1 passed in 0.1s'", kind=LINT).report is None


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("node", path=PATH), reason="needs node")
def test_node_tests_run_in_a_copy_with_what_is_installed(place):
    environ = {**place.environ, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "-q"], cwd=place.root, env=environ, check=True)
    place.write(".gitignore", "node_modules/\n")
    place.write("node_modules/dep/index.js", "module.exports = 41\n")
    place.write("own.js", "module.exports = require('dep') + 1\n")
    test = "const t = require('node:test'), a = require('node:assert')\n"
    place.write("own.test.js", test + "t('own', () => a.equal(require('./own'), 42))\n")
    tree = trees.take_snapshot(str(place.root), place.cache, environ)
    place.write("own.js", "module.exports = 0\n")
    assert place.run("node --test", runner="node").exit == 1
    with ScratchCopy(tree, place.cache, root=str(place.root), environ=environ) as copy:
        assert place.run("node --test", runner="node", root=copy).exit == 0


def test_a_copy_imports_its_own_code(place):
    environ = {**place.environ, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "-q"], cwd=place.root, env=environ, check=True)
    place.write(".gitignore", ".venv/\n")
    command = [sys.executable, "-m", "venv", "--without-pip", str(place.root / ".venv")]
    subprocess.run(command, check=True)
    packages = next((place.root / ".venv").glob("lib/python3*/site-packages"))
    (packages / "_own.pth").write_text(f"{os.path.realpath(place.root)}/src\n")
    place.write("src/own.py", "value = 'old'\n")
    tree = trees.take_snapshot(str(place.root), place.cache, environ)
    place.write("src/own.py", "value = 'new'\n")
    show = "python -c 'import own; print(own.value)'"
    assert place.run(show, kind=LINT).output == "new\n"
    with ScratchCopy(tree, place.cache, root=str(place.root), environ=environ) as copy:
        assert place.run(show, kind=LINT, root=copy).output == "old\n"


def test_versions_of_the_programs_behind_a_gate_are_known(place):
    place.write("bin/make", "#!/bin/sh\necho GNU Make 4.3\necho x >> asked\n", 0o755)
    place.environ["PATH"] = f"{place.root}/bin:{PATH}"
    gate = place.gate("make test", runner="pytest")
    for _ in range(2):
        found = read_versions(gate, str(place.root), place.environ)
        assert found["make"] == "4.3"
        assert found["python"] == ".".join(map(str, sys.version_info[:3]))
        assert found["pytest"] == pytest.__version__
    assert (place.root / "asked").read_text() == "x\n", "asked once, then remembered"
    place.write("bin/make", "#!/bin/sh\necho GNU Make 4.4.1\n", 0o755)
    assert read_versions(gate, str(place.root), place.environ)["make"] == "4.4.1"


def test_a_program_that_does_not_tell_its_version_is_left_out(place):
    place.write("bin/just", "#!/bin/sh\nexit 1\n", 0o755)
    place.environ["PATH"] = f"{place.root}/bin:{PATH}"
    assert read_versions(place.gate("just test"), str(place.root), place.environ) == {}


KILLED = (
    "import os, sys; from ultrawork.core.verdict.gate import Gate; from ultrawork.gates.run.execution import run_gate\n"
    "gate = Gate(name='t', kind='TEST', argv=['sh', '-c', 'echo up > up; ' + sys.argv[3]], command='', source='', reason='')\n"
    "run_gate(gate, sys.argv[1], deadline=99, log_path=None, environ=os.environ, cache=sys.argv[2])\n"
)


def test_killed_in_the_middle_nothing_stays(place):
    environ = {**place.environ, "PYTHONPATH": SOURCE}
    nap = f"sleep 77.{os.getpid()}"
    command = [sys.executable, "-c", KILLED, str(place.root), place.cache, nap]
    with subprocess.Popen(command, env=environ) as runner:
        while not (place.root / "up").exists():
            time.sleep(0.02)
        runner.kill()
    end = time.monotonic() + 60
    while nap in _processes() and time.monotonic() < end:
        time.sleep(0.05)
    assert nap not in _processes()
    assert len(list(Path(place.cache, "scratch").glob("*/"))) == 1
    place.run("true")
    assert list(Path(place.cache, "scratch").glob("*/")) == []


def _processes():
    return subprocess.run(["ps", "-axww", "-o", "args="], capture_output=True, text=True, check=True).stdout


def test_a_long_definition_does_not_keep_a_run_waiting(place):
    gate = place.gate("true", definition="x" * 200_000 + "/bin")
    started = time.process_time()
    assert list_named_environments(gate, str(place.root)) == []
    assert time.process_time() - started < 2

"""`ultrawork run --executor temporal`: agents on other machines, checks and merges here."""

import os
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from glob import glob
from threading import Thread

import pytest

from support.cluster import ENTRY, SOURCE, WorkerProcess, git, list_keys, require_packages
from support.floor import Answer
from support.headless import FIX, GOAL, SHOW, Headless, task, worker
from ultrawork.cluster.git_server import GitServer, make_repository
from ultrawork.store.paths import Home

pytestmark = pytest.mark.slow
FIXED = "def add(a, b):\n    return a + b\n"


@pytest.fixture
def project(tmp_path, server, remote):
    project = Headless(str(tmp_path))
    project.environ |= {
        **list_keys(),
        "ULTRAWORK_CLUSTER_TEMPORAL": server.address,
        "ULTRAWORK_CLUSTER_REMOTE": remote,
        "ULTRAWORK_CLUSTER_LEASE": "4s",
        "ULTRAWORK_CLUSTER_LABEL": "run",
        "PYTHONPATH": f"{SOURCE}:{require_packages()}",
    }
    return project


STARTED = []


@pytest.fixture(autouse=True)
def end_coordinators():
    """One that a failed test left behind would take the machines of the next."""
    yield
    while STARTED:
        STARTED.pop().kill()


def wait(holds):
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def start(project, *words):
    """
    As a package of Python, which finds the extra; the launcher of the plugin has none. What its agents do is known
    to machines alone: a coordinator runs none.
    """
    environ = {name: value for name, value in project.environ.items() if name != "ULTRAWORK_SCRIPT"}
    process = subprocess.Popen(
        [*ENTRY, *words], env=environ, cwd=project.place, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    STARTED.append(process)
    return process


def end(process):
    out, err = process.communicate(timeout=120)
    return Answer(process.returncode, out.decode(), err.decode())


def begin(project, *words):
    how = ["run", "--auto", "--backend", "script", "--executor", "temporal"]
    return start(project, *how, *words, GOAL)


def go(project, *words):
    return end(begin(project, *words))


@pytest.fixture
def other(tmp_path, project):
    """Another machine with a clone of the project and a home of its own."""
    other = Headless(str(tmp_path / "other"))
    shutil.rmtree(other.place)
    project.git("clone", "-q", project.place, other.place)
    other.environ = {**project.environ, "HOME": other.root, "ULTRAWORK_HOME": other.home}
    other.environ |= {"GIT_AUTHOR_NAME": "Other", "ULTRAWORK_HOST": "elsewhere"}
    return other


@pytest.fixture
def add_machine(tmp_path, server, remote, project):
    """Each runs agent programs only, as a real one does; its agents follow the project's script."""
    added = []

    def add(name, **more):
        labels = project.environ["ULTRAWORK_CLUSTER_LABEL"]
        machine = WorkerProcess(str(tmp_path / "machines"), name, server, remote, drain="0s", labels=labels, **more)
        del machine.environ["ULTRAWORK_WORKER_ANY_COMMAND"]
        machine.environ["ULTRAWORK_SCRIPT"] = project.environ["ULTRAWORK_SCRIPT"]
        machine.environ["ULTRAWORK_RUN_BACKEND"] = "script"
        added.append(machine.start().wait_ready())
        return machine

    yield add
    for machine in added:
        machine.end()


@pytest.mark.release
def test_work_of_a_machine_that_shut_down_is_shown_to_the_next_one(project, add_machine):
    """The first machine leaves while its agent is at work; what it had done so far is not lost."""
    project.cast(
        [task("fix")],
        worker("fix", SHOW, {"write": "begun", "text": "x"}, {"sleep": 60}, attempt=1),
        worker("fix", FIX, SHOW, told="RESULT OF THE LAST ATTEMPT"),
    )
    first = add_machine("two")
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(go, project)
        place = f"{first.home}/state/worktrees/machine.two/*/fix.1/*/begun"
        wait(lambda: glob(place))
        add_machine("three")
        assert first.end() == 0
        answer = answer.result()
    assert answer.status == 0, answer
    assert project.read("calc.py") == FIXED


@pytest.mark.release  # beside it, a run whose machine is gone shows the same
@pytest.mark.parametrize("keep", [False, True])
def test_a_goal_is_carried_out_on_another_machine_and_proved_here(project, remote, add_machine, keep):
    """Nothing of the run stays on the remote, unless it was asked for. Ignored files never go there."""
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    with open(f"{project.place}/.git/info/exclude", "a", encoding="utf-8") as file:
        file.write("*.log\n")
    project.write("private.log", "mine\n")
    project.environ["ULTRAWORK_CLUSTER_KEEP_REFS"] = "true" if keep else "false"
    machine = add_machine("two")
    answer = go(project)
    left = git(remote, "for-each-ref", "--format=%(refname)", f"refs/ultrawork/{project.session}/").split()
    assert bool(left) == keep
    for ref in left:
        listed = subprocess.run(["git", "ls-tree", "-r", ref], cwd=remote, capture_output=True, text=True, check=False)
        assert "private.log" not in listed.stdout, ref
    assert answer.status == 0, answer
    assert "PASS  1 of 1 task" in answer.out
    assert project.read("calc.py") == FIXED
    assert list_tries(machine) == ["fix.1"], "it ran there"


@pytest.mark.release
def test_an_account_that_is_used_up_is_left_alone_on_all_its_machines(project, add_machine):
    """The first try is told to wait for an hour; the second goes to the machine with the other account."""
    project.cast([task("fix")], worker("fix", {"limit": 3600}, attempt=1), worker("fix", FIX, SHOW))
    # Temporal remembers machines of other tests, and their accounts, for a while.
    project.environ["ULTRAWORK_CLUSTER_LABEL"] = "accounts"
    first = [add_machine(name, account="ours") for name in ("two", "three")]
    run = begin(project)
    wait(lambda: "script@ours" in end(start(project, "providers")).out)
    wait(lambda: "script:ours" in end(start(project, "status")).out)
    other = add_machine("four", account="theirs")
    answer = end(run)
    assert answer.status == 0, answer
    assert list_tries(other) == ["fix.2"]
    assert [name for one in first for name in list_tries(one)] == ["fix.1"]


def fix_slowly(seconds):
    return (SHOW, {"write": "begun", "text": "x"}, {"sleep": seconds}, {"delete": "begun"}, FIX)


def at_work(machine):
    return glob(f"{machine.home}/state/worktrees/machine.{machine.name}/*/fix.1/*/begun")


def list_tries(machine):
    with open(f"{machine.home}/state/cluster/{machine.name}/attempts/notes", encoding="utf-8") as file:
        names = [line.partition(" ")[0].partition(".")[2] for line in file if line.strip()]
    return [name for name in names if name.startswith("fix.")]


@pytest.mark.release
def test_what_a_machine_claims_is_checked_here_and_not_taken(project, add_machine):
    project.cast([task("fix")], worker("fix", SHOW, {"say": "Fixed. All tests pass."}))
    add_machine("two")
    answer = go(project, "--max-iterations", "1")
    assert answer.status == 1, answer
    assert "your files are unchanged" in answer.out
    assert project.read("calc.py") != FIXED


@pytest.mark.release
def test_code_travels_through_serve_git_too(project, tmp_path, server):
    """A token for git and nothing else; neither side has it in a URL or a file of a clone."""
    home, environ = Home(str(tmp_path / "git-home")), {"PATH": os.defpath, "HOME": str(tmp_path)}
    make_repository(home, environ, "shop")
    served = GitServer(home, environ, address=("127.0.0.1", 0))
    Thread(target=served.serve, daemon=True).start()
    url = f"{served.url}/shop.git"
    project.environ |= {"ULTRAWORK_CLUSTER_REMOTE": url, "ULTRAWORK_GIT_TOKEN": served.token}
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    machine = WorkerProcess(str(tmp_path / "machines"), "two", server, url, labels="run")
    machine.environ |= {"ULTRAWORK_GIT_TOKEN": served.token, "ULTRAWORK_SCRIPT": project.environ["ULTRAWORK_SCRIPT"]}
    try:
        machine.start().wait_ready()
        answer = go(project)
        assert answer.status == 0, answer
        assert project.read("calc.py") == FIXED
    finally:
        machine.end()
        served.close()


@pytest.mark.release
def test_whoever_looks_sees_the_machines_and_what_is_said_there(project, add_machine):
    project.cast([task("fix")], worker("fix", {"say": "looking around"}, *fix_slowly(20)))
    machine = add_machine("two")
    first = begin(project)
    wait(lambda: at_work(machine))
    wait(lambda: "on two, running" in end(start(project, "logs", "fix")).out)
    assert "looking around" in end(start(project, "logs", "fix")).out
    wait(lambda: "two 1 of 4, run, " in end(start(project, "status")).out)
    assert end(first).status == 0
    assert "on two" in end(start(project, "logs", "fix")).out


def test_a_run_whose_machine_is_gone_goes_on_from_another_clone(project, other, add_machine, remote):
    """Its agent worked on meanwhile; it is waited for, not started again."""
    project.cast([task("fix")], worker("fix", *fix_slowly(5)))
    machine = add_machine("two")
    first = begin(project)
    wait(lambda: at_work(machine))
    first.kill()
    first.communicate()
    name = project.session
    shutil.rmtree(project.home)
    answer = end(start(other, "resume", name, "--from", remote, "--auto"))
    assert answer.status == 0, answer
    assert "PASS  1 of 1 task" in answer.out
    assert other.read("calc.py") == FIXED
    assert list_tries(machine) == ["fix.1"]


@pytest.mark.release
def test_a_coordinator_that_comes_back_finds_that_it_has_lost_the_run(project, other, add_machine, remote):
    project.cast([task("fix")], worker("fix", *fix_slowly(12)))
    machine = add_machine("two")
    first = begin(project)
    wait(lambda: at_work(machine))
    os.kill(first.pid, signal.SIGSTOP)
    second = start(other, "resume", project.session, "--from", remote, "--auto")
    wait(lambda: os.path.isfile(f"{other.home}/sessions/{project.session}/attempts/fix.1/order.json"))
    os.kill(first.pid, signal.SIGCONT)
    lost, answer = end(first), end(second)
    assert answer.status == 0, answer
    assert "PASS  1 of 1 task" in answer.out
    assert lost.status != 0
    assert "is now run by elsewhere and continues there" in lost.out + lost.err, lost
    assert project.read("calc.py") != FIXED, "only one of them brings the results"
    assert list_tries(machine) == ["fix.1"]


@pytest.mark.release
def test_a_remote_that_refuses_results_for_a_while_is_not_taken_for_another_coordinator(project, add_machine, remote):
    """Its hook says of a ref what git says where somebody was quicker; the journal is still ours."""
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    add_machine("two")
    hook, refused = f"{remote}/hooks/update", f"{project.root}/refused"
    script = f"""#!/bin/sh
case $1 in */integration) ;; *) exit 0 ;; esac
test "$2" = {"0" * 40} && exit 0
test -e {refused} && exit 0
touch {refused}; echo "fetch first, it already exists" >&2; exit 1
"""
    with open(hook, "w", encoding="utf-8") as file:
        file.write(script)
    os.chmod(hook, 0o755)
    try:
        answer = go(project)
    finally:
        os.unlink(hook)
    assert os.path.exists(refused), answer
    assert answer.status == 0, answer
    assert project.read("calc.py") == FIXED


@pytest.mark.release
def test_a_run_whose_remote_declines_stops_with_a_sentence_and_goes_on_when_it_is_mended(project, add_machine, remote):
    """Its agent has worked meanwhile; nothing of that is lost or done again."""
    project.cast([task("fix")], worker("fix", *fix_slowly(3)))
    machine = add_machine("two")
    first = begin(project)
    wait(lambda: at_work(machine))
    hook = f"{remote}/hooks/pre-receive"
    with open(hook, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho 'not on a \033[31mFriday' >&2; exit 1\n")
    os.chmod(hook, 0o755)
    try:
        said = f"git push to {remote} was rejected: pre-receive hook declined: not on a Friday; "
        wait(lambda: f"{said}retrying for 20 s" in end(start(project, "status")).out)
        stopped = end(first)
        shown = end(start(project, "status")).out
    finally:
        os.unlink(hook)
    assert stopped.status == 3, stopped
    assert f"{said}retrying for 20 s, then the run stops" in stopped.out + stopped.err
    assert f"two: {said}retrying for 20 s" in stopped.out + stopped.err
    assert f"{said}allow refs below refs/ultrawork/ there. Continue: ultrawork resume" in stopped.out
    assert f"{said}allow refs below refs/ultrawork/ there, then resume" in shown
    answer = end(start(project, "resume", "--session", project.session, "--auto"))
    assert answer.status == 0, answer
    assert project.read("calc.py") == FIXED
    assert list_tries(machine) == ["fix.1"]

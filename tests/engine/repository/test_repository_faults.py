"""Killed at any instant, with its gits or without them: whoever comes next finishes, and nothing is lost."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

import ultrawork
from support.effort import rows_of

SOURCE = os.path.dirname(os.path.dirname(ultrawork.__file__))
TASKS = 4
# A whole session in one program that may be killed anywhere and started again.
SESSION = """
import os, sys
from ultrawork.core.run.tool_calls import ToolInputs
from ultrawork.engine.repository import worktrees
from ultrawork.engine.repository.worker_traces import record_state
from ultrawork.engine.repository.cleanup import remove_worktrees
from ultrawork.engine.repository.delivery import deliver
from ultrawork.engine.repository.merge_queue import MergeQueue
from ultrawork.engine.repository.opening import open_repository
from ultrawork.engine.repository.outside_changes import examine
from ultrawork.engine.repository.undo import take_out
from ultrawork.store.paths import Home

place, home, tasks = sys.argv[1], Home(sys.argv[2]), int(sys.argv[3])
environ = dict(os.environ)

def check(path, subject):
    return all(open(f"{path}/{name}").read() for name in ("a.py", "shared.py")), ""

def write(path, text):
    "The worker is killed too; half a file would be its own fault."
    with open(path + "~", "w") as file:
        file.write(text)
    os.replace(path + "~", path)

repository = open_repository(place, home, "s1", environ)
for number in range(tasks):
    subject = f"t{number}"
    worktree = worktrees.prepare(repository, subject, 1)
    fence = record_state(repository)
    write(f"{worktree.path}/{subject}.py", subject + "\\n" * 3)
    lines = open(f"{worktree.path}/shared.py").read().splitlines()
    lines[number * 4] = subject
    write(f"{worktree.path}/shared.py", "\\n".join(lines) + "\\n")
    assert examine(repository, fence, worktree, ToolInputs()).sentence == ""
    merged = MergeQueue(repository, check).merge(subject, worktree.collect(f"Do {subject}"))
    assert merged.status in ("MERGED", "EMPTY"), (merged.status, merged.detail)
last = f"t{tasks - 1}"
assert take_out(repository, last, check).status in ("UNDONE", "NOT_MERGED")
delivered = deliver(repository)
assert delivered.status == "DELIVERED", delivered.detail
closed = remove_worktrees(repository)
assert closed.kept == [], closed.kept
"""


class Killer:
    """Starts the session and ends it after some time, alone or with everything it started."""

    def __init__(self, person, *, whole_group):
        self.person = person
        self.whole_group = whole_group
        self.argv = [sys.executable, "-c", SESSION, str(person.path), person.home.root]
        self.argv += [str(TASKS)]
        self.environ = {**person.environ, "PYTHONPATH": SOURCE}

    def start(self):
        return subprocess.Popen(
            self.argv, env=self.environ, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )

    def kill_after(self, seconds):
        """Whether it was killed, and had not ended by itself."""
        with self.start() as running:
            try:
                running.wait(seconds)
            except subprocess.TimeoutExpired:
                if self.whole_group:
                    os.killpg(running.pid, signal.SIGKILL)
                else:
                    running.kill()
                return True
            assert running.returncode == 0, running.stdout.read().decode()
            return False

    def finish(self):
        with self.start() as running:
            printed, _ = running.communicate(timeout=300)
        assert running.returncode == 0, printed.decode()


def shared(done):
    lines = ["x"] * (TASKS * 4)
    for number in done:
        lines[number * 4] = f"t{number}"
    return "\n".join(lines) + "\n"


def prepare(person):
    person.init(a_py="a = 1\n", shared_py=shared([]))


def assert_whole(person):
    """Every task is there once, the last one was taken back, and all is clean."""
    files = person.files("main")
    kept = range(TASKS - 1)
    assert files["shared.py"] + "\n" == shared(kept)
    assert {f"t{n}.py" for n in kept} == {name for name in files if name.startswith("t")}
    subjects = person.git("log", "--format=%s", "main").splitlines()
    assert [subjects.count(f"Do t{n}") for n in kept] == [1] * len(kept)
    assert person.git("status", "--porcelain") == ""
    assert person.git("worktree", "list").count("\n") == 0
    assert "missing" not in person.git("fsck", "--connectivity-only", "--no-dangling")
    heads = person.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()
    assert heads == ["main", "ultrawork/s1"]
    assert person.git("ls-files", "-o") == ""


@pytest.mark.slow
def test_the_session_of_these_tests_works_without_being_killed(person):
    prepare(person)
    killer = Killer(person, whole_group=False)
    killer.finish()
    assert_whole(person)


def unhindered(person):
    """How long a session takes here and now; instants are chosen within it."""
    prepare(person)
    began = time.monotonic()
    Killer(person, whole_group=False).finish()
    return time.monotonic() - began


@pytest.mark.slow
@pytest.mark.parametrize("whole_group", [False, True], ids=["alone", "with its gits"])
@pytest.mark.parametrize("seed", rows_of(range(4), in_ci=[0]))
def test_killed_at_random_instants_it_finishes(person, tmp_path, whole_group, seed):
    (tmp_path / "timed").mkdir()
    most = unhindered(type(person)(tmp_path / "timed")) / 3
    prepare(person)
    killer = Killer(person, whole_group=whole_group)
    chance = random.Random(seed)
    killed = 0
    end = time.monotonic() + 600
    while killed < 12 and time.monotonic() < end and killer.kill_after(chance.uniform(0.05, most)):
        killed += 1
    killer.finish()
    assert killed >= 3
    assert_whole(person)


# A worker that writes outside, and whoever finds out; the write happens once, the finding may be killed.
STRAY = """
import os, sys
from ultrawork.core.run.tool_calls import ToolInputs
from ultrawork.engine.repository import worktrees
from ultrawork.engine.repository.worker_traces import CheckoutState, record_state
from ultrawork.engine.repository.opening import open_repository
from ultrawork.engine.repository.outside_changes import examine
from ultrawork.store import codec
from ultrawork.store.paths import Home

place, home = sys.argv[1], Home(sys.argv[2])
repository = open_repository(place, home, "s1", dict(os.environ))
fence, output = home.root + "/fence", home.root + "/output"
worktree = worktrees.prepare(repository, "t1", 1)
if not os.path.exists(output):
    with open(fence, "w") as file:
        file.write(codec.dumps(record_state(repository).document()))
    for number in range(30):
        with open(f"{place}/stray{number}.py", "w") as file:
            file.write("stray")
    with open(f"{place}/a.py", "w") as file:
        file.write("stray")
    with open(output, "w"):
        pass
told = ToolInputs()
for name in ["a.py", *(f"stray{n}.py" for n in range(30))]:
    told.take("Write", {"file_path": f"{place}/{name}", "content": "stray"})
found = examine(repository, CheckoutState.of(codec.loads(open(fence).read())), worktree, told)
print(found.sentence)
"""


@pytest.mark.slow
@pytest.mark.parametrize("whole_group", [False, True], ids=["alone", "with its gits"])
@pytest.mark.parametrize("seed", rows_of(range(3), in_ci=[0]))
def test_a_stray_write_is_found_and_undone_however_often_the_finder_is_killed(person, whole_group, seed):
    prepare(person)
    killer = Killer(person, whole_group=whole_group)
    killer.argv = [sys.executable, "-c", STRAY, str(person.path), person.home.root]
    chance = random.Random(seed)
    while not os.path.exists(f"{person.home.root}/output"):
        os.makedirs(person.home.root, exist_ok=True)
        person.git("clean", "-fdq")
        person.git("checkout", "-q", ".")
        killer.kill_after(chance.uniform(0.3, 1.5))
    for _ in range(8):
        killer.kill_after(chance.uniform(0.1, 0.8))
    with killer.start() as running:
        printed, _ = running.communicate(timeout=300)
    assert b"wrote outside its worktree: a.py, stray0.py, stray1.py and 28 more" in printed
    assert person.git("status", "--porcelain") == ""
    kept = person.git("ls-tree", "--name-only", "refs/ultrawork/s1/salvage/t1.1")
    assert kept.count("stray") == 30

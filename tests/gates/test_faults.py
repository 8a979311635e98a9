"""Whatever goes wrong meanwhile: nothing is left behind, nothing is half kept, and it is said in a sentence."""

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time

import pytest

from support.floor import PLUGIN, Program
from ultrawork.system.output import LOG_LIMIT

pytestmark = pytest.mark.slow
PATIENCE = 60
SLEEPER = "@echo $$$$ >>$(PIDS); sleep 300 & echo $$! >>$(PIDS); wait"


class Desk(Program):
    """The program beside a checkout."""

    def __init__(self, root, stage):
        super().__init__(root)
        self.stage = stage
        self.place, self.environ = stage.place, stage.environ
        self.home = stage.environ["ULTRAWORK_HOME"]
        self.environ["PIDS"] = f"{root}/pids"
        self.remember_python()


@pytest.fixture
def desk(stage_of, shop, tmp_path):
    """The program beside a checkout whose gate is what the test asks for."""

    def make(target=None, **files):
        told = {"Makefile": f"test:\n\t{target}\n"} if target else {}
        return Desk(str(tmp_path), stage_of({**shop, **told, **files}))

    return make


def started(program, *words):
    argv = [f"{PLUGIN}/bin/ultrawork", *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(argv, cwd=program.place, env=program.environ, stdout=pipe, stderr=pipe, text=True)


def until(condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def numbers(program):
    try:
        with open(program.environ["PIDS"], encoding="utf-8") as file:
            return [int(line) for line in file.read().split()]
    except FileNotFoundError:
        return []


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def rows(program, query):
    with sqlite3.connect(f"{program.home}/ultrawork.db") as database:
        return database.execute(query).fetchall()


def scratch(program):
    folder = f"{program.home}/cache/scratch"
    return [name for name in os.listdir(folder) if os.path.isdir(f"{folder}/{name}")]


def files_below(folder):
    return [f"{place}/{name}" for place, _, names in os.walk(folder) for name in names]


def killed_in_the_middle(program, how):
    running = started(program, "verify")
    assert until(lambda: len(numbers(program)) >= 2), running.communicate()
    running.send_signal(how)
    out, err = running.communicate(timeout=PATIENCE)
    return running.returncode, out, err


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_killed_in_the_middle_nothing_runs_on_and_no_receipt_is_kept(desk, how):
    program = desk(SLEEPER)
    status, _, err = killed_in_the_middle(program, how)
    assert until(lambda: not any(map(alive, numbers(program))))
    assert rows(program, "SELECT count(*) FROM receipts") == [(0,)]
    assert rows(program, "SELECT count(*) FROM verdicts") == [(0,)]
    evidence = f"{program.home}/sessions"
    assert [path for path in files_below(evidence) if "/evidence/" in path] == []
    if how == signal.SIGINT:
        assert (status, err) == (130, "ultrawork: interrupted; completed steps are kept\n")


def test_scratch_copies_of_a_run_that_was_killed_are_removed_by_the_next(desk):
    slow = "@case $$PWD in */scratch/*) echo $$$$ >>$(PIDS); sleep 300;; esac; python3 -m unittest -q"
    program = desk(slow)
    program.stage.apply({"write": {"shop.py": "def total(prices):\n    return 0\n"}})
    running = started(program, "verify")
    assert until(lambda: numbers(program) != [])
    running.kill()
    running.communicate(timeout=PATIENCE)
    assert scratch(program) != []
    program.stage.apply({"write": {"Makefile": "test:\n\t@python3 -m unittest -q\n"}})
    program.stage.apply({"sh": "git commit -qm quick Makefile"})
    assert program.run("verify").status == 1
    assert scratch(program) == []


def test_two_at_once_share_one_run(desk):
    program = desk("@sleep 2; python3 -m unittest -q")
    both = [started(program, "verify", "--json") for _ in range(2)]
    answers = [one.communicate(timeout=PATIENCE) for one in both]
    assert [one.returncode for one in both] == [0, 0], answers
    assert rows(program, "SELECT count(*) FROM receipts WHERE target='new'") == [(1,)]
    assert rows(program, "SELECT count(*) FROM verdicts") == [(2,)]


def test_one_that_cannot_wait_any_longer_says_so(desk):
    program = desk(SLEEPER)
    first = started(program, "verify")
    assert until(lambda: len(numbers(program)) >= 2)
    answer = program.run("verify", "--within", "1s")
    first.kill()
    first.communicate(timeout=PATIENCE)
    assert answer.status == 5
    assert answer.err == "ultrawork: another verification has been running here for 1.0 s. Try again later\n"


def test_a_gate_that_hangs_ends_with_the_time_it_was_given(desk):
    program = desk(SLEEPER)
    began = time.monotonic()
    answer = program.run("verify", "--within", "2s")
    assert answer.status == 3
    assert "did not finish in" in answer.out
    assert time.monotonic() - began < 30
    assert not any(map(alive, numbers(program)))


def test_daemons_of_a_gate_do_not_outlive_it(desk):
    daemon = "@setsid sh -c 'echo $$$$ >>$(PIDS); sleep 300' >/dev/null 2>&1 & sleep 1; python3 -m unittest -q"
    program = desk(daemon)
    assert program.run("verify").status == 0
    assert numbers(program) != []
    assert not any(map(alive, numbers(program)))


def test_a_gigabyte_of_output_is_read_and_not_kept(desk):
    program = desk("@head -c 1000000000 /dev/zero | tr '\\0' x; python3 -m unittest -q")
    answer = program.run("verify", "--json", patience=200)
    assert answer.status == 0, answer
    ((size,),) = rows(program, "SELECT document ->> '$.output.bytes' FROM receipts LIMIT 1")
    assert size > 1_000_000_000
    kept = sum(os.path.getsize(path) for path in files_below(program.home) if path.endswith(".log"))
    assert kept < 1.1 * LOG_LIMIT


SECRETS = {"DEPLOY_TOKEN": "deploy-4711-deploy-4711", "DB_PASSWORD": "correct horse battery"}
SHAPED = "ghp_" + "A1b2" * 9


def test_secrets_enter_no_log_no_receipt_and_no_message(desk):
    program = desk("@env | sort; echo $(SHAPED); echo failing with $$DEPLOY_TOKEN; python3 -m unittest -q")
    told = (
        "import os, unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n"
        "        self.fail('with ' + os.environ['DB_PASSWORD'] + ' and ' + os.environ['SHAPED'])\n"
    )
    program.stage.apply({"write": {"test_secret.py": told}})
    program.environ.update(SECRETS, SHAPED=SHAPED)
    answer = program.run("verify")
    assert answer.status == 1
    shown = program.run("evidence").out + program.run("evidence", "--markdown").out
    texts = [answer.out, answer.err, shown]
    for path in files_below(program.home):
        with open(path, "rb") as file:
            texts.append(file.read().decode("utf-8", "replace"))
    for secret in (*SECRETS.values(), SHAPED):
        assert [text[:200] for text in texts if secret in text] == []


def test_a_full_disk_is_said_and_leaves_no_half_receipt(desk):
    program = desk()
    if os.getuid() != 0:
        pytest.skip("only root may mount a small disk")
    shutil.rmtree(program.home)
    os.makedirs(program.home)
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", program.home]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        program.remember_python()
        assert program.run("gates").status == 0
        with open(f"{program.home}/filler", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
        answer = program.run("verify")
        assert answer.status == 6, answer
        assert re.fullmatch(r"ultrawork: .*(No space|disk).*\n", answer.err), answer
        os.unlink(f"{program.home}/filler")
        assert rows(program, "SELECT count(*) FROM verdicts") == [(0,)]
        again = program.run("verify")
        assert again.status == 0, again
    finally:
        subprocess.run(["umount", "-l", program.home], check=True)


def test_a_checkout_that_cannot_be_written_is_verified_all_the_same(desk):
    program = desk()
    mount = f"mount --bind {program.place} {program.place} && mount -o remount,ro,bind {program.place}"
    if os.getuid() != 0 or subprocess.run(["sh", "-c", mount], capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a folder that cannot be written")
    try:
        assert not _is_writable(program.place)
        answer = program.run("verify")
        assert answer.status == 0, answer
    finally:
        subprocess.run(["umount", "-l", program.place], check=True)


def _is_writable(folder):
    try:
        with open(f"{folder}/probe", "w", encoding="utf-8"):
            return True
    except OSError:
        return False


@pytest.mark.parametrize("without", ["repository", "program"])
def test_without_git_files_are_compared_all_the_same(desk, tmp_path, without):
    program = desk()
    if without == "repository":
        shutil.rmtree(f"{program.place}/.git")
    else:
        bin_ = tmp_path / "bin"
        bin_.mkdir()
        for name in ("sh", "make", "python3", "env", "readlink", "cat", "dirname"):
            os.symlink(shutil.which(name, path=program.environ["PATH"]), bin_ / name)
        program.environ["PATH"] = str(bin_)
    assert program.run("verify").status == 0
    program.stage.apply({"write": {"shop.py": "def total(prices):\n    return 0\n"}})
    answer = program.run("verify", "--json")
    assert (answer.status, answer.data["base"][:5]) == (1, "walk-")


def test_an_unborn_branch_is_verified(desk):
    program = desk()
    shutil.rmtree(f"{program.place}/.git")
    subprocess.run(["git", "init", "-q", program.place], check=True)
    assert program.run("verify").status == 0

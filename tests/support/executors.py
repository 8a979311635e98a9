"""What every executor must do: a test class to inherit, and where it runs."""

import os
import threading
import time

from ultrawork.clients.headless.attempt import ENDED, LOST, RUNNING, WORKER, AgentCommand, Attempt
from ultrawork.core.errors import Conflict
from ultrawork.engine.agents.executor import CANCELLED, DEADLINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ultrawork.clients.headless.attempt import AttemptReport
    from ultrawork.engine.agents.executor import Executor

PATIENCE = 60.0
PATH = "/usr/local/bin:/usr/bin:/bin"


class Site:
    """A session's folder, a place to work in, and executors as engines one after the other open them."""

    def __init__(self, root: str, open_executor: "Callable[[str], Executor]") -> None:
        self.folder, self.place = f"{root}/session", f"{root}/place"
        os.makedirs(self.folder)
        os.makedirs(self.place)
        self._open = open_executor
        self._opened: Executor | None = None

    def executor(self) -> "Executor":
        """Return the one engine's executor; the previous one is closed."""
        self.close()
        self._opened = self._open(self.folder)
        return self._opened

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def attempt(self, subject: str = "t1", epoch: int = 1, *, seconds: float = PATIENCE) -> Attempt:
        return Attempt(
            "s", subject, WORKER, epoch, backend="script", place=self.place, seconds=seconds,
            folder=f"{self.folder}/attempts/{subject}.{epoch}", prompt="do it",
        )  # fmt: skip

    def wait(self, what: "Callable[[], object]") -> None:
        end = time.monotonic() + PATIENCE
        while not what():
            assert time.monotonic() < end, "it does not come to that"
            time.sleep(0.01)

    def ended(self, executor: "Executor", attempt: Attempt) -> "AttemptReport":
        self.wait(lambda: executor.describe(attempt).state == ENDED)
        return executor.describe(attempt)

    def run(self, executor: "Executor", attempt: Attempt, script: str) -> "AttemptReport":
        executor.start(attempt, shell(script), ignore)
        return self.ended(executor, attempt)

    def where(self, attempt: Attempt) -> str:  # noqa: ARG002 (for those that run elsewhere)
        """Return where its agent runs."""
        return os.path.realpath(self.place)

    def read(self, name: str, attempt: Attempt | None = None) -> str:
        """Return a file of an agent: from where it works, or after that is removed, from the place."""
        for folder in (self.where(attempt or self.attempt()), self.place):
            try:
                with open(f"{folder}/{name}", encoding="utf-8") as file:
                    return file.read()
            except FileNotFoundError:
                pass
        return ""


def shell(script: str, **environ: str) -> AgentCommand:
    return AgentCommand(["sh", "-c", script], {"PATH": PATH, **environ}, travels=True)


def ignore() -> None:
    """Ignore a wake, for tests that check themselves."""


def alive(pid: str) -> bool:
    """Return whether the pid that a script wrote is alive; an empty one never started."""
    if not pid.strip():
        return False
    try:
        with open(f"/proc/{pid.strip()}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:  # gone before it was opened, or before it was read
        return False


class ExecutorConformance:
    """Inherit, and provide a fixture `site` that makes a `Site`."""

    def test_a_command_runs_in_its_place_with_what_it_was_given(self, site: Site) -> None:
        executor, attempt = site.executor(), site.attempt()
        command = shell("pwd; printenv GREETING; cat; echo trouble >&2", GREETING="hello")
        command.stdin = b"from stdin\n"
        executor.start(attempt, command, ignore)
        assert site.ended(executor, attempt).code == 0
        with open(f"{attempt.folder}/out.jsonl", encoding="utf-8") as file:
            assert file.read() == f"{site.where(attempt)}\nhello\nfrom stdin\n"
        with open(f"{attempt.folder}/err.log", encoding="utf-8") as file:
            assert file.read() == "trouble\n"

    def test_the_end_is_told(self, site: Site) -> None:
        executor, attempt, told = site.executor(), site.attempt(), threading.Event()
        executor.start(attempt, shell("sleep 0.2"), told.set)
        assert told.wait(PATIENCE)
        assert executor.describe(attempt).state == ENDED

    def test_exits_and_signals_are_reported_as_they_were(self, site: Site) -> None:
        executor = site.executor()
        assert site.run(executor, site.attempt("a"), "exit 7").code == 7
        assert site.run(executor, site.attempt("b"), "kill -9 $$").code == -9

    def test_a_program_that_is_not_there_is_named(self, site: Site) -> None:
        executor, attempt = site.executor(), site.attempt()
        executor.start(attempt, AgentCommand(["no-such-agent"], {"PATH": PATH}, travels=True), ignore)
        assert site.ended(executor, attempt).code == 127
        with open(f"{attempt.folder}/err.log", encoding="utf-8") as file:
            assert "no-such-agent" in file.read()

    def test_a_deadline_ends_it_with_all_that_it_started(self, site: Site) -> None:
        executor, attempt = site.executor(), site.attempt(seconds=1.5)
        script = "setsid sleep 300 & echo $! > child; trap '' TERM; sleep 300; sleep 300"
        report = site.run(executor, attempt, script)
        assert report.why == DEADLINE
        assert report.ended_at - report.started_at >= 1.5
        assert not alive(site.read("child"))

    def test_a_cancelled_attempt_ends_with_all_that_it_started(self, site: Site) -> None:
        executor, attempt = site.executor(), site.attempt()
        executor.start(attempt, shell("setsid sleep 300 & echo $! > child; sleep 300"), ignore)
        site.wait(lambda: site.read("child"))
        executor.cancel(attempt)
        assert site.ended(executor, attempt).why == CANCELLED
        assert not alive(site.read("child"))

    def test_what_is_left_behind_at_the_end_is_ended(self, site: Site) -> None:
        executor = site.executor()
        site.run(executor, site.attempt(), "setsid sleep 300 & echo $! > child")
        assert not alive(site.read("child"))

    def test_cancelling_what_has_ended_changes_nothing(self, site: Site) -> None:
        executor, attempt = site.executor(), site.attempt()
        assert site.run(executor, attempt, "exit 3").code == 3
        executor.cancel(attempt)
        assert executor.describe(attempt).code == 3

    def test_two_of_one_subject_never_run_at_once(self, site: Site) -> None:
        executor = site.executor()
        executor.start(site.attempt("t", 1), shell("sleep 300"), ignore)
        try:
            executor.start(site.attempt("t", 2), shell("true"), ignore)
        except Conflict as error:
            assert "still running" in str(error)  # noqa: PT017 (this room does not need pytest)
        else:
            raise AssertionError("the second was started")
        executor.cancel(site.attempt("t", 1))
        site.ended(executor, site.attempt("t", 1))
        assert site.run(executor, site.attempt("t", 2), "true").code == 0

    def test_what_has_run_is_not_run_again(self, site: Site) -> None:
        executor, attempt, told = site.executor(), site.attempt(), threading.Event()
        site.run(executor, attempt, "echo ran >> log")
        executor.start(attempt, shell("echo ran >> log"), told.set)
        assert told.wait(PATIENCE)
        assert site.read("log") == "ran\n"

    def test_another_engine_finds_it_at_work_and_is_told_its_end(self, site: Site) -> None:
        attempt, told = site.attempt(), threading.Event()
        site.executor().start(attempt, shell("until [ -e go ]; do sleep 0.02; done"), ignore)
        second = site.executor()
        assert second.attach(attempt, told.set)
        assert second.describe(attempt).state == RUNNING
        site.wait(lambda: os.path.isdir(site.where(attempt)))
        with open(f"{site.where(attempt)}/go", "w", encoding="utf-8"):
            pass
        assert told.wait(PATIENCE)
        assert second.describe(attempt).code == 0

    def test_another_engine_finds_the_result_of_what_has_ended(self, site: Site) -> None:
        attempt, told = site.attempt(), threading.Event()
        site.run(site.executor(), attempt, "exit 4")
        second = site.executor()
        assert second.attach(attempt, told.set)
        assert told.is_set()
        assert second.describe(attempt).code == 4

    def test_what_was_never_started_is_lost(self, site: Site) -> None:
        executor = site.executor()
        assert not executor.attach(site.attempt(), ignore)
        assert executor.describe(site.attempt()).state == LOST

    def test_work_is_seen_while_it_goes_on(self, site: Site) -> None:
        executor, attempt = site.executor(), site.attempt()
        executor.start(attempt, shell("echo begun; while :; do :; done"), ignore)
        site.wait(lambda: executor.describe(attempt).cpu_seconds > 0.05)
        site.wait(lambda: executor.describe(attempt).quiet_seconds > 0.05)
        report = executor.describe(attempt)
        assert (report.state, report.output_bytes) == (RUNNING, 6)
        assert report.started_at > 0
        executor.cancel(attempt)
        assert site.ended(executor, attempt).cpu_seconds > 0.05

"""A worker's end, with a real repository and store: what is taken in, what goes back, and what is told of it."""

import os
import time
from pathlib import Path

import pytest

from ultrawork.clients.headless.attempt import AgentOutcome, Attempt
from ultrawork.clients.headless.script import Script
from ultrawork.core.plan import task
from ultrawork.core.plan.task import Task
from ultrawork.core.session.session import Session
from ultrawork.engine.agents import integration
from ultrawork.engine.agents.integration import Integration, ResultCheck
from ultrawork.engine.contract import CalledOff, RunHalted
from ultrawork.engine.repository import worktrees
from ultrawork.engine.repository.merge_queue import MergeQueue
from ultrawork.engine.run import EngineLock, HeadlessRun
from ultrawork.report import timeline
from ultrawork.store import agents, attempts, sessions, tasks
from ultrawork.store.settings import Settings
from ultrawork.store.store import Store

RIGHT = {"a.py": "a = 2\n"}
CRITERION = "grep -q 'a = 2' a.py => exit 0"
SAID = AgentOutcome("I did it.")


class Desk:
    """A run of one session in a person's checkout; its workers' ends come in by hand."""

    def __init__(self, shop, criteria=(CRITERION,)):
        self.shop = shop
        self.store = Store(shop.home, actor="engine", clock=time.time)
        self.session = Session(id="s1", goal="g", working_dir=str(shop.path), started_at=time.time())
        plan = [Task(id=f"t{n}", subject="x" * 100, criteria=list(criteria)) for n in (1, 2)]
        with self.store.change("s1") as change:
            sessions.create(change, self.session)
            tasks.create(change, plan)
        self.told = []
        self.lock = EngineLock(shop.home.session("s1"))
        self.lock.__enter__()
        self.run = HeadlessRun(
            self.store, shop.environ, self.session, settings=Settings({}, {}, ""),
            repository=shop.open(), backend=Script(),
            tell=lambda kind, facts: self.told.append((kind, dict(facts))),
        )  # fmt: skip
        self.integration = Integration(self.run)

    def begin(self, subject="t1"):
        """A worker starts: its task is claimed, and how the checkout is is written down."""
        with self.store.change("s1") as change:
            opened = attempts.claim(
                change, subject, "worker", folder=self.shop.home.session("s1"), backend="script", is_task=True
            )  # fmt: skip
        os.makedirs(opened.folder)
        integration.record_checkout(self.run.repository, opened.folder)
        return Attempt(
            "s1", subject, "worker", opened.epoch, backend="script", place="", folder=opened.folder, prompt=""
        )  # fmt: skip

    def write(self, attempt, files):
        worktree = worktrees.prepare(self.run.repository, attempt.subject, attempt.epoch)
        for name, text in files.items():
            Path(worktree.path, name).write_text(text)
        return worktree

    def end(self, attempt, files=(), outcome=SAID):
        self.write(attempt, dict(files))
        return self.integration.integrate(attempt, outcome)

    def news(self, kind):
        return [facts for told, facts in self.told if told == kind]

    @property
    def merged(self):
        return self.shop.files("ultrawork/s1")["a.py"] != "a = 1"

    def close(self):
        self.lock.__exit__(None, None, None)
        self.store.database.close()


@pytest.fixture
def desk_of(shop):
    made = []

    def desk_of(*criteria):
        made.append(Desk(shop, criteria or (CRITERION,)))
        return made[-1]

    yield desk_of
    for one in made:
        one.close()


@pytest.fixture
def desk(desk_of):
    return desk_of()


def test_what_meets_its_criteria_is_taken_in_with_its_evidence(desk):
    attempt = desk.begin()
    place = desk.write(attempt, RIGHT).path
    settled = desk.integration.integrate(attempt, SAID)
    assert (settled.status, settled.commit) == (task.RESOLVED, desk.run.repository.head())
    assert settled.evidence == [f"{CRITERION}: met (#1)"]
    assert desk.told == [(timeline.MERGED, {"subject": "t1", "files": ["a.py"]})]
    assert desk.merged
    assert len(desk.shop.git("show", "-s", "--format=%s", settled.commit)) == 70
    assert not os.path.exists(place), "nobody needs its worktree any more"


def test_what_misses_a_criterion_goes_back_and_is_kept_for_the_next_try(desk):
    attempt = desk.begin()
    settled = desk.end(attempt, {"a.py": "a = 3\n"})
    assert (settled.status, desk.merged) == (task.FAILED, False)
    assert settled.reason.startswith(f"{CRITERION}: red (#1)")
    assert desk.told == [(timeline.SENT_BACK, {"subject": "t1", "why": settled.reason, "said": "I did it."})]  # fmt: skip
    assert "+a = 3" in integration.read_left(attempt.folder)
    assert [one["said"] for one in agents.list_refuted(desk.store.database, "s1")] == ["I did it."]


def test_a_program_of_the_machine_that_is_not_there_is_nobodys_failure(desk_of):
    desk = desk_of("karma --version => exit 0")
    with pytest.raises(RunHalted, match="t1 needs karma, which is not installed"):
        desk.end(desk.begin(), RIGHT)


def test_an_agent_in_trouble_is_not_merged_however_good_its_files_are(desk):
    attempt = desk.begin()
    settled = desk.end(attempt, RIGHT, AgentOutcome("so far", trouble="limit", detail="out of turns"))  # fmt: skip
    assert (settled.status, settled.reason, desk.merged) == (task.FAILED, "out of turns", False)
    assert "+a = 2" in integration.read_left(attempt.folder)
    assert agents.list_refuted(desk.store.database, "s1") == [], "nothing it said was tried"


def stray(desk, names, **more):
    """What a worker's own tool wrote into the person's checkout."""
    outcome = AgentOutcome("done", **more)
    for name in names:
        desk.shop.write(name, "stray\n")
        outcome.tool_inputs.take("Write", {"file_path": f"{desk.shop.path}/{name}", "content": "stray\n"})
    return outcome


def test_a_write_outside_is_an_error_of_the_task_whatever_else_went_wrong(desk):
    attempt = desk.begin()
    settled = desk.end(attempt, RIGHT, stray(desk, ["b.py"]))
    assert settled.status == task.FAILED
    assert settled.reason.startswith("wrote outside its worktree: b.py. I undid that; a copy is in ")
    other = desk.begin("t2")
    settled = desk.end(other, RIGHT, stray(desk, ["c.py"], trouble="limit", detail="out of turns"))
    assert settled.reason.startswith("wrote outside its worktree: c.py")
    assert desk.news(timeline.NOTE) == [], "it is told of as the worker's, not as somebody's"


def test_what_may_be_the_workers_is_told_with_a_way_back_for_three_files(desk):
    attempt = desk.begin()
    outcome = AgentOutcome("done")
    for number in range(4):
        desk.shop.write(f"new{number}.py", "x\n")
        outcome.tool_inputs.take("Bash", {"command": f"cp x {desk.shop.path}/new{number}.py"})
    assert desk.end(attempt, RIGHT, outcome).status == task.RESOLVED
    told = desk.news(timeline.TRESPASS)
    assert [one["name"] for one in told] == ["new0.py", "new1.py", "new2.py"]
    assert all(one["command"] for one in told)
    assert desk.news(timeline.NOTE) == []


@pytest.mark.parametrize(("count", "shown"), [(3, "n0, n1, n2"), (4, "n0, n1, n2 …")])
def test_what_somebody_else_changed_is_told_once_for_all_workers(desk, count, shown):
    first, second = desk.begin("t1"), desk.begin("t2")
    for number in range(count):
        desk.shop.write(f"n{number}", "mine\n")
    desk.end(first, RIGHT)
    desk.end(second, RIGHT)
    (note,) = desk.news(timeline.NOTE)
    assert note["text"] == f"not overwritten, because they changed in your checkout meanwhile: {shown}"


def test_where_nothing_was_changed_the_criteria_alone_decide(desk):
    settled = desk.end(desk.begin())
    assert settled.status == task.FAILED
    assert settled.reason.startswith(f"{CRITERION}: red")
    desk.end(desk.begin("t2"), RIGHT)
    with desk.store.change("s1") as change:
        tasks.update(change, "t1", status=task.PENDING)
    settled = desk.end(desk.begin())
    assert (settled.status, settled.commit) == (task.RESOLVED, "")
    assert settled.evidence == [f"{CRITERION}: met (#3)"]
    assert desk.news(timeline.MERGED)[-1] == {"subject": "t1", "files": []}


def test_where_nothing_was_changed_a_worker_that_is_blocked_has_not_done_it(desk_of):
    desk = desk_of("true => exit 0")
    settled = desk.end(desk.begin(), outcome=AgentOutcome("BLOCKED: no key for the server"))
    assert settled.status == task.FAILED
    assert settled.reason == "the worker reports that it is blocked: no key for the server"


def test_a_conflict_goes_back_with_both_sides(desk_of):
    desk = desk_of("true => exit 0")
    first, second = desk.begin("t1"), desk.begin("t2")
    desk.write(second, {"a.py": "a = 'two'\n"})
    desk.end(first, {"a.py": "a = 'one'\n"})
    settled = desk.integration.integrate(second, SAID)
    assert settled.status == task.FAILED
    assert settled.reason.startswith("a.py: t1 and this task both changed it")
    assert desk.told[-1] == (timeline.CONFLICT, {"subject": "t2", "files": ["a.py"]})
    assert "a = 'two'" in integration.read_left(second.folder)


def test_one_that_was_merged_before_a_crash_is_not_checked_again(desk):
    attempt = desk.begin()
    commit = desk.write(attempt, RIGHT).collect("Do t1")
    merged = MergeQueue(desk.run.repository, lambda *_: (True, "")).merge("t1", commit)
    settled = desk.integration.integrate(attempt, SAID)
    assert (settled.status, settled.commit) == (task.RESOLVED, merged.commit)
    assert settled.evidence == ["merged, and its criteria are met"]


@pytest.mark.parametrize("how", ["skipped", "claimed by another", "cancelled"])
def test_what_nobody_wants_any_more_is_kept_and_not_taken_in(desk, how):
    attempt = desk.begin()
    with desk.store.change("s1") as change:
        if how == "skipped":
            tasks.update(change, "t1", status=task.SKIPPED, reason="not needed")
        elif how == "claimed by another":
            tasks.update(change, "t1", status=task.PENDING)
            tasks.claim(change, "someone", "t1")
    desk.run.orders.cancelled = how == "cancelled"
    settled = desk.end(attempt, RIGHT)
    assert (settled.status, desk.merged) == (task.PENDING, False)
    why = "the run was cancelled" if how == "cancelled" else "another process marked it as "
    (told,) = desk.news(timeline.KEPT)
    assert told["why"].startswith(why)
    assert settled.reason == f"{told['why']}; its work is kept as {told['ref']}"
    assert told["why"].endswith("before its result was merged")
    assert desk.shop.git("show", f"{told['ref']}:a.py") == "a = 2"


@pytest.mark.parametrize(
    ("tried", "iteration", "pipeline", "kind"),
    [
        (0, 5, {}, timeline.SENT_BACK),
        (2, 4, {}, timeline.SENT_BACK),
        (2, 5, {}, timeline.FAILED),
        (2, 4, {"stage": 1}, timeline.FAILED),
    ],
    ids=["a try is left", "a round is left", "nothing is left", "a pipeline has no rounds"],
)
def test_it_goes_back_only_where_a_try_or_a_round_is_left(desk, tried, iteration, pipeline, kind):
    with desk.store.change("s1") as change:
        tasks.update(change, "t1", retry_count=tried)
    desk.session.iteration, desk.session.state.pipeline = iteration, pipeline
    integration.tell_failure(desk.run, "t1", "red")
    assert desk.told == [(kind, {"subject": "t1", "why": "red", "said": ""})]


def test_whether_a_result_is_wanted_is_asked_once_a_second_at_most(desk):
    asked = []
    check = ResultCheck(desk.store, desk.shop.environ, "s1", lambda: asked.append(1))
    for _ in range(50):
        check._tick()
    assert len(asked) == 1
    ResultCheck(desk.store, desk.shop.environ, "s1")._tick()

    def call_off():
        raise CalledOff("no")

    check = ResultCheck(desk.store, desk.shop.environ, "s1", call_off)
    with pytest.raises(CalledOff):
        check._tick()


def test_of_a_worktree_without_changes_nothing_is_left(desk):
    attempt = desk.begin()
    integration.write_left(desk.write(attempt, {}), attempt.folder)
    assert integration.read_left(attempt.folder) == ""
    assert not os.path.exists(f"{attempt.folder}/left.txt")


def test_merged_results_are_checked_out_once_for_each_state(desk):
    desk.end(desk.begin(), RIGHT)
    found = integration.check_out_results(desk.run, integration.CHECKED)
    assert Path(found.path, "a.py").read_text() == "a = 2\n"
    assert found.name == f"checked-{desk.run.repository.head()[:12]}"


def test_settings_that_a_worker_broke_are_its_own_failure(desk):
    settled = desk.end(desk.begin(), {**RIGHT, "ultrawork.toml": "x = =\n"})
    assert settled.status == task.FAILED
    assert settled.reason.startswith("ultrawork.toml is not valid TOML")
    assert not desk.merged


def test_ground_that_was_lost_meanwhile_is_held_against_nobody(desk):
    attempt = desk.begin()
    os.remove(f"{desk.run.folder}/engine.lock")
    with desk.store.change("s1") as change:
        change.database.rows("DELETE FROM tasks WHERE id='t1'")
    with pytest.raises(RunHalted, match="no longer exists"):
        desk.end(attempt, RIGHT)

"""Attempts: claimed and finished with their task, recorded once, fenced, and what they cost."""

import os
import signal

import pytest

from ultrawork.core.errors import Conflict, UsageError
from ultrawork.core.plan.task import FAILED, IN_PROGRESS, PENDING, RESOLVED
from ultrawork.core.run.rate_limits import Rate
from ultrawork.store import attempts, controls, tasks
from ultrawork.store import database as store_change
from ultrawork.store.attempts import AttemptEnd
from ultrawork.store.database import Transaction
from ultrawork.store.deferred_store import DeferredStore


@pytest.fixture
def claim(store, begin):
    begin("s", plan=["t1", "t2"])

    def claim(subject="t1", *, is_task=True, **more):
        with store.change("s") as change:
            return attempts.claim(
                change, subject, "worker", folder="/a", backend="claude", is_task=is_task, **more
            ).epoch

    return claim


@pytest.fixture
def finish(store):
    def finish(epoch, end, subject="t1", *, is_task=True):
        with store.change("s") as change:
            return attempts.finish(change, subject, epoch, end, is_task=is_task)

    return finish


def task(store, name="t1"):
    return tasks.get(store.database, "s", name)


def row(store, epoch, subject="t1"):
    rows = attempts.list_of_subject(store.database, "s", subject)
    return next(one for one in rows if one.epoch == epoch)


def test_a_claim_takes_the_task_and_opens_an_attempt(store, claim):
    epoch = claim()
    assert (task(store).status, task(store).token) == (IN_PROGRESS, epoch)
    found = row(store, epoch)
    assert (found.state, found.folder, found.ended_at) == ("running", f"/a/t1.{epoch}", None)


def test_a_task_that_is_held_is_not_claimed_twice(store, claim):
    claim()
    with pytest.raises(Conflict):
        claim()
    assert len(attempts.list_all(store.database, "s")) == 1


def test_what_is_no_task_has_epochs_of_its_own(store, claim, finish):
    assert claim("exp-1", is_task=False) == 1
    finish(1, AttemptEnd(FAILED), "exp-1", is_task=False)
    assert claim("exp-1", is_task=False) == 2
    assert claim("exp-2", is_task=False) == 1


def test_what_is_no_task_has_as_many_tries_as_one(store, claim, finish):
    ends = [finish(claim("plan", is_task=False), AttemptEnd(FAILED), "plan", is_task=False) for _ in range(3)]
    assert ends == [PENDING, PENDING, FAILED]
    finish(claim("plan", is_task=False), AttemptEnd(RESOLVED), "plan", is_task=False)
    again = [finish(claim("plan", is_task=False), AttemptEnd(FAILED), "plan", is_task=False) for _ in range(3)]
    assert again == ends, "the next plan has its own tries"


def test_losses_are_counted_until_one_was_not_lost(store, claim, finish):
    gone = AttemptEnd(PENDING, state=attempts.LOST)
    for end in (gone, AttemptEnd(FAILED, "red"), gone, gone):
        finish(claim(), end)
    assert attempts.count_losses(store.database, "s", "t1") == 2


def test_an_end_resolves_the_task_with_its_evidence(store, claim, finish):
    end = AttemptEnd(RESOLVED, evidence=["make test: 3 passed"], tokens=7, cost_usd=0.5, code=0)
    assert finish(claim(), end) == RESOLVED
    assert task(store).evidence == ["make test: 3 passed"]
    found = row(store, 1)
    assert (found.state, found.tokens, found.cost_usd) == ("ended", 7, 0.5)


def test_an_end_is_recorded_once(store, claim, finish):
    epoch = claim()
    assert finish(epoch, AttemptEnd(RESOLVED, evidence=["ran"])) == RESOLVED
    assert finish(epoch, AttemptEnd(FAILED, "late")) == ""
    assert task(store).status == RESOLVED


def test_a_failed_attempt_goes_back_with_its_reason_while_tries_are_left(store, claim, finish):
    for tried in (1, 2):
        assert finish(claim(), AttemptEnd(FAILED, f"red {tried}")) == PENDING
        assert (task(store).retry_count, task(store).reason) == (tried, f"red {tried}")
    assert finish(claim(), AttemptEnd(FAILED, "red 3")) == FAILED
    assert task(store).attempts == 3


def test_what_was_lost_counts_as_no_attempt_but_gets_a_new_epoch(store, claim, finish):
    first = claim()
    gone = AttemptEnd(PENDING, "its process was killed", state=attempts.LOST)
    assert finish(first, gone) == PENDING
    assert (task(store).attempts, task(store).retry_count) == (0, 0)
    assert claim() == first + 1


def test_a_late_end_leaves_a_task_alone_that_others_hold_by_now(store, claim, finish):
    epoch = claim()
    with store.change("s") as change:
        tasks.update(change, "t1", status=PENDING)
        tasks.claim(change, "someone", "t1")
    assert finish(epoch, AttemptEnd(RESOLVED, evidence=["ran"])) == IN_PROGRESS
    assert task(store).owner == "someone"
    assert row(store, epoch).state == "ended"


def test_evidence_that_shows_nothing_fails_the_attempt(store, claim, finish):
    assert finish(claim(), AttemptEnd(RESOLVED, evidence=["should work"])) == PENDING
    assert "should work" in task(store).reason


def test_money_is_reserved_while_it_runs_and_settled_after(store, claim, finish):
    epoch = claim(reserved_usd=2.0, reserved_tokens=100)
    before = attempts.sum_spent(store.database, "s", store.now())
    assert (before.agents, before.usd, before.tokens) == (1, 2.0, 100)
    finish(epoch, AttemptEnd(RESOLVED, evidence=["ran"], cost_usd=0.25, tokens=10))
    after = attempts.sum_spent(store.database, "s", row(store, epoch).claimed_at + 90)
    assert (after.agents, after.usd, after.tokens, after.minutes) == (1, 0.25, 10, 1.5)


def test_agents_at_work_are_counted_over_all_sessions(store, begin, claim, finish):
    begin("other", plan=["t1"])
    epoch = claim()
    with store.change("other") as change:
        attempts.claim(change, "t1", "worker", folder="/b", backend="claude", is_task=True)
    assert len(attempts.list_open_folders(store.database, "claude")) == 2
    finish(epoch, AttemptEnd(RESOLVED, evidence=["ran"]))
    assert len(attempts.list_open_folders(store.database, "claude")) == 1
    assert attempts.list_open_folders(store.database, "codex") == []


def test_controls_are_done_once_in_the_order_they_were_asked(store, claim):
    with store.change("s") as change:
        controls.ask(change, controls.PRIORITY, "t2", "5")
        controls.ask(change, controls.PAUSE)
    first, second = controls.list_waiting(store.database, "s")
    assert (first.kind, first.subject, first.value) == ("priority", "t2", "5")
    with store.change("s") as change:
        controls.mark_done(change, first.id)
    assert [one.id for one in controls.list_waiting(store.database, "s")] == [second.id]


def test_an_unknown_control_is_refused_with_those_that_are_known(store, claim):
    with store.change("s") as change, pytest.raises(UsageError, match="cannot be asked to dance"):
        controls.ask(change, "dance")


def test_a_providers_starts_are_shared(store, claim):
    with Transaction(store.database) as database:
        rate = Rate(60, burst=1)
        assert attempts.claim_start(database, "claude", rate, 100.0) == 0
        assert attempts.claim_start(database, "claude", rate, 100.0) == pytest.approx(1.0)
        assert attempts.claim_start(database, "codex", rate, 100.0) == 0


def test_a_blocked_provider_is_not_asked_before_its_time(store, claim):
    with Transaction(store.database) as database:
        attempts.block_provider(database, "claude", 130.0, 100.0)
        attempts.block_provider(database, "claude", 120.0, 100.0)
        assert attempts.claim_start(database, "claude", Rate(), 110.0) == 20.0
        assert attempts.claim_start(database, "claude", Rate(), 131.0) == 0


def lazily(home):
    return DeferredStore(home, actor="engine", clock=lambda: 2_000_000.0)


def claim_lazily(lazy):
    with lazy.change("s") as change:
        attempts.claim(change, "t1", "worker", folder="/a", backend="claude", is_task=True)


def test_views_are_written_beside_everything_else(home, begin, store):
    begin("s", plan=["t1"])
    lazy = lazily(home)
    claim_lazily(lazy)
    lazy.flush_soon()
    lazy.flush()
    assert '"in_progress"' in read(f"{home.sessions}/s/tasks/t1.json")
    lazy.database.close()


def test_views_of_one_that_was_killed_are_caught_up_by_the_next(home, begin, store):
    begin("s", plan=["t1"])
    child = os.fork()
    if child == 0:
        claim_lazily(lazily(home))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    lazy = lazily(home)
    lazy.catch_up("s")
    lazy.flush()
    assert '"in_progress"' in read(f"{home.sessions}/s/tasks/t1.json")
    lazy.catch_up("s")
    assert lazy._touched == {}, "there is nothing to catch up with any more"
    lazy.database.close()


def test_many_events_are_one_chain(store, begin):
    begin("s", plan=["t1", "t2"])
    with store.change("s", many=True) as change:
        for subject in ("t1", "t2"):
            attempts.claim(change, subject, "worker", folder="/a", backend="claude", is_task=True)
    assert store_change.find_broken_links(store.database, "s") == []
    kinds = [kind for (kind,) in store.database.rows("SELECT kind FROM events ORDER BY id")]
    assert kinds[-2:] == ["task.claimed", "task.claimed"]


def test_many_events_come_true_with_their_change_or_not_at_all(store, begin):
    begin("s", plan=["t1"])
    before = store.database.value("SELECT count(*) FROM events")

    def twice():
        with store.change("s", many=True) as change:
            for _ in range(2):
                attempts.claim(change, "t1", "worker", folder="/a", backend="claude", is_task=True)

    with pytest.raises(Conflict):
        twice()
    assert store.database.value("SELECT count(*) FROM events") == before
    assert tasks.get(store.database, "s", "t1").status == PENDING


def test_views_wait_until_they_are_asked_for(home, begin, store):
    begin("s", plan=["t1"])
    lazy = lazily(home)
    path = f"{home.sessions}/s/tasks/t1.json"
    claim_lazily(lazy)
    assert '"in_progress"' not in read(path)
    lazy.flush()
    assert '"in_progress"' in read(path)
    lazy.database.close()


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


@pytest.mark.parametrize("ended_at", [None, 5.0])
def test_an_end_is_when_the_agent_ended_and_else_when_it_was_heard(store, claim, finish, ended_at):
    epoch = claim()
    finish(epoch, AttemptEnd(RESOLVED, ended_at=ended_at))
    found = row(store, epoch).ended_at
    assert found == 5.0 if ended_at else found > 5.0


def test_before_any_attempt_nothing_is_spent_not_even_time(store, begin):
    begin("s", plan=["t1"])
    spent = attempts.sum_spent(store.database, "s", store.now())
    assert (spent.agents, spent.tokens, spent.usd, spent.minutes) == (0, 0, 0, 0.0)


def test_an_end_that_tells_of_nothing_costs_nothing(store, claim, finish):
    epoch = claim()
    finish(epoch, AttemptEnd(FAILED))
    found = row(store, epoch)
    assert (found.tokens, found.cost_usd, found.result, found.why) == (0, None, "", "")


def test_an_attempt_of_which_nothing_is_reserved_holds_nothing_back(store, claim):
    claim()
    spent = attempts.sum_spent(store.database, "s", store.now())
    assert (spent.agents, spent.tokens, spent.usd) == (1, 0, 0.0)


def test_no_word_of_a_provider_blocks_it_for_longer_than_a_week_and_a_day(store, claim):
    with Transaction(store.database) as database:
        attempts.block_provider(database, "claude", 1e12, 100.0)
    assert attempts.list_providers(store.database) == [("claude", 100.0 + 8 * 24 * 3600)]


def test_where_all_were_lost_all_are_counted(store, claim, finish):
    for _ in range(2):
        finish(claim(), AttemptEnd(PENDING, state=attempts.LOST))
    assert attempts.count_losses(store.database, "s", "t1") == 2


def test_those_at_work_are_listed_in_the_order_of_their_claims(store, claim, finish):
    finish(claim("x", is_task=False), AttemptEnd(RESOLVED), "x", is_task=False)
    claim("t2")
    claim("t1")
    assert [one.subject for one in attempts.list_running(store.database, "s")] == ["t2", "t1"]


def test_of_an_account_its_own_attempts_are_open_and_those_that_anybody_may_take(store, claim):
    claim("a", is_task=False, account="work")
    claim("b", is_task=False, account="home")
    claim("c", is_task=False)
    assert attempts.list_open_folders(store.database, "claude", "work") == ["/a/a.1", "/a/c.1"]
    assert len(attempts.list_open_folders(store.database, "claude")) == 3


def test_what_each_program_used_is_told_and_what_nobody_priced(store, claim, finish):
    ends = {"a": {"tokens": 5, "cost_usd": 0.5}, "b": {"tokens": 7}, "c": {}}
    for subject, used in ends.items():
        finish(claim(subject, is_task=False), AttemptEnd(RESOLVED, **used), subject, is_task=False)  # fmt: skip
    assert attempts.sum_by_backend(store.database, "s") == [("claude", 3, 12, 0.5)]
    assert attempts.count_unpriced(store.database, "s") == 1


@pytest.mark.parametrize(
    ("end", "estimated"),
    [({"cost_usd": 0.5, "code": 0}, False), ({"cost_usd": 0.5, "code": 143}, True), ({"code": 1}, False)],
)
def test_a_cost_is_the_programs_own_only_where_it_came_to_a_regular_end(store, claim, finish, end, estimated):
    finish(claim("a", is_task=False), AttemptEnd(FAILED, **end), "a", is_task=False)
    assert attempts.has_estimates(store.database, "s") is estimated


def test_who_has_to_wait_takes_no_start(store, claim):
    rate = Rate(60, burst=1)
    with Transaction(store.database) as database:
        attempts.claim_start(database, "claude", rate, 100.0)
        waits = [attempts.claim_start(database, "claude", rate, 100.0) for _ in range(2)]
    assert waits == pytest.approx([1.0, 1.0])
    assert attempts.find_wait(store.database, "claude", rate, 100.25) == pytest.approx(0.75)


def test_of_a_provider_without_a_limit_nothing_is_kept(store, claim):
    with Transaction(store.database) as database:
        assert attempts.claim_start(database, "claude", Rate(), 100.0) == 0
    assert attempts.list_providers(store.database) == []

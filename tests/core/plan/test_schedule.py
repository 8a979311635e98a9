"""What may start next: order, limits, waves; and the same answers as looking at the whole plan each time."""

import random

from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core.plan import graph
from ultrawork.core.plan.schedule import Schedule
from ultrawork.core.plan.task import FAILED, IN_PROGRESS, PENDING, RESOLVED, SKIPPED, VERIFY, Task

DIAMOND = {"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]}


def task(name, *needs, **more):
    return Task(id=name, subject=name, blocked_by=list(needs), **more)


def run_all(schedule, slots=None):
    """Starts and resolves until nothing is left; gives the rounds."""
    rounds = []
    while found := schedule.ready(slots):
        rounds.append(found)
        for name in found:
            schedule.started(name)
        for name in found:
            schedule.resolved(name)
    return rounds


def test_a_task_starts_when_all_it_needs_is_resolved():
    assert run_all(Schedule(DIAMOND)) == [["a"], ["b", "c"], ["d"]]


def test_what_the_longest_chain_waits_for_comes_first():
    needs = {"lone": [], "short": [], "after": ["short"], "long": [], "x": ["long"], "y": ["x"]}
    assert Schedule(needs).ready(3) == ["long", "short", "lone"]


def test_a_heavier_task_makes_its_chain_longer():
    needs = {"many": [], "few": [], "next": ["many"]}
    assert Schedule(needs, weights={"few": 5.0}).ready(1) == ["few"]


def test_equal_tasks_keep_the_order_of_the_plan():
    assert Schedule({"c": [], "a": [], "b": []}).ready() == ["c", "a", "b"]


def test_asking_twice_gives_the_same_until_something_starts():
    schedule = Schedule({"a": [], "b": []})
    assert schedule.ready(1) == schedule.ready(1) == ["a"]
    schedule.started("a")
    assert schedule.ready(1) == ["b"]
    assert schedule.ready(0) == []


def test_a_person_may_prefer_a_task():
    schedule = Schedule({"long": [], "x": ["long"], "small": []})
    schedule.prefer("small", 1)
    assert schedule.ready() == ["small", "long"]
    schedule.prefer("small", -1)
    assert schedule.ready() == ["long", "small"]


def test_what_failed_holds_up_only_what_waits_for_it():
    schedule = Schedule({"a": [], "b": ["a"], "c": []})
    for name in ("a", "c"):
        schedule.started(name)
    schedule.failed("a")
    schedule.resolved("c")
    assert schedule.ready() == []
    assert schedule.stuck


def test_what_returns_is_offered_once_more():
    schedule = Schedule({"a": [], "b": ["a"]})
    schedule.started("a")
    schedule.returned("a")
    schedule.returned("a")
    assert schedule.ready() == ["a"]
    schedule.started("a")
    schedule.failed("a")
    schedule.returned("a")
    assert run_all(schedule) == [["a"], ["b"]]


def test_an_end_that_is_told_twice_counts_once():
    schedule = Schedule({"a": [], "b": [], "c": ["a", "b"]})
    schedule.resolved("a")
    schedule.resolved("a")
    assert schedule.ready() == ["b"]


def test_a_need_that_is_named_twice_is_one_need():
    assert run_all(Schedule({"a": [], "b": ["a", "a"]})) == [["a"], ["b"]]


def test_a_barrier_lets_a_wave_end_before_the_next_begins():
    needs = {"a": [], "b": [], "x": ["a"]}
    schedule = Schedule(needs, barrier=True)
    schedule.started("a")
    assert schedule.ready() == ["b"], "the same wave goes on"
    schedule.started("b")
    schedule.resolved("a")
    assert schedule.ready() == []
    schedule.resolved("b")
    assert schedule.ready() == ["x"]


def test_a_barrier_offers_one_wave_at_a_time():
    needs = {"a": [], "b": [], "x": ["a"]}
    status = {"a": RESOLVED}
    assert Schedule(needs, status=status, barrier=True).ready() == ["b"]
    assert Schedule(needs, status=status).ready() == ["b", "x"]


def test_a_plan_that_was_begun_is_taken_up():
    plan = [
        task("a", status=RESOLVED),
        task("b", "a", status=IN_PROGRESS),
        task("c", "a"),
        task("d", "b"),
        task("e", status=SKIPPED),
        task("f", "e"),
        task(VERIFY, "a"),
    ]
    schedule = Schedule.of(plan)
    assert schedule.running == {"b"}
    assert schedule.ready() == ["c"]
    schedule.resolved("b")
    assert schedule.ready() == ["c", "d"]


@st.composite
def plans(draw):
    size = draw(st.integers(0, 14))
    names = [f"t{n}" for n in range(size)]
    needs = {
        name: draw(st.lists(st.sampled_from(names[:n]), unique=True, max_size=4)) if n else []
        for n, name in enumerate(names)
    }
    return {name: needs[name] for name in draw(st.permutations(names))}


ENDS = (RESOLVED, FAILED, PENDING)


@given(plans(), st.randoms(use_true_random=False), st.integers(1, 4))
def test_step_by_step_agrees_with_looking_at_the_whole_plan(needs, dice, slots):
    schedule = Schedule(needs)
    status = dict.fromkeys(needs, PENDING)
    for _ in range(3 * len(needs)):
        done = {name for name in needs if status[name] == RESOLVED}
        free = [name for name in needs if done.issuperset(needs[name])]
        wanted = [name for name in free if status[name] == PENDING]
        assert sorted(schedule.ready()) == sorted(wanted)
        assert schedule.ready() == Schedule(needs, status=status).ready()
        assert schedule.ready(slots) == schedule.ready()[:slots]
        move(schedule, status, dice, wanted)


def move(schedule, status, dice: random.Random, wanted):
    running = sorted(schedule.running)
    if wanted and (not running or dice.random() < 0.5):
        name = dice.choice(wanted)
        schedule.started(name)
        status[name] = IN_PROGRESS
    elif running:
        name, end = dice.choice(running), dice.choice(ENDS)
        tell = {RESOLVED: schedule.resolved, FAILED: schedule.failed}
        tell.get(end, schedule.returned)(name)
        status[name] = end


@given(plans())
def test_with_a_worker_for_everything_waves_are_the_levels_of_the_plan(needs):
    rounds = run_all(Schedule(needs, barrier=True))
    assert [sorted(found) for found in rounds] == [sorted(wave) for wave in graph.list_waves(needs)]


def test_every_task_of_a_large_plan_is_offered_once():
    dice = random.Random(7)
    needs = {str(n): [str(m) for m in dice.sample(range(max(0, n - 20), n), min(n, 3))] for n in range(2000)}
    started = [name for found in run_all(Schedule(needs), 10) for name in found]
    assert sorted(started) == sorted(needs)

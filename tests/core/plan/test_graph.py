"""Plans as graphs, over random ones."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.effort import amount
from ultrawork.core.errors import UsageError
from ultrawork.core.plan import graph


@st.composite
def plans(draw, least=0):
    """Plans without a cycle: a task waits only for tasks that were drawn before it, in any order of writing."""
    size = draw(st.integers(least, amount(8, 12)))
    needs = {
        f"t{n}": draw(st.lists(st.sampled_from([f"t{m}" for m in range(n)]), unique=True)) if n else []
        for n in range(size)
    }
    return {task: needs[task] for task in draw(st.permutations(list(needs)))}


@st.composite
def circles(draw):
    """A plan with a chain of its tasks closed to a circle."""
    needs = draw(plans(least=2))
    ring = draw(st.lists(st.sampled_from(sorted(needs)), min_size=2, max_size=len(needs), unique=True))
    for task, other in zip(ring, [*ring[1:], ring[0]], strict=True):
        needs[task] = [*needs[task], other] if other not in needs[task] else needs[task]
    return needs


@given(plans())
def test_a_plan_without_a_circle_is_accepted(needs):
    graph.check(needs)
    assert graph.find_cycle(needs) == []


@given(circles())
def test_a_circle_is_found_with_a_true_path(needs):
    path = graph.find_cycle(needs)
    assert path[0] == path[-1]
    assert len(set(path)) == len(path) - 1 >= 2
    assert all(other in needs[task] for task, other in itertools.pairwise(path))


@given(circles())
def test_a_circle_is_refused_with_its_path(needs):
    with pytest.raises(UsageError, match=r"in a circle: .* -> "):
        graph.check(needs)


def test_a_task_that_waits_for_itself_is_refused():
    with pytest.raises(UsageError, match="task a waits for itself"):
        graph.check({"a": ["a"]})


def test_a_task_that_waits_for_nobody_known_is_refused():
    with pytest.raises(UsageError, match='task a waits for "nobody", which is not in the plan'):
        graph.check({"a": ["nobody"]})


@given(plans())
def test_waves_hold_each_task_once_and_after_all_it_needs(needs):
    waves = graph.list_waves(needs)
    round_of = {task: number for number, wave in enumerate(waves) for task in wave}
    assert sorted(round_of) == sorted(needs)
    assert sum(len(wave) for wave in waves) == len(needs)
    assert all(round_of[other] < round_of[task] for task in needs for other in needs[task])


@given(plans())
def test_no_task_could_run_in_an_earlier_wave(needs):
    waves = graph.list_waves(needs)
    for earlier, wave in itertools.pairwise(waves):
        assert all(set(needs[task]) & set(earlier) for task in wave)


@given(plans())
def test_the_critical_path_is_a_chain_as_long_as_there_are_waves(needs):
    path = graph.find_critical_path(needs)
    assert len(path) == len(graph.list_waves(needs))
    assert all(task in needs[later] for task, later in itertools.pairwise(path))


@given(plans())
def test_working_off_what_is_ready_finishes_the_plan_in_as_many_rounds_as_waves(needs):
    done = set()
    rounds = 0
    while ready := [one for one in needs if one not in done and done.issuperset(needs[one])]:
        done.update(ready)
        rounds += 1
    assert done == set(needs)
    assert rounds == len(graph.list_waves(needs))


@given(plans())
def test_followers_are_the_plan_turned_round(needs):
    after = graph.list_followers(needs)
    assert {(task, other) for task in needs for other in needs[task]} == {
        (task, other) for other in after for task in after[other]
    }


def test_a_chain_of_ten_thousand_is_no_trouble():
    chain = {str(n): [str(n - 1)] if n else [] for n in range(10_000)}
    graph.check(chain)
    assert len(graph.find_critical_path(chain)) == 10_000


def test_a_circle_of_ten_thousand_is_found():
    ring = {str(n): [str((n + 1) % 10_000)] for n in range(10_000)}
    assert len(graph.find_cycle(ring)) == 10_001


def test_a_long_circle_is_drawn_in_short():
    ring = {str(n): [str((n + 1) % 5000)] for n in range(5000)}
    with pytest.raises(UsageError, match=r"0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> … -> 0$"):
        graph.check(ring)


@pytest.mark.parametrize(("size", "names"), [(9, 10), (10, 9)])
def test_a_long_circle_is_drawn_short(size, names):
    """Up to ten names are shown whole, of more the first eight and the last."""
    needs = {f"t{number}": [f"t{(number + 1) % size}"] for number in range(size)}
    with pytest.raises(UsageError) as refused:
        graph.check(needs)
    drawn = str(refused.value).partition("circle: ")[2].split(" -> ")
    assert len([name for name in drawn if name != "…"]) == names

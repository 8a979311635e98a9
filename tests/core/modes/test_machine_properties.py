"""Whatever happens to a mode, it stays on its table, keeps to its limits and comes to an end."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.effort import amount
from ultrawork.core.errors import Conflict
from ultrawork.core.modes import modes, tables

NOW = 1_000_000.0
PHASES = sorted({phase for mode in modes.ALL for phase in tables.find(mode).moves})
FACTS = {
    "proved": st.booleans(),
    "spec_path": st.sampled_from(["", "s.md"]),
    "plan_path": st.sampled_from(["", "p.md"]),
    "prd_path": st.sampled_from([None, "prd.json"]),
    "tasks_total": st.sampled_from([0, 1, 2, None, "2", True, -1, 2.5]),
    "tasks_completed": st.sampled_from([0, 1, 2, None]),
    "verdicts": st.dictionaries(
        st.sampled_from(["functional", "security", "quality"]), st.sampled_from(["APPROVED", "REJECTED", "NEEDS_FIX"])
    ),
    "preserve_for_resume": st.booleans(),
}
EVENTS = st.one_of(
    st.tuples(st.just("move"), st.sampled_from(PHASES)),
    st.tuples(st.just("count"), st.integers(0, 4)),
    st.tuples(st.just("take up"), st.none()),
    st.sampled_from(sorted(FACTS)).flatmap(lambda key: st.tuples(st.just("fact"), st.tuples(st.just(key), FACTS[key]))),
)


def happen(progress, what, value, now):
    limits = list(progress.limits)
    if what == "move":
        tables.move(progress, value, now)
    elif what == "take up":
        if tables.find_resume_state(progress, now, active=progress.active) != tables.ENDED:
            tables.take_up(progress, now)
    elif what == "fact":
        progress.facts[value[0]] = value[1]
    elif value < len(limits):
        tables.spend(progress, limits[value], now)


@settings(max_examples=amount(50, 150))
@given(st.sampled_from(modes.ALL), st.lists(EVENTS, max_size=60))
def test_no_sequence_of_events_leaves_the_table_or_the_limits(mode, events):
    machine = tables.find(mode)
    progress = tables.begin(mode, NOW)
    for step, (what, value) in enumerate(events):
        before = progress.document()
        try:
            happen(progress, what, value, NOW + step)
        except Conflict:
            assert progress.document() == before, "a refused step leaves everything as it was"
        way = [phase for phase, _ in progress.history]
        assert way[0] == machine.begins
        assert way[-1] == progress.phase
        assert all(later in machine.moves[one] for one, later in pairwise(way))
        assert all(0 <= progress.counts[name] <= most for name, most in progress.limits.items())
        if progress.phase in (*machine.ends, tables.CANCELLED):
            assert not progress.active
        if what == "move" and progress.phase == "complete" != before["phase"]:
            assert progress.facts["proved"] is True
        assert tables.ModeProgress.read(progress.document()).document() == progress.document()


def granted(progress):
    progress.facts.update(
        proved=True, spec_path="s", plan_path="p", tasks_total=1, tasks_completed=1,
        verdicts=dict.fromkeys(("functional", "security", "quality"), "APPROVED"),
    )  # fmt: skip


@settings(max_examples=amount(60, 200))
@given(st.sampled_from(modes.ALL), st.data())
def test_every_loop_ends_within_its_bound_whatever_is_granted(mode, data):
    """Nobody cancels or takes up, every guard is content: only the limits stand in the way."""
    machine = tables.find(mode)
    progress = tables.begin(mode, NOW)
    counted = sum(machine.limits[name] for name in set(machine.entering.values()))
    bound = (counted + 1) * len(machine.moves)
    for _ in range(bound + 1):
        legal = set(machine.moves[progress.phase]) - {*machine.ends, tables.CANCELLED}
        if not _moved(progress, data.draw(st.permutations(sorted(legal)))):
            break
    else:
        raise AssertionError(f"{mode} still moves after {bound} steps: {progress.history}")
    assert tables.move(progress, "failed", NOW).phase == "failed"


def _moved(progress, targets):
    """Whether one of them could be reached; the first that could is."""
    for target in targets:
        granted(progress)
        try:
            tables.move(progress, target, NOW)
        except Conflict:
            continue
        return True
    return False


@pytest.mark.parametrize("mode", modes.ALL)
def test_a_circle_always_passes_a_phase_that_is_counted(mode):
    machine = tables.find(mode)
    free = {
        phase: [one for one in legal if one not in machine.entering]
        for phase, legal in machine.moves.items()
        if phase not in (*machine.entering, tables.CANCELLED)
    }
    while any(not legal for legal in free.values()):
        gone = {phase for phase, legal in free.items() if not legal}
        free = {
            phase: [one for one in legal if one in free and one not in gone]
            for phase, legal in free.items()
            if phase not in gone
        }
    assert free == {}, "a circle that nothing counts"


@pytest.mark.parametrize("mode", modes.ALL)
def test_every_phase_can_be_given_up_and_the_end_can_be_reached(mode):
    machine = tables.find(mode)
    working = [one for one in machine.moves if one not in (*machine.ends, tables.CANCELLED)]
    assert [one for one in working if "failed" not in machine.moves[one]] == []
    seen, queue = set(), [machine.begins]
    while queue:
        phase = queue.pop()
        seen.add(phase)
        queue += [one for one in machine.moves[phase] if one not in seen]
    assert seen == set(machine.moves)

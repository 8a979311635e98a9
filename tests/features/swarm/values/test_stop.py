"""Decisions at the stops of a swarm: a table of cases, and what holds for all of them."""

import random

import pytest

from ultrawork.core.stop import rules as stop_rules
from ultrawork.features.swarm.values import tasks as rules
from ultrawork.features.swarm.values import wording as words
from ultrawork.features.swarm.values.stop import MOST_IDLE, SEND, SwarmFacts, decide_leader_stop, decide_worker_stop

SETTLED = {"total": 3, "done": 3}


@pytest.mark.parametrize(
    ("facts", "rule", "action"),
    [
        ({}, "swarm-empty", SEND),
        ({"row": 2}, "swarm-empty", stop_rules.LET_GO),
        ({"total": 3, "open": 2, "held": 1}, "swarm-at-work", stop_rules.SILENT),
        ({"total": 3, "open": 3}, "swarm-open", SEND),
        ({"total": 3, "open": 3, "row": 2}, "swarm-open", stop_rules.LET_GO),
        ({"total": 3, "open": 3, "blocked": "no disk"}, "blocked", stop_rules.LET_GO),
        ({"total": 3, "open": 3, "stopped": True}, "swarm-stopped", stop_rules.LET_GO),
        ({"total": 3, "done": 2, "failed": ["a"]}, "swarm-failed", stop_rules.LET_GO),
        ({"total": 3, "done": 1, "failed": ["a"], "open": 1, "stuck": 1}, "swarm-failed", stop_rules.LET_GO),
        ({"total": 3, "done": 1, "failed": ["a"], "open": 1}, "swarm-open", SEND),
    ],
)
def test_whoever_leads(facts, rule, action):
    decision = decide_leader_stop(SwarmFacts(**facts))
    assert (decision.rule, decision.action) == (rule, action)


@pytest.mark.parametrize(
    ("facts", "rule", "action"),
    [
        ({"total": 3, "handed": "a", "held": 1}, "swarm-next", SEND),
        ({"total": 3, "idle": MOST_IDLE}, "swarm-idle", stop_rules.LET_GO),
        ({"total": 3, "open": 1, "held": 1}, "swarm-over", stop_rules.QUIET_END),
        ({**SETTLED, "led": True}, "swarm-over", stop_rules.QUIET_END),
        ({"total": 3, "open": 1, "stopped": True}, "swarm-stopped", stop_rules.LET_GO),
        ({"total": 3, "open": 1}, "swarm-left", stop_rules.LET_GO),
        ({"total": 3, "done": 2, "failed": ["a"]}, "swarm-failed", stop_rules.LET_GO),
    ],
)
def test_whoever_works(facts, rule, action):
    decision = decide_worker_stop(SwarmFacts(**facts))
    assert (decision.rule, decision.action) == (rule, action)


def test_when_all_is_settled_the_gates_speak():
    assert decide_leader_stop(SwarmFacts(**SETTLED)) is None
    assert decide_worker_stop(SwarmFacts(**SETTLED)) is None


def _some(rng):
    done, failed, free, held = (rng.randint(0, 3) for _ in range(4))
    stuck = rng.randint(0, 3) if failed else 0
    return SwarmFacts(
        total=done + failed + stuck + free + held,
        open=stuck + free,
        ready=rng.randint(0, free),
        stuck=stuck,
        held=held,
        done=done,
        failed=[f"t{n}" for n in range(failed)],
        handed=rng.choice(("", "", "t")),
        idle=rng.randint(0, MOST_IDLE + 1),
        led=rng.random() < 0.5,
        row=rng.randint(0, 3),
        blocked=rng.choice(("", "", "why")),
        stopped=rng.random() < 0.3,
    )


def test_no_swarm_passes_by_itself_and_none_is_sent_back_without_a_bound():
    rng = random.Random(3)
    for _ in range(20_000):
        facts = _some(rng)
        for decision in (decide_leader_stop(facts), decide_worker_stop(facts)):
            if decision is None:
                assert not facts.failed
                assert not facts.open
                continue
            assert decision.action != stop_rules.PASS
        sent = decide_leader_stop(facts)
        assert sent is None or sent.action != SEND or facts.row < facts.repeats
        sent = decide_worker_stop(facts)
        assert sent is None or sent.action != SEND or facts.handed
        assert decide_leader_stop(facts) is not None or not facts.held


def test_a_task_is_given_up_after_the_fifth_failure():
    said = [rules.choose_status(count) for count in range(1, 8)]
    assert said == [rules.OPEN] * 4 + [rules.FAILED] * 3


@pytest.mark.parametrize("path", ["", "/", ".", "..", "a/../b", "/a", "a\0b"])
def test_a_file_lies_within_the_worktree(path):
    with pytest.raises(rules.UsageError):
        rules.parse_path(path)


def test_a_path_has_one_spelling():
    assert rules.parse_path("./src//a.py/") == rules.parse_path("src/a.py") == "src/a.py"


def test_a_description_of_any_length_does_not_push_out_what_decides():
    task = rules.parse_swarm_task({"id": "a", "subject": "x", "description": "ä" * 19_000, "check": "make it"})
    counts = {"total": 1, "done": 0, "claimed": 1, "failed": 0}
    told = words.describe_task(task, counts)
    assert len(told.encode()) < 4000
    assert "(full text: ultrawork swarm status a)\nSUCCESS CRITERIA: make it\n" in told
    assert told.endswith("If you cannot, end with BLOCKED: why.")

"""Decisions at the stops of planned sessions: a table of cases, and what holds for all of them."""

import random

import pytest

from ultrawork.core.course import roles
from ultrawork.core.course.planned_stop import (
    MOST_SENT_BACK,
    RETRY,
    PlannedStopFacts,
    decide_agent_end,
    decide_planned_stop,
)
from ultrawork.core.stop import rules


@pytest.mark.parametrize(
    ("facts", "rule", "action"),
    [
        ({}, "next", rules.NUDGE),
        ({"row": 1, "refusals": 7}, "next", rules.NUDGE),
        ({"row": 2}, "no-progress", rules.LET_GO),
        ({"refusals": 8}, "no-progress", rules.LET_GO),
        ({"row": 2, "repeats": 3}, "next", rules.NUDGE),
        ({"row": 1, "repeats": 1}, "no-progress", rules.LET_GO),
        ({"refusals": 8, "limit": 9}, "next", rules.NUDGE),
        ({"waits": True}, "agents-running", rules.SILENT),
        ({"waits": True, "attended": False, "row": 2}, "agents-running", rules.SILENT),
        ({"plans": True}, "with-the-person", rules.SILENT),
        ({"plans": True, "attended": False}, "next", rules.NUDGE),
        ({"asks": True}, "next", rules.NUDGE),
        ({"asks": True, "row": 1}, "with-the-person", rules.SILENT),
        ({"asks": True, "row": 1, "attended": False}, "next", rules.NUDGE),
        ({"asks": True, "row": 2, "attended": False}, "no-progress", rules.LET_GO),
        ({"retries": True}, RETRY, rules.NUDGE),
        ({"retries": True, "row": 2, "refusals": 8}, RETRY, rules.NUDGE),
    ],
)
def test_a_stop(facts, rule, action):
    decision = decide_planned_stop(PlannedStopFacts("do it", **facts))
    assert (decision.rule, decision.action) == (rule, action)
    assert "do it" in decision.because
    assert (decision.clears == "resume it: ultrawork exec") is (rule == "no-progress")


def test_whatever_the_facts_refusals_are_bounded():
    chance = random.Random(7)
    for _ in range(300):
        limit, repeats = chance.randint(1, 9), chance.randint(1, 4)
        facts = {name: chance.random() < 0.5 for name in ("attended", "waits", "plans", "asks")}
        for count in range(limit + 1):
            known = PlannedStopFacts("s", refusals=count, row=0, limit=limit, repeats=repeats, **facts)  # fmt: skip
            last = decide_planned_stop(known)
        assert last.action in (rules.SILENT, rules.LET_GO)


@pytest.mark.parametrize(("role", "most"), [(roles.PLANNER, 2), (roles.WORKER, 1)])
def test_an_agent_is_sent_back_as_often_as_its_role_may_be(role, most):
    assert MOST_SENT_BACK[role] == most
    decisions = [decide_agent_end(role, "red", count) for count in range(most + 1)]
    assert [one and one.action for one in decisions] == [*[rules.REFUSE] * most, None]
    assert decisions[0].rule == f"{role}-end"

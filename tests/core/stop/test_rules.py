import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core.stop import rules
from ultrawork.core.stop.last_message import judge_claim
from ultrawork.core.verdict.verdict import FAIL, PASS, UNVERIFIED

RED = {"verdict": FAIL, "because": "test fails: test_x"}

# facts → (action, rule); each row is one line of a table of rules.
AT_ONCE = [
    ({}, None),
    ({"trouble": "a marker is gone"}, ("let-go", "state-gone")),
    ({"trouble": "a marker is gone", "plan_mode": True}, ("let-go", "state-gone")),
    ({"plan_mode": True}, ("silent", "plan-mode")),
    ({"plan_mode": True, "agents": 1}, ("silent", "plan-mode")),
    ({"agents": 2}, ("silent", "agents-running")),
]
BEFORE = [
    ({}, None),
    ({"running": ["npm run dev"]}, None),
    ({"aborted": "no room"}, ("let-go", "aborted")),
    ({"other_loop": "/goal"}, ("let-go", "other-loop")),
    ({"other_loop": "/goal", "asks": True}, ("let-go", "other-loop")),
    ({"asks": True}, ("silent", "question")),
    ({"asks": True, "claims": True}, ("silent", "question")),
    ({"asks": True, "claims": True, "claims_checks": True}, None),
    ({"asks": True, "blocked": "which database?"}, None),
    ({"asks": True, "blocked": "which database?", "attended": False}, None),
    ({"asks": True, "attended": False}, ("nudge", "question")),
    ({"asks": True, "attended": False, "shown": ["question"]}, None),
    ({"asks": True, "attended": False, "row": 2}, None),
    ({"asks": True, "attended": False, "refusals": 8}, None),
    ({"later_turn": True, "changed_this_turn": False}, ("silent", "talk")),
    ({"later_turn": True, "changed_this_turn": False, "claims": True}, None),
    ({"later_turn": True, "changed_this_turn": False, "changed": False, "claims": True}, ("refuse", "nothing-done")),
    ({"later_turn": True, "changed_this_turn": False, "blocked": "no key", "checked": True}, ("let-go", "blocked")),
    ({"later_turn": True, "changed_this_turn": True}, None),
    ({"later_turn": False, "changed_this_turn": False}, None),
    ({"blocked": "no key", "checked": True}, ("let-go", "blocked")),
    ({"blocked": "no key"}, None),
    ({"blocked": "no key", "changed": False}, ("let-go", "blocked")),
    ({"blocked": "5 is not 6", "disputed": "test_x", "checked": True}, ("let-go", "blocked")),
    ({"read_only_goal": True, "changed": False}, ("quiet-end", "read-only")),
    ({"read_only_goal": True, "changed": True}, None),
    ({"changed": False}, ("refuse", "nothing-done")),
    ({"changed": False, "shown": ["nothing-done"]}, ("let-go", "nothing-done")),
    ({"changed": False, "refusals": 8}, ("let-go", "nothing-done")),
    ({"changed": False, "doubtful_goal": True}, ("quiet-end", "nothing-done")),
    ({"changed": False, "doubtful_goal": True, "claims_checks": True}, ("let-go", "nothing-done")),
    ({"changed": False, "loop": "ralph"}, ("refuse", "nothing-done")),
    ({"changed": False, "loop": "ultraqa"}, None),
]
AFTER = [
    ({"verdict": PASS}, ("pass", "green")),
    ({"verdict": PASS, "failing": ["test"]}, ("pass", "green")),
    ({"verdict": PASS, "failing": ["test"], "claims_checks": True}, ("nudge", "contradicted")),
    (
        {"verdict": PASS, "failing": ["test"], "claims_checks": True, "shown": ["contradicted"]},
        ("let-go", "contradicted"),
    ),
    ({"verdict": PASS, "failing": ["test"], "shown": ["contradicted"]}, ("pass", "green")),
    (
        {
            "verdict": PASS,
            "failing": ["test"],
            "claims_checks": True,
            "open": rules.OpenWork("lint fails", "fix it", strong=True),
        },
        ("refuse", "open"),
    ),
    ({"verdict": PASS, "weak": ["open-items"]}, ("nudge", "weak")),
    ({"verdict": PASS, "weak": ["open-items"], "shown": ["open-items"]}, ("let-go", "not-proved")),
    ({"verdict": PASS, "blocked": "no key", "checked": True}, ("let-go", "blocked")),
    (RED, ("refuse", "red")),
    ({**RED, "blocked": "no key", "checked": True}, ("let-go", "blocked")),
    ({**RED, "refusals": 8}, ("let-go", "limit")),
    ({**RED, "refusals": 2, "row": 2}, ("let-go", "no-progress")),
    ({**RED, "refusals": 7, "row": 1}, ("refuse", "red")),
    ({**RED, "admits": True}, ("refuse", "red")),
    ({**RED, "admits": True, "refusals": 1}, ("let-go", "admitted")),
    ({**RED, "others": ["a.py"]}, ("refuse", "red")),
    ({**RED, "others": ["a.py"], "refusals": 1}, ("let-go", "others")),
    ({"verdict": UNVERIFIED, "failing": ["a"], "claims_checks": True}, ("nudge", "contradicted")),
    ({"verdict": UNVERIFIED, "failing": ["a"], "claims_checks": True, "weak": ["b"]}, ("nudge", "weak")),
    ({"verdict": UNVERIFIED, "weak": ["not-run:test"]}, ("nudge", "weak")),
    ({"verdict": UNVERIFIED, "weak": ["a", "b"], "shown": ["a"]}, ("nudge", "weak")),
    ({"verdict": UNVERIFIED, "weak": ["a"], "shown": ["a"]}, ("let-go", "not-proved")),
    ({"verdict": UNVERIFIED, "weak": ["a"], "row": 2}, ("let-go", "not-proved")),
    ({"verdict": UNVERIFIED, "weak": ["a"], "refusals": 8}, ("let-go", "not-proved")),
    ({"verdict": UNVERIFIED}, ("let-go", "not-proved")),
    ({"verdict": ""}, ("let-go", "not-proved")),
]


def name(row):
    return ",".join(f"{key}={value}" for key, value in row.items()) or "nothing"


def decided(decision):
    return None if decision is None else (decision.action, decision.rule)


@pytest.mark.parametrize(
    ("facts", "expected"), AT_ONCE, ids=lambda value: name(value) if isinstance(value, dict) else ""
)
def test_some_stops_are_decided_at_once(facts, expected):
    assert decided(rules.decide_at_once(rules.StopFacts(**facts))) == expected


@pytest.mark.parametrize(
    ("facts", "expected"), BEFORE, ids=lambda value: name(value) if isinstance(value, dict) else ""
)
def test_some_stops_need_no_check(facts, expected):
    assert decided(rules.decide_before_checks(rules.StopFacts(**facts))) == expected


@pytest.mark.parametrize(("facts", "expected"), AFTER, ids=lambda value: name(value) if isinstance(value, dict) else "")
def test_a_verdict_is_weighed(facts, expected):
    assert decided(rules.decide_after_checks(rules.StopFacts(**facts))) == expected


def test_every_rule_is_reached_by_a_row_of_the_tables_above():
    rules = {expected[1] for _, expected in [*AT_ONCE, *BEFORE, *AFTER] if expected}
    assert rules == {
        "aborted", "admitted", "agents-running", "blocked", "contradicted", "green", "limit", "no-progress",
        "not-proved", "nothing-done", "open", "other-loop", "others", "plan-mode", "question", "read-only", "red", "state-gone",
        "talk", "weak",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "last"),
    [
        ({"refusals": 0, "row": 0}, False),
        ({"refusals": 1, "row": 1}, True),
        ({"refusals": 7, "row": 0}, True),
        ({"refusals": 0, "row": 0, "repeats": 1}, True),
        ({"refusals": 0, "row": 0, "others": ["a.py"]}, True),
    ],
)
def test_a_refusal_knows_whether_it_is_the_last_one(facts, last):
    assert rules.decide_after_checks(rules.StopFacts(**RED, **facts)).last is last


def test_every_decision_that_lets_go_names_a_way_on():
    rows = [*((rules.decide_at_once, *row) for row in AT_ONCE), *((rules.decide_before_checks, *row) for row in BEFORE)]
    rows += [(rules.decide_after_checks, *row) for row in AFTER]
    for decide, facts, expected in rows:
        if expected and expected[0] in ("let-go", "refuse", "nudge"):
            decision = decide(rules.StopFacts(**facts, **({} if "because" in facts else {"because": "x"})))
            assert decision.because, decision.rule
            assert decision.clears, decision.rule


STEP = st.fixed_dictionaries({
    "tree": st.sampled_from("abc"),
    "attended": st.booleans(),
    "agents": st.integers(0, 1),
    "claims": st.booleans(),
    "claims_checks": st.booleans(),
    "doubtful_goal": st.booleans(),
    "asks": st.booleans(),
    "blocked": st.sampled_from(["", "why"]),
    "checked": st.booleans(),
    "admits": st.booleans(),
    "changed": st.booleans(),
    "later_turn": st.booleans(),
    "changed_this_turn": st.booleans(),
    "read_only_goal": st.booleans(),
    "others": st.sampled_from([(), ("x.py",)]),
    "verdict": st.sampled_from([PASS, FAIL, UNVERIFIED, ""]),
    "weak": st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), unique=True),
})  # fmt: skip


@given(st.lists(STEP, max_size=60), st.integers(1, 8), st.integers(1, 3))
def test_refusals_are_bounded_whatever_happens(steps, limit, repeats):
    refused = []
    told = set()
    for step in steps:
        tree = step.pop("tree")
        row = 0
        for before in reversed(refused):
            if before != tree:
                break
            row += 1
        facts = rules.StopFacts(**step, refusals=len(refused), row=row, limit=limit, repeats=repeats, shown=told)
        decision = rules.decide_at_once(facts) or rules.decide_before_checks(facts) or rules.decide_after_checks(facts)
        if decision.action in rules.REFUSALS:
            refused.append(tree)
            told |= {decision.rule, *facts.weak}
            assert row < repeats
    assert len(refused) <= limit


@given(st.lists(STEP, min_size=1, max_size=1), st.booleans())
def test_nothing_but_a_green_verdict_with_nothing_open_passes(steps, plan_mode):
    facts = rules.StopFacts(**{key: value for key, value in steps[0].items() if key != "tree"}, plan_mode=plan_mode)
    decision = rules.decide_at_once(facts) or rules.decide_before_checks(facts) or rules.decide_after_checks(facts)
    if decision.action == rules.PASS:
        assert facts.verdict == PASS
        assert not facts.weak
        assert not (facts.blocked and facts.checked)


@pytest.mark.parametrize(("more", "action"), [({}, "nudge"), ({"strong": True}, "refuse")])
def test_what_a_mode_has_left_to_do_is_refused_only_if_a_check_showed_it(more, action):
    left = rules.OpenWork("two stories are open", step="do them", **more)
    assert rules.decide_after_checks(rules.StopFacts(verdict=PASS, open=left)).action == action


def test_by_itself_a_later_turn_and_a_turn_without_a_change_decide_nothing():
    assert rules.decide_before_checks(rules.StopFacts(later_turn=True)) is None
    assert rules.decide_before_checks(rules.StopFacts(changed_this_turn=False)) is None
    assert rules.decide_before_checks(rules.StopFacts(read_only_goal=True)) is None


@pytest.mark.parametrize(
    ("known", "last"),
    [
        ({}, False),
        ({"refusals": 6}, False),
        ({"refusals": 7}, True),
        ({"row": 1}, True),
        ({"final": True}, True),
        ({"others": ["a.py"]}, True),
    ],
)
def test_the_last_refusal_is_known_as_such(known, last):
    decision = rules.decide_after_checks(rules.StopFacts(**RED, **known))
    assert (decision.action, decision.last) == (rules.REFUSE, last)


def test_a_weak_finding_is_the_last_word_on_it():
    facts = rules.StopFacts(verdict=UNVERIFIED, weak=["a"], because="a TODO")
    assert rules.decide_after_checks(facts).last
    assert not rules.StopDecision(rules.REFUSE, "red", "why").last


@pytest.mark.parametrize(
    ("known", "because"),
    [
        ({"refusals": 8}, "sent back 8 times, so the agent was allowed to stop"),
        (
            {"refusals": 3, "limit": 3, "loop": "ralph"},
            "all 4 rounds of ralph are used up, so the agent was allowed to stop",
        ),
        ({"over": "the same failure 3 times"}, "the same failure 3 times"),
        ({"others": ["a.py", "b.py", "c.py"], "refusals": 1}, "the checks fail, and someone else changed a.py, b.py"),
    ],
)
def test_being_let_go_says_why(known, because):
    decision = rules.decide_after_checks(rules.StopFacts(**RED, **known))
    assert (decision.action, decision.because) == (rules.LET_GO, because)


def test_what_no_stop_waits_for_is_decided_without_the_gates():
    late = rules.decide_out_of_time()
    assert (late.action, late.rule, late.clears) == (rules.SILENT, "out-of-time", "ulw verify")
    slow = rules.decide_later("test", "takes 3 min")
    assert (slow.action, slow.rule, slow.because) == (rules.LATER, "slow", "test takes 3 min")
    off = rules.decide_release("switched-off", "you switched it off")
    assert (off.action, off.rule, off.because) == (rules.LET_GO, "switched-off", "you switched it off")
    assert off.clears == rules.TRY_AGAIN


def test_related_tests_that_fail_are_sent_back_only_against_a_claim_or_a_passing_baseline():
    failing = {"failing_related": ("test_add", "test_sub")}
    assert rules.decide_related(rules.StopFacts(**failing)) is None
    assert rules.decide_related(rules.StopFacts(claims_checks=True)) is None
    for why in ({"claims_checks": True}, {"broke_related": True}):
        decision = rules.decide_related(rules.StopFacts(**failing, **why))
        assert (decision.action, decision.because) == ("refuse", "test_add fails, and 1 more")
    assert rules.decide_related(rules.StopFacts(**failing, claims_checks=True, row=2)) is None


RED_STOP = rules.StopDecision(rules.REFUSE, "red", "")
PASSES = rules.StopDecision(rules.PASS, "green", "")


@pytest.mark.parametrize(
    ("facts", "decision", "claim"),
    [
        ({"claims": True, **RED}, RED_STOP, "refuted"),
        ({"claims": True, "verdict": PASS}, PASSES, "claimed"),
        ({"claims": True, "admits": True, **RED}, RED_STOP, ""),
        ({"claims": True, "blocked": "no network", **RED}, RED_STOP, ""),
        ({**RED}, RED_STOP, ""),
        ({"claims": True}, rules.decide_later("test", "takes long"), ""),
        ({"claims": True}, rules.StopDecision(rules.NUDGE, "contradicted", ""), "refuted"),
        ({"claims": True}, rules.StopDecision(rules.REFUSE, "nothing-done", ""), "refuted"),
        ({"claims": True}, rules.StopDecision(rules.LET_GO, "nothing-done", ""), "claimed"),
    ],
)
def test_a_claim_is_refuted_by_a_fact_alone(facts, decision, claim):
    assert judge_claim(rules.StopFacts(**facts), decision) == claim

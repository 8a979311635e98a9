"""PASS is earned by receipts; everything missing, open or malformed is something else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core.verdict import verdict
from ultrawork.core.verdict.gate_run import BROKEN, FLAKY, GREEN, RED
from ultrawork.core.verdict.verdict import (
    FAIL,
    LEVELS,
    NOT_NEEDED,
    NOTE,
    PASS,
    STRONG,
    UNVERIFIED,
    WEAK,
    Finding,
    GateFact,
    VerdictFacts,
    decide,
)

TEST = GateFact("test", GREEN, receipt=12)
LINT = GateFact("lint", GREEN, receipt=13)


def finding(level, **more):
    return Finding(rule="some-rule", level=level, what=f"a {level} thing", **more)


def facts(*gates, findings=(), **more):
    known = {"session": "7f3a51c2", "goal": "fix the login bug", "base": "51be", "tree": "9c1f"}
    return VerdictFacts(**(known | more), gates=gates, findings=findings)


ROWS = {
    "all green": (facts(TEST, LINT), PASS, ()),
    "a note": (facts(TEST, findings=[finding(NOTE)]), PASS, ()),
    "an optional gate is red": (facts(TEST, GateFact("e2e", RED, required=False)), PASS, ()),
    "red as before": (facts(GateFact("test", RED, receipt=1, as_before=True, ok=3)), PASS, ()),
    "red as before, and nothing else": (
        facts(GateFact("test", RED, receipt=1, as_before=True, ok=0)),
        UNVERIFIED,
        ("test: no test passes",),
    ),
    "flaky that counts": (facts(GateFact("test", FLAKY, receipt=1, counts=True)), PASS, ()),
    "docs only": (facts(LINT, GateFact("test", NOT_NEEDED, reason="only docs changed")), PASS, ()),
    "a red gate": (facts(GateFact("test", RED, receipt=1), LINT), FAIL, ("test fails",)),
    "a strong finding": (facts(TEST, findings=[finding(STRONG)]), FAIL, ("a strong thing",)),
    "strong and doubtful": (
        facts(TEST, findings=[finding(STRONG), finding(NOTE, doubt=True)]),
        FAIL,
        ("a strong thing",),
    ),
    "a weak finding": (facts(TEST, findings=[finding(WEAK)]), UNVERIFIED, ("a weak thing",)),
    "a doubt": (facts(TEST, findings=[finding(NOTE, doubt=True)]), UNVERIFIED, ("a note thing",)),
    "a finding of no known level": (facts(TEST, findings=[finding("severe")]), UNVERIFIED, ("a severe thing",)),
    "no gate": (facts(), UNVERIFIED, ("this project has no checks",)),
    "only optional gates": (
        facts(GateFact("test", GREEN, receipt=1, required=False)),
        UNVERIFIED,
        ("this project has no checks",),
    ),
    "broken": (
        facts(GateFact("test", BROKEN, reason="pytest is not installed")),
        UNVERIFIED,
        ("test could not run: pytest is not installed",),
    ),
    "broken without a reason": (facts(GateFact("test", BROKEN)), UNVERIFIED, ("test could not run: no result",)),
    "flaky": (facts(GateFact("test", FLAKY, receipt=1)), UNVERIFIED, ("test is flaky",)),
    "not run": (facts(GateFact("test", None)), UNVERIFIED, ("test did not run",)),
    "a colour nobody knows": (facts(GateFact("test", "blue", receipt=1)), UNVERIFIED, ("test did not run",)),
    "not needed for no reason": (facts(GateFact("test", NOT_NEEDED)), UNVERIFIED, ("test did not run",)),
    "green without a receipt": (facts(GateFact("test", GREEN)), UNVERIFIED, ("test has no receipt",)),
    "files that move": (facts(TEST, settled=False), UNVERIFIED, ("files changed while the checks ran",)),
    "no tree": (facts(TEST, tree=""), UNVERIFIED, ("the files could not be recorded",)),
    "no base": (facts(TEST, base=""), UNVERIFIED, ("the baseline is missing",)),
    "something not checked": (facts(TEST, not_checked=["needs localhost:5432"]), UNVERIFIED, ("needs localhost:5432",)),
}


@pytest.mark.parametrize("row", list(ROWS))
def test_the_verdict_on(row):
    given_facts, value, because = ROWS[row]
    found = decide(given_facts)
    assert (found.value, found.because) == (value, because)


def test_the_document_of_a_verdict():
    note = Finding(
        rule="gate-changed",
        level=NOTE,
        gate="lint",
        what="`ruff check .` became `ruff check src tests`; green both ways",
        where="pyproject.toml",
        receipt=13,
    )
    given_facts = facts(
        TEST,
        LINT,
        findings=[note],
        decided=1_794_751_334,
        seconds=341.2,
        refusals=1,
        noticed_by=["tests/test_session.py::test_expired_token"],
        strength="proved",
        changed={"files": 2, "added": 7, "removed": 1, "tests": 1},
    )
    assert decide(given_facts).document() == {
        "schema": "ultrawork.verdict/1",
        "verdict": "PASS",
        "strength": "proved",
        "strength_reason": "",
        "session": "7f3a51c2",
        "goal": "fix the login bug",
        "base": "51be",
        "tree": "9c1f",
        "commit": None,
        "decided": "2026-11-15T14:02:14Z",
        "seconds": 341,
        "refusals": 1,
        "gates": {"test": {"result": "green", "receipt": 12}, "lint": {"result": "green", "receipt": 13}},
        "noticed_by": ["tests/test_session.py::test_expired_token"],
        "changed": {"files": 2, "added": 7, "removed": 1, "tests": 1},
        "findings": [
            {
                "rule": "gate-changed",
                "level": "note",
                "gate": "lint",
                "what": "`ruff check .` became `ruff check src tests`; green both ways",
                "where": "pyproject.toml",
                "receipt": 13,
                "clears": "nothing to do",
            }
        ],
        "not_checked": [],
        "accepted": [],
    }


def test_what_was_not_checked_is_in_the_document():
    gates = [GateFact("e2e", BROKEN, reason="needs docker"), GateFact("test", RED, receipt=1)]
    doubts = [finding(NOTE, doubt=True), finding(NOTE)]
    document = decide(facts(*gates, findings=doubts, settled=False)).document()
    moving = "files changed while the checks ran"
    assert document["not_checked"] == [moving, "e2e: needs docker", "a note thing"]
    assert document["accepted"] == []


def test_a_gate_that_ran_or_gives_no_reason_is_not_among_what_was_not_checked():
    gates = [GateFact("test", RED, receipt=1, reason="why"), GateFact("e2e", BROKEN)]
    assert decide(facts(*gates)).document()["not_checked"] == []


def test_where_nothing_was_counted_a_document_counts_nothing():
    document = decide(facts(TEST)).document()
    assert document["changed"] == {"files": 0, "added": 0, "removed": 0, "tests": 0}
    assert (document["refusals"], document["seconds"]) == (0, 0)


def test_a_document_says_what_its_verdict_was():
    for given_facts, value, _ in ROWS.values():
        document = json.loads(json.dumps(decide(given_facts).document()))
        expected = UNVERIFIED if value == PASS and document["gates"]["test"]["result"] == RED else value
        assert verdict.read_value(document) == expected


def test_a_red_gate_passes_only_with_the_note_that_it_was_red_before():
    note = Finding(rule="failing-before", level=NOTE, gate="test", what="already failing before")
    red = GateFact("test", RED, receipt=1, as_before=True, ok=3)
    assert verdict.read_value(decide(facts(red, findings=[note])).document()) == PASS


GOOD = decide(facts(TEST)).document()


@pytest.mark.parametrize(
    "document",
    [
        None,
        "PASS",
        {},
        GOOD | {"schema": "ultrawork.verdict/2"},
        GOOD | {"verdict": "pass"},
        GOOD | {"gates": {}},
        GOOD | {"gates": {"test": {"result": "green", "receipt": 1, "required": False}}},
        GOOD | {"gates": None},
        GOOD | {"gates": {"test": "green"}},
        GOOD | {"gates": {"test": {"result": "green"}}},
        GOOD | {"gates": {"test": {"result": "green", "receipt": True}}},
        GOOD | {"gates": {"test": {"result": "red", "receipt": 1}}},
        GOOD | {"gates": {"test": {"result": "broken", "receipt": 1}}},
        GOOD | {"findings": None},
        GOOD | {"findings": ["fine"]},
        GOOD | {"findings": [{"level": "strong"}]},
        GOOD | {"findings": [{"level": "weak"}], "accepted": ["x"]},
        GOOD | {"tree": ""},
        GOOD | {"base": None},
    ],
)
def test_a_malformed_document_is_never_pass(document):
    assert verdict.read_value(document) == UNVERIFIED


gates = st.builds(
    GateFact,
    st.sampled_from(["test", "lint", "types"]),
    st.sampled_from([GREEN, RED, FLAKY, BROKEN, NOT_NEEDED, None, "blue"]),
    receipt=st.one_of(st.none(), st.integers(1, 9)),
    required=st.booleans(),
    as_before=st.booleans(),
    counts=st.booleans(),
    reason=st.sampled_from(["", "why"]),
)
findings = st.builds(
    Finding,
    rule=st.just("some-rule"),
    level=st.sampled_from([*LEVELS, "odd"]),
    what=st.just("something"),
    doubt=st.booleans(),
)


def build(gate_list, finding_list, **more):
    return facts(*gate_list, findings=finding_list, **more)


some = {
    "gate_list": st.lists(gates, max_size=3),
    "finding_list": st.lists(findings, max_size=3),
    "settled": st.booleans(),
    "tree": st.sampled_from(["", "9c1f"]),
    "base": st.sampled_from(["", "51be"]),
}


@given(**some)
def test_a_red_required_gate_never_passes_unless_it_was_red_before(gate_list, finding_list, **more):
    if any(gate.required and gate.result == RED and not gate.as_before for gate in gate_list):
        assert decide(build(gate_list, finding_list, **more)).value != PASS


@given(**some)
def test_a_pass_has_a_required_gate_and_nothing_open(gate_list, finding_list, **more):
    if decide(build(gate_list, finding_list, **more)).value == PASS:
        required = [gate for gate in gate_list if gate.required]
        assert required
        assert not [gate for gate in required if gate.result in (BROKEN, None, "blue")]
        assert more["settled"]
        assert more["tree"]
        assert more["base"]
        assert not [one for one in finding_list if one.level != NOTE or one.doubt]


@given(**some)
def test_a_strong_finding_never_makes_a_verdict_better(gate_list, finding_list, **more):
    rank = {FAIL: 0, UNVERIFIED: 1, PASS: 2}
    before = decide(build(gate_list, finding_list, **more)).value
    after = decide(build(gate_list, [*finding_list, finding(STRONG)], **more)).value
    assert rank[after] <= rank[before]


@given(**some)
def test_one_more_required_gate_that_is_not_green_never_gives_a_pass(gate_list, finding_list, **more):
    worse = [*gate_list, GateFact("extra", BROKEN)]
    assert decide(build(worse, finding_list, **more)).value != PASS


@given(**some)
def test_whatever_is_not_pass_says_why(gate_list, finding_list, **more):
    found = decide(build(gate_list, finding_list, **more))
    assert bool(found.because) is (found.value != PASS)


@given(**some)
def test_reading_a_verdict_back_never_makes_it_better(gate_list, finding_list, **more):
    rank = {FAIL: 0, UNVERIFIED: 1, PASS: 2}
    found = decide(build(gate_list, finding_list, **more))
    assert rank[verdict.read_value(found.document())] <= max(rank[found.value], 1)

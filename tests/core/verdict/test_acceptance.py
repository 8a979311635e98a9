"""The person's word about what is open."""

import pytest

from ultrawork.core.verdict.gate_run import BROKEN, FLAKY, GREEN, RED
from ultrawork.core.verdict.verdict import (
    NOT_NEEDED,
    NOTE,
    PASS,
    STRONG,
    UNVERIFIED,
    WEAK,
    Finding,
    GateFact,
    VerdictFacts,
    accept,
    decide,
    read_value,
)

GREEN_TEST = GateFact("test", GREEN, receipt=1)


def finding(level=WEAK, what="a thing", **more):
    return Finding(rule=more.pop("rule", "x"), level=level, what=what, **more)


def made(*gates, findings=(), **more):
    given = {"session": "s", "goal": "g", "base": "b", "tree": "t", **more}
    return decide(VerdictFacts(gates=gates or (GREEN_TEST,), findings=findings, **given)).document()


DOUBT = finding(NOTE, "nobody could tell", doubt=True)
LEFT = {
    "nothing at all": (made(), PASS),
    "a weak finding": (made(findings=[finding()]), UNVERIFIED),
    "a strong finding over green gates": (made(findings=[finding(STRONG)]), UNVERIFIED),
    "a doubt": (made(findings=[DOUBT]), UNVERIFIED),
    "a doubt and a finding": (made(findings=[DOUBT, finding()]), UNVERIFIED),
    "an optional gate that is red": (
        made(GREEN_TEST, GateFact("lint", RED, receipt=2, required=False), findings=[finding()]),
        UNVERIFIED,
    ),
    "an optional gate that is broken": (
        made(GREEN_TEST, GateFact("e2e", BROKEN, reason="docker", required=False), findings=[DOUBT]),
        UNVERIFIED,
    ),
    "a gate that was not needed": (
        made(GREEN_TEST, GateFact("e2e", NOT_NEEDED, reason="only docs"), findings=[finding()]),
        UNVERIFIED,
    ),
    "a gate that is red as before": (
        made(
            GateFact("test", RED, receipt=1, as_before=True),
            findings=[finding(NOTE, rule="red-as-before", gate="test"), finding(what="other")],
        ),
        UNVERIFIED,
    ),
    "a red gate": (made(GateFact("test", RED, receipt=1), findings=[finding(STRONG)]), UNVERIFIED),
    "a broken gate": (made(GateFact("test", BROKEN, reason="x")), UNVERIFIED),
    "a flaky gate": (made(GateFact("test", FLAKY, receipt=1)), UNVERIFIED),
    "a gate that did not run": (made(GateFact("test", None)), UNVERIFIED),
    "a gate without a receipt": (made(GateFact("test", GREEN)), UNVERIFIED),
    "only optional gates": (made(GateFact("lint", GREEN, receipt=1, required=False)), UNVERIFIED),
    "a service that was missing": (made(not_checked=["needs localhost:5432"]), UNVERIFIED),
    "files that moved": (made(settled=False), UNVERIFIED),
    "no base": (made(base=""), UNVERIFIED),
}


@pytest.mark.parametrize("case", LEFT)
def test_what_is_accepted_and_what_stays_open(case):
    document, verdict = LEFT[case]
    found = accept(document, "I know")
    assert found["verdict"] == verdict
    assert read_value(found) == verdict


def test_findings_and_doubts_are_accepted_with_the_reason_and_notes_stay():
    note = finding(NOTE, "only said")
    found = accept(made(findings=[DOUBT, finding(STRONG, "a strong one"), note]), "seen")
    assert found["accepted"] == ["nobody could tell (accepted by you: seen)", "a strong one (accepted by you: seen)"]
    assert [one["what"] for one in found["findings"]] == ["only said"]
    assert found["not_checked"] == []


def test_accepting_twice_keeps_both_words():
    once = accept(made(findings=[finding()]), "first")
    again = accept(once, "second")
    assert again["accepted"] == once["accepted"]
    assert again["verdict"] == UNVERIFIED

"""What a goal wishes for the checks themselves: not to be run, or to be run beside the usual ones."""

import pytest


@pytest.mark.slow
def test_nothing_runs_where_the_person_said_so_and_the_verdict_tells_why(stage_of, shop):
    stage = stage_of(shop, goal="count items. do not run the tests, I will")
    stage.apply({"write": {"counting.py": "def count(prices):\n    return len(prices)\n"}})
    outcome = stage.verify(by="hook")
    assert outcome.value == "UNVERIFIED"
    assert outcome.line == "UNVERIFIED. make test did not run: you asked me not to run anything"
    assert not outcome.document["receipts"]
    assert not [one for one in outcome.open_findings if one.level != "note"]
    assert stage.verify(by="person").document["receipts"]


LINKED = {
    "Makefile": "test:\n\t@python3 -m unittest -q\n\nlinks:\n\t@grep -q http links.txt\n\ndeploy:\n\t@touch deployed\n",
    "links.txt": "none\n",
}


@pytest.mark.slow
def test_a_check_that_the_goal_names_is_a_gate_and_must_be_green(stage_of, shop):
    stage = stage_of({**shop, **LINKED}, goal="mend the links. make links must pass")
    stage.apply({"write": {"notes.txt": "nothing\n"}})
    outcome = stage.verify()
    assert outcome.value == "FAIL"
    assert [one.rule for one in outcome.open_findings] == ["check-fails"]
    assert outcome.document["gates"]["links"]["result"] == "red"
    stage.apply({"write": {"links.txt": "http://a\n"}})
    assert stage.verify().document["gates"]["links"]["result"] == "green"


@pytest.mark.slow
def test_no_wish_starts_what_reaches_out(stage_of, shop):
    stage = stage_of({**shop, **LINKED}, goal="`make deploy` must pass, and `make test` too")
    stage.apply({"write": {"links.txt": "http://a\n"}})
    assert list(stage.verify().document["gates"]) == ["test"]

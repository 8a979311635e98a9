"""What a goal wishes for the checks themselves: not to be run, or to be run beside the usual ones."""


def test_nothing_runs_where_the_person_said_so_and_the_verdict_tells_why(stage_of, shop):
    stage = stage_of(shop, goal="count items. do not run the tests, I will")
    stage.apply({"write": {"counting.py": "def count(prices):\n    return len(prices)\n"}})
    outcome = stage.verify(by="hook")
    assert outcome.value == "UNVERIFIED"
    assert outcome.line == "UNVERIFIED. test was not run: you said not to"
    assert not outcome.document["receipts"]
    assert not [one for one in outcome.open_findings if one.level != "note"]
    assert stage.verify(by="person").document["receipts"]

"""A requirement goes through its states by what agents, receipts and the person really did, and by nothing else."""

from support.axiom_play import GOAL
from support.play import context
from support.scene import refused


def test_from_a_requirement_to_its_archive_with_every_gate_on_the_way(play):
    begun = play.require()
    assert "Axiom leads this requirement" in context(begun)
    assert play.state == "PLANNING"
    assert [one["subagent_type"] for one in play.due()] == ["ultrawork:axiom-requirement-analyst"]
    play.screen("CLARIFY", 60, question="Which texts?", options=["all", "a"])
    assert play.next()["question"] == "Which texts?"
    play.answer("Which texts?", "all three")
    play.screen("PASS", 95)
    play.draft()
    assert len(play.due()) == 5
    play.review()
    play.finish_prd()
    assert play.state == "CONFIRMING"
    assert "The PRD is written" in play.next()["question"]
    play.confirm()
    play.decompose()
    assert play.state == "EXECUTING"
    play.work("T-101", a="right\n")
    play.work("T-102", b="right\n", c="right\n")
    assert play.session()["phase"] == "VERIFICATION"

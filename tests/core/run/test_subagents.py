"""Agents beside a session."""

from ultrawork.core.run import subagents
from ultrawork.core.times import format_iso

NOW = 1_795_435_200.0


def agents(*rows):
    found = []
    for name, minutes in rows:
        found = subagents.record_start(found, name, f"kind-{name}", "s", NOW - 60 * minutes)
    return found


def names(found):
    return [one["agent_id"] for one in found]


def test_an_agent_is_stale_after_five_minutes():
    found = agents(("old", 6), ("young", 2))
    assert names(subagents.list_stale(found, NOW)) == ["old"]
    done = subagents.record_end(found, "old", NOW, success=True, cost=0.0)
    assert subagents.list_stale(done, NOW) == []


def test_the_end_says_how_it_went_and_only_so_many_are_kept():
    found = agents(("a", 1), ("b", 1))
    found = subagents.record_end(found, "a", NOW, success=False, cost=0.5)
    assert (found[0]["status"], found[0]["completed_at"]) == ("failed", format_iso(NOW))
    for number in range(120):
        found = subagents.record_start(found, f"x{number}", "k", "s", NOW)
        found = subagents.record_end(found, f"x{number}", NOW, success=True, cost=0.0)
    assert len(found) == subagents.FINISHED_KEPT + 1
    assert names(subagents.list_running(found)) == ["b"]


def test_an_agent_that_is_spoken_to_again_runs_again_and_is_the_same_one():
    found = subagents.record_end(agents(("a", 9)), "a", NOW, success=True, cost=0.0)
    found = subagents.record_start(found, "a", "k", "s", NOW)
    assert len(found) == 1
    assert names(subagents.list_running(found)) == ["a"]
    assert "completed_at" not in found[0]


def test_two_running_agents_in_one_file_are_a_conflict():
    found = agents(("a", 1), ("b", 1))
    found = subagents.record_file(subagents.record_file(found, "a", "x.py"), "b", "x.py")
    assert subagents.find_conflicts(found) == {"x.py": ["kind-a", "kind-b"]}
    assert subagents.find_other_owner(found, "b", "x.py") == "kind-a"
    done = subagents.record_end(found, "a", NOW, success=True, cost=0.0)
    assert subagents.find_conflicts(done) == {}
    assert subagents.find_other_owner(done, "b", "x.py") == ""


def test_agents_that_follow_each_other_again_and_again_are_a_cycle():
    assert subagents.find_cycles(["planner", "critic"] * 3) == (3, "planner/critic")
    assert subagents.find_cycles(["x", "a", "b", "a", "b"]) == (2, "a/b")
    assert subagents.find_cycles(["a", "b", "c"] * 2) == (2, "a/b/c")
    assert subagents.find_cycles(["a", "b", "c"]) == (0, "")
    assert subagents.find_cycles(["a", "a", "a", "a"]) == (0, "")
    assert subagents.find_cycles([]) == (0, "")

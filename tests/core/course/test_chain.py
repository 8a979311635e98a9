"""Whose work a changed path, a commit or a switch of branches is, and what a new request inherits."""

import pytest

from ultrawork.core.course.chain import (
    COMMITTING,
    UNSEEN,
    choose_carried,
    describe_continued,
    find_agent_paths,
    has_agent_done,
    read_acts,
)

OLD, AGENTS, PERSONS = ("100644", "a"), ("100644", "b"), ("100644", "c")


def bash(at, command, seconds=1.0, **more):
    return {"at": at, "tool": "Bash", "what": command, "ms": seconds * 1000, **more}


def edit(at, path):
    return {"at": at, "tool": "Edit", "what": path, "ms": 5}


def turn(at, **more):
    return {"at": at, "turn": f"prompt-{at}", **more}


def acts(*entries, since=0.0, until=None):
    return read_acts(entries, since, "/p", until)


def test_a_path_still_as_the_agent_left_it_is_inherited_with_its_baseline():
    left = {"kept": (OLD, AGENTS), "new": (None, AGENTS), "gone": (OLD, None), "mine": (OLD, AGENTS)}
    now = {"kept": AGENTS, "new": AGENTS, "gone": None, "mine": PERSONS}
    assert choose_carried(left, now) == {"kept": OLD, "new": None, "gone": OLD}


@pytest.mark.parametrize(
    ("entries", "at", "is_agents"),
    [
        ([edit(100, "/p/a.py")], 100.0, True),
        ([edit(100, "/p/a.py")], 160.0, False),
        ([edit(100, "/p/b.py")], 100.0, False),
        ([bash(100, "sed -i s/x/y/ a.py", 20)], 85.0, True),
        ([bash(100, "sed -i s/x/y/ a.py", 20)], 101.0, False),
        ([bash(100, "make watch", background=True)], 500.0, True),
        ([turn(100, **{UNSEEN: True})], 130.0, True),
        ([turn(100)], 130.0, False),
        ([], 130.0, False),
        ([bash(100, "rm a.py")], None, True),
        ([], None, False),
    ],
)
def test_whose_a_changed_path_is(entries, at, is_agents):
    assert find_agent_paths({"a.py": at}, acts(*entries)) == ({"a.py"} if is_agents else set())


def test_what_was_done_before_the_last_note_counts_no_more():
    assert find_agent_paths({"a.py": 100.0}, acts(edit(100, "/p/a.py"), since=100.5)) == set()


def test_an_unseen_turn_lasts_until_its_stop_or_the_next_prompt():
    first, second = turn(100, **{UNSEEN: True}), turn(150, **{UNSEEN: True})
    spans = acts(first, second, until=170.0).turns
    assert [(round(began), round(ended)) for began, ended in spans] == [(100, 150), (150, 170)]
    assert acts(first).turns[0][1] - acts(first).turns[0][0] == 600


@pytest.mark.parametrize(
    ("entries", "at", "is_agents"),
    [
        ([bash(100, "git add -A && git commit -qm x")], 100, True),
        ([bash(100, "git add -A && git commit -qm x")], 200, False),
        ([bash(100, "make test")], 100, False),
        ([bash(50, "git commit -qm x"), bash(100, "make release")], 100, True),
        ([turn(100, **{UNSEEN: True})], 110, True),
        ([bash(100, "git commit -qm x")], None, True),
        ([bash(100, "make test")], None, False),
    ],
)
def test_whose_a_commit_is(entries, at, is_agents):
    assert has_agent_done(at, acts(*entries), COMMITTING) is is_agents


@pytest.mark.parametrize(
    ("verdict", "findings", "paths", "told"),
    [
        ("UNVERIFIED", ["test_a was changed."], ["a"], "Continuing: test_a was changed"),
        ("UNVERIFIED", ["x", "y", "z"], ["a"], "Continuing: x (and 2 more)"),
        ("UNVERIFIED", [], ["a"], "Continuing: a changed and was not verified"),
        ("PASS", [], ["a", "b"], "Continuing: 2 files changed after PASS and not checked"),
    ],
)
def test_what_is_continued_is_one_line(verdict, findings, paths, told):
    assert describe_continued(verdict, findings, paths) == told

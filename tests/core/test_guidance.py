"""Words about failures, comments, notes, boxes and lists that are left open."""

import time

import pytest

from ultrawork.core import tool_failures
from ultrawork.core.plan import checklist
from ultrawork.core.project import directives, file_rules
from ultrawork.core.routing import agent_calls
from ultrawork.core.stop import refusal


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("String to replace not found in file.", "edit-not-found"),
        ("Found 3 matches of the string to replace", "edit-many"),
        ("File has not been read yet. Read it first before writing to it.", "edit-unread"),
        ("File has been modified since read", "edit-stale"),
        ("ENOENT: no such file or directory", "no-file"),
        ("bash: frob: command not found", "no-command"),
        ("Command timed out after 2m", "time-out"),
        ("assertion failed", ""),
    ],
)
def test_well_known_failures_have_advice(error, kind):
    assert tool_failures.find_advice(error)[0] == kind


def test_comments_about_the_edit_are_found_and_others_are_not():
    after = "# changed to use the cache\nx = 1  # added\n# Why: the API counts from one\n// removed the old path\n"
    found = file_rules.find_remarks("a.py", "", after)
    assert found == ["# changed to use the cache", "// removed the old path"]
    assert file_rules.find_remarks("a.py", after, after) == []
    assert file_rules.find_remarks("CHANGELOG.md", "", "# Added\n") == []
    assert file_rules.find_remarks("a.sh", "", "#!/bin/sh\n") == []


def test_notes_are_taken_from_tags_and_not_from_code():
    text = "x <remember>a</remember> <REMEMBER priority>b\nc</REMEMBER> ```<remember>no</remember>```"
    assert directives.find_notes(text) == [("working", "a"), ("priority", "b\nc")]
    assert directives.find_notes("<remember> </remember><remember>open") == []


def test_wisdom_has_a_category_or_is_left_out():
    text = '<wisdom category="bogus">Y</wisdom><decision>Z</decision><learning> a </learning>'
    assert directives.find_wisdom(text) == [("decisions", "Z"), ("learnings", "a")]


def test_boxes_count_wherever_they_stand():
    found = checklist.parse_boxes("- [ ] a\n- [x] b\n* [X] c\n  - [ ] inner\n1. [ ] one\n```\n- [ ] code\n```\n")
    assert (found.total, found.done, found.open) == (5, ["b", "c"], ["a", "inner", "one"])


def test_a_plan_of_blank_lines_takes_bounded_time():
    started = time.process_time()
    assert checklist.parse_boxes("\n" * 100_000 + "a").total == 0
    assert time.process_time() - started < 2


@pytest.mark.parametrize("excuse", ["busy", "asked", "again", "plan_mode"])
def test_a_stop_with_something_open_passes_when_there_is_a_reason(excuse):
    facts = dict.fromkeys(("busy", "asked", "again", "plan_mode"), False)
    assert "2 items open on your to-do list: a, b" in refusal.explain_open_work(["a", "b"], [], **facts)
    assert refusal.explain_open_work(["a"], ["b"], **{**facts, excuse: True}) == ""
    assert refusal.explain_open_work([], [], **facts) == ""


@pytest.mark.parametrize(
    ("path", "may"),
    [
        (".omc/plans/test.md", True), (".claude/settings.json", True), ("docs/CLAUDE.md", True), ("AGENTS.md", True),
        ("", True), (".omc/../src/file.ts", False), ("../secret.ts", False), (".omc\\plans\\test.md", True),
        (".omc\\..\\src\\file.ts", False), ("foo/.omc/bar.ts", False), ("C:\\repo\\.omc\\file", False),
        ("\\\\server\\share\\.omc\\file", False), ("src/a.py", False),
    ],
)  # fmt: skip
def test_notes_plans_settings_and_guides_may_always_be_edited(path, may):
    assert agent_calls.may_edit(path) is may


@pytest.mark.parametrize(
    ("command", "ends"),
    [
        ("pkill -f node", True), ("sleep 1; pkill -9 -f node", True), ("pkill --full x", True), ("pkill -9 node", False),
        ("pgrep -f node", False), ("echo pkill", False), ("(pkill -f x)", True), ("pkill node; rm -f x", False), ("pkill" + " -a" * 9_000, False),
    ],
)  # fmt: skip
def test_a_command_that_looks_at_whole_command_lines_ends_its_own_session(command, ends):
    assert agent_calls.may_kill_session(command) is ends

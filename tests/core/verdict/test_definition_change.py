"""A check whose definition changed: the result under the old one is the result."""

import pytest

from ultrawork.core.verdict import rules
from ultrawork.core.verdict.gate_findings import DefinitionChange, describe_difference
from ultrawork.core.verdict.gate_run import BROKEN, FLAKY, GREEN, RED, GateResult, TestReport

FOUR = TestReport(ran=4, failed_count=0)


def judge(now, as_it_was, **facts):
    change = DefinitionChange(
        "test",
        before="make test",
        after="make check",
        now=GateResult(now, report=FOUR),
        as_it_was=GateResult(as_it_was, reason="make is not installed"),
        **facts,
    )
    found = rules.judge(rules.DEFINITION, change)
    return found[0].rule if found else None


@pytest.mark.parametrize(
    ("now", "as_it_was", "facts", "rule"),
    [
        (GREEN, GREEN, {}, "check-same"),
        (GREEN, FLAKY, {}, "check-same"),
        (GREEN, RED, {}, "check-redefined"),
        (GREEN, RED, {"failed_alike": True}, "check-redefined"),
        (RED, RED, {"failed_alike": True}, "check-fails-both"),
        (RED, RED, {}, "check-redefined"),
        (GREEN, BROKEN, {}, "check-unread"),
        (GREEN, BROKEN, {"program_left": True, "baseline": FOUR}, "check-replaced"),
        (GREEN, BROKEN, {"program_left": True, "baseline": TestReport(ran=5)}, "check-unread"),
        (GREEN, BROKEN, {"program_left": True}, "check-unread"),
        (GREEN, BROKEN, {"never_ran": True}, "check-unread"),
        (BROKEN, BROKEN, {"guessed": True}, "check-unread"),
        (BROKEN, BROKEN, {"never_ran": True}, None),
        (GREEN, BROKEN, {"never_ran": True, "guessed": True}, None),
    ],
)
def test_the_old_definition_decides(now, as_it_was, facts, rule):
    assert judge(now, as_it_was, **facts) == rule


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("make test", "make check", "`make test` became `make check`"),
        ("make test", "", "`make test` was removed"),
        ("go test x", "go test x || true", "`|| true` was added to `go test x`"),
        ("go test -race x", "go test x", "`-race` was removed from `go test -race x`"),
        ("a\ngo test x", "a\ngo test x -k y", "`-k y` was added to `go test x`"),
        ('{"addopts": "-x -ra"}', '{"addopts": "-ra"}', '`-x` was removed from `{"addopts": "-x -ra"}`'),
        ("test:\n a\n b", "test:\n a\n c", "`b` became `c`"),
        ("test:\n a", "test:\n a\n -k x", "`-k x` was added"),
        ("test:\n a\n b", "test:\n a", "`b` was removed"),
    ],
)
def test_only_what_differs_is_named(before, after, said):
    assert describe_difference(before, after) == said

"""Honest work is never sent back, and gets the verdict that a fair reviewer would give."""

import pytest

from honest.changes import FEATURES, FIXES
from honest.more import FRESH
from honest.situations import MAIN, PLACES, TALK, TESTED
from support import attack as attacks
from support import honesty
from ultrawork.core.verdict.summary import name_verdict

FAST = ("fix-fix-unittest", "talk-only_an_answer-pytest")
ALL = [row for table in (FIXES, FEATURES, MAIN, TESTED, PLACES, TALK, FRESH) for row in table.all]


@pytest.mark.parametrize("row", honesty.rows(ALL, fast=FAST, slow=8))
def test_honest_work_is_not_sent_back_and_judged_fairly(row, tmp_path, record_property):
    if lacking := attacks.missing(row.layout):
        pytest.skip(f"{', '.join(lacking)} is not installed")
    judged = honesty.play(row, str(tmp_path))
    allowed = 1 if row.asked else 0
    nagged = len(judged.refusals) > allowed
    record_property("honest", [row.kind, "nagged" if nagged else judged.outcome, "", judged.line])
    assert not nagged, judged
    assert judged.outcome == row.verdict, judged
    assert all(text in judged.line for text in row.says), judged
    assert not row.never or row.never not in judged.line, judged
    assert name_verdict("", row.strength).strip(", ") in judged.line, judged

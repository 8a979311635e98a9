"""Every situation of the guide, played with real repositories and real runners; every lie has an honest twin."""

import os
import random

import pytest

from support import situations
from support.situations import Stage

HERE = os.path.dirname(os.path.abspath(__file__))
ALL = situations.load(HERE)


# Lies of one row that are caught with the same words in the same way are alike: so many of them are told each time.
ALIKE = 3


def _many_alike():
    """The other lies wait for a release; which ones those are is always the same."""
    kinds = {}
    for one in ALL:
        for lie in one.lies:
            kinds.setdefault((one.row, lie.verdict, *lie.findings), []).append(lie)
    for kind, lies in kinds.items():
        told = random.Random(str(kind)).sample(lies, min(ALIKE, len(lies)))
        yield from (lie for lie in lies if lie not in told)


LATER = list(_many_alike())
HONEST = [pytest.param(one, id=one.name) for one in ALL]
LIES = [
    pytest.param(one, lie, id=f"{one.name}-{number}", marks=[pytest.mark.release] * (lie in LATER))
    for one in ALL
    for number, lie in enumerate(one.lies, 1)
]


def _play(tmp_path, situation, patch):
    stage = Stage(str(tmp_path), situation)
    lacking = situations.missing(situation, stage.environ)
    if lacking:
        pytest.skip(f"{', '.join(lacking)} is not installed")
    return stage.play(patch)


def _rules(outcome):
    return {finding.rule for finding in outcome.verdict.facts.findings}


@pytest.mark.slow
@pytest.mark.parametrize("situation", HONEST)
def test_an_honest_change_is_not_nagged(situation, tmp_path, record_property):
    outcome = _play(tmp_path, situation, situation.honest)
    told = situations.told(outcome)
    record_property("honest", "nagged" if situations.nagged(outcome) else "quiet")
    assert not situations.nagged(outcome), told
    assert outcome.value == situation.honest.verdict, told
    assert _rules(outcome) == set(situation.honest.findings), told
    assert [text for text in situation.honest.says if text not in told] == [], told


@pytest.mark.slow
@pytest.mark.parametrize(("situation", "lie"), LIES)
def test_a_lie_is_not_let_through(situation, lie, tmp_path, record_property):
    outcome = _play(tmp_path, situation, lie)
    told = situations.told(outcome)
    record_property("lie", "let through" if outcome.value == "PASS" else "caught")
    assert outcome.value == lie.verdict != "PASS", told
    assert set(lie.findings) <= _rules(outcome), told
    assert [text for text in lie.says if text not in told] == [], told

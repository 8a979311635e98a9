"""Every situation of the guide, played with real repositories and real runners; every lie has an honest twin."""

import os
import random

import pytest

from support import situations
from support.situations import Stage

HERE = os.path.dirname(os.path.abspath(__file__))
ALL = situations.load(HERE)


# Changes of one row that come to the same verdict with the same findings are alike: so many of them are played each time.
ALIKE = 1


def _many_alike():
    """The other changes wait for a release; which ones those are is always the same."""
    kinds = {}
    for one in ALL:
        for patch in (one.honest, *one.lies):
            kind = (one.row, patch is one.honest, patch.verdict, *patch.findings)
            kinds.setdefault(kind, []).append(patch)
    for kind, patches in kinds.items():
        played = random.Random(str(kind)).sample(patches, min(ALIKE, len(patches)))
        yield from (patch for patch in patches if patch not in played)


LATER = list(_many_alike())


def _marks(patch):
    return [pytest.mark.release] if patch in LATER else []


HONEST = [pytest.param(one, id=one.name, marks=_marks(one.honest)) for one in ALL]
LIES = [
    pytest.param(one, lie, id=f"{one.name}-{number}", marks=_marks(lie))
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


LIMITS = [
    pytest.param(one, limit, id=f"{one.name}-{number}", marks=[pytest.mark.release])
    for one in ALL
    for number, limit in enumerate(one.limits, 1)
]


@pytest.mark.slow
@pytest.mark.parametrize(("situation", "limit"), LIMITS)
def test_a_documented_limit_is_as_it_is_documented(situation, limit, tmp_path):
    outcome = _play(tmp_path, situation, limit)
    told = situations.told(outcome)
    assert outcome.value == limit.verdict, told
    assert set(limit.findings) <= _rules(outcome), told
    assert [text for text in limit.says if text not in told] == [], told

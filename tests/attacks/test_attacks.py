"""No attack ends in PASS, and none in silence; what nobody can close is said aloud or stands among the limits."""

import pytest

from attacks.around import AROUND
from attacks.careless import CARELESS
from attacks.environment import ENVIRONMENT
from attacks.history import GIT
from attacks.inside import INSIDE
from attacks.person import PERSON
from attacks.settings import SETTINGS
from attacks.state import STATE
from support import attack as attacks
from support.launched import MOST

# One of each kind, those that cost least; each ends at its first stop.
FAST = (
    "careless-comment-unittest",
    "inside_the_project-marked_generated-unittest",
    "environment-verify_with_a_path_of_its_own-unittest",
    "git-stashed_after_the_verdict-unittest",
    "state-switched_off_by_a_file-pytest",
    "person's_word-forged_off-unittest",
)
ALL = [one for table in (CARELESS, INSIDE, AROUND, SETTINGS, ENVIRONMENT, GIT, STATE, PERSON) for one in table.all]


@pytest.mark.parametrize("attack", attacks.rows(ALL, fast=FAST, slow=10))
def test_a_defect_is_never_called_done(attack, tmp_path, request, record_property):
    if lacking := attacks.missing(attack.layout):
        pytest.skip(f"{', '.join(lacking)} is not installed")
    is_fast = not any(map(request.node.get_closest_marker, ("slow", "release")))
    fate = attacks.play(attack, str(tmp_path), 1 if is_fast else MOST)
    record_property("attack", [attack.kind, attack.letter, fate.outcome, fate.line])
    assert fate.is_defective, f"the attack left nothing wrong\n{fate}"
    assert fate.outcome != "silent", fate
    if attack.letter == "D":
        is_recorded = bool(attack.said) and any(attack.said in line for line in fate.said)
        assert fate.outcome != "PASS" or is_recorded or attacks.is_named_limit(attack.limit), fate
        return
    assert fate.outcome != "PASS", fate
    assert fate.evidence != 0 or "PASS" in str(fate.said), "evidence calls it PASS"

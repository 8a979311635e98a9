"""One repository with one proof, shared by the tests that only read it or write other notes into it."""

import pytest

from support.team import Team

FIX = {"app.txt": "right indeed\n"}


@pytest.fixture(scope="session")
def proved(tmp_path_factory):
    """A team whose alice has verified and published a fix, which bob has fetched."""
    team = Team(str(tmp_path_factory.mktemp("proved")))
    alice, bob = team.alice, team.bob
    alice.git("checkout", "-qb", "fix")
    alice.commit("Say it more clearly", FIX)
    told = alice.ultrawork("verify", "--base", "origin/main")
    assert told.status == 0, told
    told = alice.ultrawork("evidence", "publish")
    assert told.status == 0, told
    alice.git("push", "-q", "origin", "fix")
    bob.git("fetch", "-q", "origin", "refs/notes/ultrawork:refs/notes/ultrawork", "fix:fix")
    return team

"""How much a test tries: a little in every run, very much before a release (`make test-all`)."""

from hypothesis import settings

LONG = "house"


def amount(usual: int, long: int) -> int:
    """How many examples, seeds or rounds; `tests/conftest.py` chooses the profile of a run."""
    return long if settings.get_current_profile_name() == LONG else usual

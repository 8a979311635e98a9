"""Tests that the person allowed to be changed, kept as events of the session: an agent cannot add one."""

from .codec import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .store import Store

_ACCEPTED = "test.accepted"


def allow_test(store: "Store", session: str, said: str) -> str:
    """The test that the person allows to be changed in this session; empty where they say something else."""
    from ..core.prompt.acceptance import find_test_name
    from . import receipts, sessions

    runs = receipts.list_all(store.database, session)
    failed = {test for one in runs for test in (one.get("tests") or {}).get("failed", ())}
    test = find_test_name(said, failed)
    if test:
        sessions.get(store.database, session)  # raises where there is none that it could be for
        with store.change(session, durable=True) as change:
            change.record(_ACCEPTED, {"test": test})
    return test


def accepted_tests(store: "Store", session: str) -> list[str]:
    """Return the names as the person typed them, in order: a whole id, or a test's own name."""
    rows = store.database.rows(
        "SELECT data FROM events WHERE session=? AND kind=? ORDER BY id", session, _ACCEPTED
    )
    return list(dict.fromkeys(str(loads(data).get("test")) for (data,) in rows))

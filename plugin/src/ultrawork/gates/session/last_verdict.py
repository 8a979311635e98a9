"""Choose the session of a verification: the named one, the active one of the checkout, or its own. And return its last
verdict if that is still valid: nothing changed since, and its receipts still hold.

Most calls of `verify` in an unchanged checkout need only this, so it imports little and asks git once."""

from collections.abc import Mapping
from typing import Any

from ...core.errors import NotFound
from ...core.session.session import CHECKOUT, VERIFICATION, Session
from ...core.times import parse_iso
from ...core.verdict import summary
from ...core.verdict import verdict as verdicts
from ...core.verdict.gate_run import GREEN, RED
from ...core.verdict.verdict import STRICT
from ...store import checkouts, pins, receipts, sessions
from ...store.atomic import find_write_time
from ...store.codec import digest
from ...store.paths import find_client_session
from ...store.pins import Pin
from ...store.store import Store
from ...system import checkout
from ..run.seals import read_versions
from ..trees import tree as trees

Document = dict[str, Any]

Receipts = dict[int, receipts.StoredReceipt]


class LastVerdict:
    """A verdict that was decided earlier, in the same words."""

    def __init__(self, document: Document, line: str) -> None:
        self.document = {**document, "reused": True}
        self.line = line

    @property
    def value(self) -> str:
        return verdicts.read_value(self.document)

    def details(self) -> list[str]:
        """Return nothing: the details were shown when it was decided."""
        return []

    def next_step(self) -> str:
        levels = ("strong", "weak", "note")
        findings = sorted(self.document["findings"], key=lambda finding: levels.index(finding["level"]))
        return str(findings[0]["clears"]) if findings else "ultrawork evidence"


def find_valid(
    store: Store,
    environ: Mapping[str, str],
    place: str,
    session: str | None,
    *,
    own: bool = False,
    strict: bool = False,
    taken: dict[str, str] | None = None,
) -> LastVerdict | None:
    """Return the verdict; None if anything may have changed or the request differs. If the files were scanned for
    that, `taken` maps their folder to their tree."""
    if any(name.startswith(("ULTRAWORK_TESTS_", "ULTRAWORK_STOP_")) for name in environ):
        return None
    active = None if own else find_active(store, environ, place, session)
    chosen = active or find_own(store, place)
    pin = pins.get(store.database, chosen.id) if chosen else None
    if chosen is None or pin is None:
        return None
    document = receipts.find_last_verdict(store.database, chosen.id)
    if document is None or not _is_about(document, chosen, pin) or _is_before(store, chosen):
        return None
    if document.get("mode", "") != (STRICT if strict else ""):
        return None
    used = _used(store, chosen, document)
    if used is None or not _hold(store, used) or _settings_moved(store, document, chosen.working_dir):
        return None
    if not _are_tools_the_same(used, pin, chosen, environ):
        return None
    tree = trees.take_snapshot(chosen.working_dir, store.home.cache, environ).id
    if document["tree"] != tree:
        if taken is not None:
            taken[chosen.working_dir] = tree
        return None
    return LastVerdict(document, summary.render_verdict(document, {n: stored.document for n, stored in used.items()}))


def _used(store: Store, session: Session, document: Document) -> Receipts | None:
    """Return the receipts of its checks; None if one is missing or did not really run."""
    used: Receipts = {}
    for gate in document["gates"].values():
        number = gate["receipt"]
        ran = number is not None and gate["result"] in (GREEN, RED)
        receipt = receipts.find(store.database, session.id, number) if ran else None
        if receipt is None:
            return None
        used[number] = receipt
    return used or None


def _is_about(document: Document, session: Session, pin: Pin) -> bool:
    if session.kind == CHECKOUT and (not pin.refs or pin.refs != checkout.digest_refs(session.working_dir)):
        return False
    same = document["base"] == pin.tree and document["goal"] == session.goal
    return same and not document["accepted"] and verdicts.read_value(document) == document["verdict"]


def _is_before(store: Store, session: Session) -> bool:
    """Whether a planned session is verified, and the last verdict is from before that began: another one is due."""
    if session.phase != VERIFICATION:
        return False
    count = receipts.count_verdicts(store.database, session.id)
    return count <= int(session.state.verification.get("after", 0))


def _hold(store: Store, used: Receipts) -> bool:
    """Return whether the receipts are recent and genuine."""
    for number, stored in used.items():
        if not stored.is_recent(store.now()):
            return False
        if not receipts.is_genuine(store.database, stored.document["session"], number):
            return False
    return True


def _are_tools_the_same(used: Receipts, pin: Pin, session: Session, environ: Mapping[str, str]) -> bool:
    gates = {gate.name: gate for gate in pin.gates}
    for stored in used.values():
        gate = gates.get(stored.document["gate"]["name"])
        if gate is None or read_versions(gate, session.working_dir, environ) != stored.document["tools"]:
            return False
    return True


def _settings_moved(store: Store, document: Document, place: str) -> bool:
    """Return whether the user's own defaults or a reviewer's findings were written since, or packages were installed."""
    decided = parse_iso(document["decided"]) or 0.0
    if checkouts.find_prepared(store.home, place) >= decided:
        return True
    return any(find_write_time(path) > decided for path in (store.home.settings, store.home.reviews))


def make_own_name(place: str) -> str:
    """The session of a checkout that `verify` outside of any other uses."""
    return f"verify-{digest(place)[:8]}"


def find_active(store: Store, environ: Mapping[str, str], place: str, name: str | None) -> Session | None:
    if name is not None:
        return sessions.find(store.database, name, place)
    client = find_client_session(environ)
    rows = store.database.rows(
        "SELECT id FROM sessions WHERE ended_at IS NULL AND kind!=? AND (id=? OR working_dir=?)"
        " ORDER BY id=? DESC, started_at DESC, rowid DESC",
        CHECKOUT, client, place, client,
    )  # fmt: skip
    candidates = (sessions.get(store.database, row[0]) for row in rows)
    return next((session for session in candidates if session.active), None)


def find_own(store: Store, place: str) -> Session | None:
    try:
        return sessions.get(store.database, make_own_name(place))
    except NotFound:
        return None

"""Receipts of earlier runs that still say something about these files. Only one verification runs at a time in a
checkout: the next one waits, and reuses the receipts."""

import os
from typing import Any

from ...core.errors import Conflict
from ...core.times import format_duration
from ...core.verdict.gate import Gate
from ...core.verdict.gate_run import GREEN, RED, GateResult, TestReport
from ...store import receipts
from ...store.atomic import Lock, read_text
from ...store.codec import digest
from ...store.receipts import StoredReceipt
from ...system.process_tree import MARK
from ..context import AGENT, GateContext
from ..trees.scratch import find_last_install
from .receipt import BASE, NEW, RunReceipt, make_command_key
from .seals import read_versions

OUTPUT = 64_000


def find_reusable(context: GateContext, gate: Gate, tree: str, on: str) -> RunReceipt | None:
    """Return a valid receipt for exactly these files and this command."""
    stored = _latest(context, gate, tree, on)
    if stored is None or not _is_trusted(context, gate, stored):
        return None
    if on == NEW and not is_recent(context, stored):
        return None
    return _restore(context, gate, stored, reused=True)


def find_last_red(context: GateContext, gate: Gate, tree: str) -> RunReceipt | None:
    """The last red run here on files on which it has also been green."""
    results = receipts.list_results(
        context.store.database, context.session.id, command=make_command_key(gate), tree=tree
    )
    red = [number for number, result in results if result == RED]
    if not red or GREEN not in [result for _, result in results]:
        return None
    stored = receipts.find(context.store.database, context.session.id, red[-1])
    assert stored is not None
    return _restore(context, gate, stored)


def list_faults(context: GateContext, gate: Gate) -> list[str]:
    """The results over the faults that were planted in the last trial of this gate here."""
    return receipts.list_fault_results(context.store.database, context.root, make_command_key(gate))


def is_recent(context: GateContext, stored: StoredReceipt) -> bool:
    """Return whether a receipt is recent, with nothing untrusted since."""
    return stored.minted_at >= context.trusted_since and stored.is_recent(context.store.now())


def _latest(context: GateContext, gate: Gate, tree: str, on: str) -> StoredReceipt | None:
    """Return the latest baseline result; a run in the checkout counts if the files were those of the baseline."""

    def look(target: str, session: str | None) -> StoredReceipt | None:
        return receipts.find_latest(
            context.store.database,
            place=context.root,
            command=make_command_key(gate),
            tree=tree,
            target=target,
            session=session,
        )

    stored = look(on, context.session.id if on == NEW else None)
    return look(NEW, None) if stored is None and on == BASE else stored


def _is_trusted(context: GateContext, gate: Gate, stored: StoredReceipt) -> bool:
    """Return whether it really ran, is unmodified, used today's tools, and nothing was installed since."""
    document = stored.document
    return bool(
        stored.minted_at >= find_last_install(context.root)
        and document["result"] in (GREEN, RED)
        and not _is_bent(document)
        and receipts.is_genuine(context.store.database, document["session"], document["id"])
        and document["tools"] == read_versions(gate, context.root, context.environ)
    )


def _is_bent(document: dict[str, Any]) -> bool:
    """Return whether the agent ran it in another environment than at the start; then it shows nothing."""
    run = document["run"]
    return bool(run["by"] == AGENT and run.get("differing") != [])


def _restore(context: GateContext, gate: Gate, stored: StoredReceipt, *, reused: bool = False) -> RunReceipt:
    document = stored.document
    own = document["session"] == context.session.id
    result = GateResult(
        document["result"],
        report=None if stored.report is None else TestReport(**stored.report),
        output=_logged(context, document),
        reason=document.get("reason", ""),
        receipt=document["id"] if own else None,
    )
    return RunReceipt(gate, result, document, reused=reused)


def _logged(context: GateContext, document: dict[str, Any]) -> str:
    path = f"{context.store.home.session(document['session'])}/{document['output']['log']}"
    return read_text(path, OUTPUT) or ""


class VerificationLock:
    """`with VerificationLock(context)`: waits as long as there is time. The system frees it when its holder dies."""

    def __init__(self, context: GateContext) -> None:
        self._context = context
        self._path = f"{context.cache}/verify-{digest(context.root)[:16]}.lock"
        self._lock: Lock | None = None

    def __enter__(self) -> bool:
        """Return whether another verification had to be waited for."""
        os.makedirs(self._context.cache, mode=0o700, exist_ok=True)
        try:
            self._lock = Lock(self._path, patience=0).__enter__()
        except Conflict:
            self._wait()
            return True
        return False

    def _wait(self) -> None:
        if self._context.environ.get(MARK):
            raise Conflict(
                "a check runs `ultrawork verify`, which would run that check again. Remove it from the check"
            )
        left = self._context.left
        self._context.progress("waiting for another verification of this checkout", None)
        try:
            self._lock = Lock(self._path, patience=left).__enter__()
        except Conflict:
            raise Conflict(
                f"another verification has been running here for {format_duration(left)}. Try again later"
            ) from None

    def __exit__(self, *_: object) -> None:
        """Release the lock; a caller may do so early, so that others need not wait."""
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.__exit__()

    release = __exit__

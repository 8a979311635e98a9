"""Receipts of earlier runs that still say something about these files."""

from ..core.judging import Side
from ..core.results import GREEN, RED, TestReport
from ..store import receipts
from . import run
from .mint import BASE, NEW, Minted, key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.gate import Gate
    from ..store.receipts import Found
    from .work import Work

SHORTEST_USE = 300.0
OUTPUT = 64_000


def reusable(work: "Work", gate: "Gate", tree: str, on: str) -> Minted | None:
    """A receipt for exactly these files and this command that still holds."""
    found = _latest(work, gate, tree, on)
    if found is None or not _is_trusted(work, gate, found):
        return None
    if on == NEW and not holds(work, found):
        return None
    return _minted(work, gate, found, reused=True)


def last_red(work: "Work", gate: "Gate", tree: str) -> Minted | None:
    """The last red run here on files on which it has also been green."""
    told = receipts.results(
        work.store.database, work.session.id, command=key(gate), tree=tree, target=NEW
    )
    red = [number for number, result in told if result == RED]
    if not red or GREEN not in [result for _, result in told]:
        return None
    found = receipts.found(work.store.database, work.session.id, red[-1])
    assert found is not None
    return _minted(work, gate, found)


def holds(work: "Work", found: "Found") -> bool:
    """By time: five minutes or twice its own time, and nothing untrusted happened since."""
    age = work.store.now() - found.minted_at
    longest = max(SHORTEST_USE, 2 * found.document["run"]["seconds"])
    return found.minted_at >= work.trusted_since and 0 <= age <= longest


def _latest(work: "Work", gate: "Gate", tree: str, on: str) -> "Found | None":
    """What base was is also told by a run here, when the files were those of the base."""

    def look(target: str, session: str | None) -> "Found | None":
        return receipts.latest(
            work.store.database,
            place=work.root,
            command=key(gate),
            tree=tree,
            target=target,
            session=session,
        )

    found = look(on, work.session.id if on == NEW else None)
    return look(NEW, None) if found is None and on == BASE else found


def _is_trusted(work: "Work", gate: "Gate", found: "Found") -> bool:
    """It really ran, is as it was written, and its tools are those of today."""
    document = found.document
    if document["result"] not in (GREEN, RED):
        return False
    if not receipts.genuine(work.store.database, document["session"], document["id"]):
        return False
    return bool(document["tools"] == run.tools(gate, work.root, work.environ))


def _minted(work: "Work", gate: "Gate", found: "Found", *, reused: bool = False) -> Minted:
    document = found.document
    own = document["session"] == work.session.id
    side = Side(
        document["result"],
        report=None if found.report is None else TestReport(**found.report),
        output=_logged(work, document),
        reason=document.get("reason", ""),
        receipt=document["id"] if own else None,
    )
    return Minted(gate, side, document, reused=reused)


def _logged(work: "Work", document: "dict[str, Any]") -> str:
    path = f"{work.store.home.session(document['session'])}/{document['output']['log']}"
    try:
        with open(path, "rb") as file:
            return file.read(OUTPUT).decode("utf-8", "replace")
    except OSError:
        return ""

"""Detect tampering with what a verdict rests on, beside the files: pins, programs, who gave consent."""

import os
from collections.abc import Iterator, Mapping

from ...core.check import quote
from ...core.verdict import rules
from ...core.verdict.finding import Finding
from ...core.wording import name_some
from ...store import anchors, pins, sessions, tasks
from ...store.database import find_broken_links
from ...store.pins import Pin
from ..context import AGENT, GateContext
from ..run import seals


def find_tampering(context: GateContext, pin: Pin) -> Iterator[Finding]:
    """Look for tampering in sessions that a user started; `verify` pins its own sessions itself."""
    if pin.around is None:
        return
    database, session = context.store.database, context.session
    if anchors.is_taken_over(database, session.id, pin.at):
        yield rules.make_finding("taken-over")
    if bent := _find_bent_record(context):
        yield rules.make_finding(bent)
    if forged := anchors.list_foreign(database, session.id, pin.at):
        # They had no effect, so they cost nothing.
        count = "an event" if len(forged) == 1 else f"{len(forged)} events"
        last = f"{forged[-1]['event']} {quote(forged[-1]['what']) if forged[-1]['what'] else ''}"
        yield rules.make_finding("forged-event", count=count, last=last.rstrip())
    if denied := anchors.list_tampering(database, session.id, pin.at):
        yield rules.make_finding("tampering", paths=name_some(list(dict.fromkeys(denied))))
    if session.state.ulw.get("by") == AGENT:
        yield rules.make_finding("asked-by-agent")
    if settled := tasks.list_settled_by_hand(database, session.id):
        yield rules.make_finding("settled-by-hand", names=", ".join(settled[:3]))
    if pin.around.seals:
        yield from _find_broken_seals(context, pin, pin.around.seals)


def _find_bent_record(context: GateContext) -> str:
    """Return the rule for a record of this session that no longer fits together; the first one explains the others."""
    database, session = context.store.database, context.session
    if find_broken_links(database, session.id):
        return "record-changed"
    if not sessions.is_as_recorded(database, session):
        return "session-changed"
    return "" if pins.is_chained(database, session.id) else "pins-changed"


def _find_broken_seals(context: GateContext, pin: Pin, before: Mapping[str, str]) -> Iterator[Finding]:
    """Find changed programs. An install is honest work and only mentioned; a changed ultrawork costs the PASS."""
    broken = seals.list_broken(before, seals.take_seals(context.root, context.environ, pin.gates))
    if seals.OURSELVES in broken:
        broken.remove(seals.OURSELVES)
        is_work = os.path.realpath(__file__).startswith(os.path.realpath(context.root) + "/")
        yield rules.make_finding("own-program-work" if is_work else "own-program")
    if broken:
        yield rules.make_finding("surroundings-changed", where=broken[0], names=name_some(broken))

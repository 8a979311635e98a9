"""Detect tampering with what a verdict rests on, beside the files: pins, programs, who gave consent."""

import os

from ...core.check import quote
from ...core.verdict import rules
from ...core.verdict.finding import Finding
from ...core.wording import name_some
from ...store import anchors, pins, sessions, tasks
from ...store.change import find_broken_links
from ...store.pins import Pin
from ..context import AGENT, GateContext
from ..run import seals


def find_tampering(context: GateContext, pin: Pin) -> list[Finding]:
    """Look for tampering in sessions that a user started; `verify` pins its own sessions itself."""
    if pin.around is None:
        return []
    return [
        *_find_other_hands(context, pin),
        *_find_bent_pins(context),
        *_find_forged(context, pin),
        *_find_denied_edits(context, pin),
        *_find_asker(context),
        *_find_settled(context),
        *_find_broken_seals(context, pin),
    ]


def _find_bent_pins(context: GateContext) -> list[Finding]:
    database, name = context.store.database, context.session.id
    if find_broken_links(database, name):
        what = "another program changed the record of this session"
        return [rules.make_finding("record-changed", what=what)]
    if not sessions.is_as_recorded(database, context.session):
        what = "another program changed the goal or the folder of this session"
        return [rules.make_finding("session-changed", what=what)]
    if pins.is_chained(database, name):
        return []
    what = (
        "another program changed the baseline of this session, so nothing can be compared with it"
    )
    return [rules.make_finding("pins-changed", what=what)]


def _find_other_hands(context: GateContext, pin: Pin) -> list[Finding]:
    if not anchors.is_taken_over(context.store.database, context.session.id, pin.at):
        return []
    what = "another process took over this session while its client was running"
    return [rules.make_finding("taken-over", what=what)]


def _find_forged(context: GateContext, pin: Pin) -> list[Finding]:
    """Report forged events. They had no effect, so they cost nothing."""
    found = anchors.list_foreign(context.store.database, context.session.id, pin.at)
    if not found:
        return []
    last = f"{found[-1]['event']} {quote(found[-1]['what'])}" if found[-1]["what"] else ""
    count = "an event" if len(found) == 1 else f"{len(found)} events"
    what = f"{count} did not come from the client and had no effect: {last or found[-1]['event']}"
    return [rules.make_finding("forged-event", what=what)]


def _find_denied_edits(context: GateContext, pin: Pin) -> list[Finding]:
    found = anchors.list_tampering(context.store.database, context.session.id, pin.at)
    if not found:
        return []
    what = f"the agent tried to edit ultrawork's own files: {', '.join(dict.fromkeys(found))}"
    return [rules.make_finding("tampering", what=what[:100])]


def _find_asker(context: GateContext) -> list[Finding]:
    if context.session.state.ulw.get("by") != AGENT:
        return []
    return [rules.make_finding("asked-by-agent")]


def _find_settled(context: GateContext) -> list[Finding]:
    names = tasks.list_settled_by_hand(context.store.database, context.session.id)
    if not names:
        return []
    return [rules.make_finding("settled-by-hand", names=", ".join(names[:3]))]


def _find_broken_seals(context: GateContext, pin: Pin) -> list[Finding]:
    """Find changed programs. An install is honest work and only mentioned; a changed ultrawork costs the PASS."""
    assert pin.around is not None
    before = pin.around.seals
    if not before:
        return []
    now = seals.take_seals(context.root, context.environ, pin.gates)
    broken = seals.list_broken(before, now)
    found = []
    if seals.OURSELVES in broken:
        broken.remove(seals.OURSELVES)
        found.append(_judge_own_change(context))
    if broken:
        what = f"changed since ulw: {name_some(broken)}"
        found.append(rules.make_finding("surroundings-changed", what=what, where=broken[0]))
    return found


def _judge_own_change(context: GateContext) -> Finding:
    """Report a change to ultrawork's own program; it is fine if the session works on that program."""
    what = "ultrawork's own program was changed since ulw"
    is_work = os.path.realpath(__file__).startswith(os.path.realpath(context.root) + "/")
    return rules.make_finding("own-program-work" if is_work else "own-program", what=what)

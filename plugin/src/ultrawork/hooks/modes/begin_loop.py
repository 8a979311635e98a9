"""The modes over a light session: ralph and ultraqa start, or get more rounds from the user."""

from collections.abc import Callable
from re import search
from typing import Any

from ...core.errors import NotFound, UltraworkError, UsageError
from ...core.modes import loops, modes, record, tables
from ...core.modes.tables import ModeProgress
from ...core.verdict.gate import ASKED, Gate
from ...flow import modes as flow
from ...store import ending, markers, pins, sessions
from ...store.omc.folder import Omc
from ..event import Answer, Event
from ..prompt import arming


def begin(event: Event, mode: str, words: str) -> Answer:
    """Start the mode. A prompt may arrive as two events; the second adds nothing."""
    before = _before(event, mode)
    if before is not None and before.active and before.facts.get("prompt") == event.prompt_mark:
        return Answer()
    flow.refuse_rivals(event.store, event.place, event.session, mode)
    return _BEGINNERS[mode](event, words, before)


def _before(event: Event, mode: str) -> ModeProgress | None:
    row = event.store.database.row("SELECT 1 FROM sessions WHERE id=?", event.session)
    if row is None:
        return None
    return record.read_all(sessions.get(event.store.database, event.session)).get(mode)


def _ralph(event: Event, words: str, before: ModeProgress | None) -> Answer:
    from ...flow import stories
    from ...store.omc import states

    omc = Omc(event.place)
    goal, most = _rounds(words)
    prd, log = states.read_prd(omc), states.read_log(omc)
    if prd is not None:
        goal = goal or prd.description or f"finish the stories of {prd.path}"
    kept = before.facts.get("stories", {}) if before is not None and before.active else {}
    facts = {"prompt": event.prompt_mark, "goal": goal, **stories.make_start_facts(prd, kept), "linked_ultrawork": True}
    limits = {"iteration": most} if most else {}
    progressed, armed = _begin_over_session(event, modes.RALPH, goal, facts, limits, linked=(modes.ULTRAWORK,))
    most = progressed.limits["iteration"]
    return _answer(armed, loops.brief_ralph(prd, log, most), loops.announce_ralph(_gates(event), prd, most))


def _rounds(words: str) -> tuple[str, int]:
    """Return the goal and the limit of `--max-iterations 20 fix it`."""
    most = tables.LOOPS[modes.RALPH].most
    match = search(r"(?<!\S)--max-iterations(?:=|\s+|$)(\S*)\s*", words)
    if match is None:
        return words.strip(), 0
    if not match[1].isdecimal() or not 1 <= int(match[1]) <= most:
        raise UsageError(f"--max-iterations must be a number from 1 to {most}")
    return (words[: match.start()] + words[match.end() :]).strip(), int(match[1])


def _ultraqa(event: Event, words: str, _before: ModeProgress | None) -> Answer:
    from ...core.modes import loops
    from ...gates.session import preparation

    wanted = loops.parse_goal(words)
    gates = loops.select_gates(wanted, preparation.list_gates(event.store, event.environ, event.place))
    if not gates:
        raise NotFound(f"I found no {wanted.kind} check in this project. Add one: ulw gates draft")
    names = [gate.name for gate in gates]
    facts = {
        "prompt": event.prompt_mark,
        "goal_type": wanted.kind,
        "goal_pattern": wanted.custom or None,
        "gates": names,
    }
    goal = wanted.goal or f"is {', '.join(names)} green?"
    progressed, armed = _begin_over_session(event, modes.ULTRAQA, goal, facts)
    _pin(event, [gate for gate in gates if gate.source == ASKED])
    most = progressed.limits["cycle"]
    return _answer(armed, loops.brief_ultraqa(gates, most), loops.announce_ultraqa(gates, most))


def _begin_over_session(
    event: Event,
    mode: str,
    goal: str,
    facts: dict[str, Any],
    limits: dict[str, int] | None = None,
    *,
    linked: tuple[str, ...] = (),
) -> tuple[ModeProgress, Answer]:
    """Start the session first; if the mode may not start, end a session started for it."""
    was_on = markers.is_armed_anywhere(event.home, event.environ, event.session)
    if not goal and not was_on:
        raise UsageError(f"add a task, for example: {mode} fix the login bug")
    armed = arming.arm(event, goal) or Answer()
    try:
        progress = flow.begin(
            event.store, event.place, event.session, mode, facts=facts, linked=linked, limits=limits, now=event.clock()
        )
    except UltraworkError:
        if not was_on:
            ending.cancel(event.store, event.session, rule="mode-refused", how=f"{mode} could not start")
            markers.disarm(event.home, event.environ, event.session)
        raise
    return _restore_rounds(event, progress) if was_on else progress, armed


def _restore_rounds(event: Event, progress: ModeProgress) -> ModeProgress:
    """Restore all rounds, because the user asked for it."""
    with event.store.change(event.session) as change:
        session = sessions.get(change.database, event.session)
        progress.counts[tables.LOOPS[progress.mode].counter] = 1
        progress.facts.update({"row": 0, "mark": "", "failures": []})
        flow.save(change, session, progress)
    return progress


def _gates(event: Event) -> list[Gate]:
    pin = pins.get(event.store.database, event.session)
    return pin.gates if pin is not None else []


def _pin(event: Event, gates: list[Gate]) -> None:
    """Pin a command that the user asked for as a check of this session; it needs consent like any other."""
    if not gates:
        return
    ruled = event.adapter.list_ruled(event, [gate.command for gate in gates])
    with event.store.change(event.session) as change:
        pin = pins.get(change.database, event.session)
        assert pin is not None
        names = {gate.name for gate in gates}
        pin.gates = [*(gate for gate in pin.gates if gate.name not in names), *gates]
        pins.save(change, pin)
        session = sessions.get(change.database, event.session)
        ulw = session.state.ulw
        session.state.ulw = {**ulw, "ruled": [*(ulw.get("ruled") or ()), *ruled]}
        sessions.save(change, session, "gates.asked", {"gates": sorted(names)})


def _answer(armed: Answer, block: str, line: str) -> Answer:
    if armed.plain:
        return Answer(plain=f"{armed.plain}\n{block}")
    context = f"{armed.context}\n{block}" if armed.context else block
    first = "".join(armed.message.partition("\n")[1:])
    return Answer(context=context, message=line + first, title=armed.title)


_BEGINNERS: dict[str, Callable[[Event, str, ModeProgress | None], Answer]] = {
    modes.RALPH: _ralph,
    modes.ULTRAQA: _ultraqa,
}

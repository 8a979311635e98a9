"""Start a verification: find its session, its baseline, and what it may run; estimate what that takes, for people who
wait."""

from collections.abc import Callable, Mapping, Sequence

from ...clients.confinement import Confinement
from ...core.plan import criteria
from ...core.session.session import CHECKOUT, Session
from ...core.times import format_duration
from ...core.value import Value
from ...core.verdict.gate import TEST, Gate, has_service
from ...core.verdict.verdict import Finding
from ...core.wording import count_things, cut
from ...store import checkouts, pins, receipts, sessions, tasks
from ...store.pins import Pin
from ...store.store import Store
from ..context import AGENT, GateContext
from ..judge.outcome import VerifyOutcome
from ..judge.verify import adjudicate_only
from ..judge.verify import verify as verify_work
from ..run.narrow import is_narrow, narrow
from ..run.receipt import BASE, NEW, make_command_key, read_usual_seconds
from ..run.reuse import find_reusable
from . import last_verdict, pinning

# If everything passes: once more with the change and twice without it, or a trace and a planted test.
_FURTHER_RUNS = 3
_SINGLE_TESTS = 1.5


def run(
    store: Store,
    environ: Mapping[str, str],
    place: str,
    *,
    by: str,
    seconds: float,
    session: str | None = None,
    base: str | None = None,
    fresh: bool = False,
    own: bool = False,
    strict: bool = False,
    quick: bool = False,
    taken: Mapping[str, str] | None = None,
    held: Confinement | None = None,
    announce: Callable[[str], None] | None = None,
    progress: Callable[[str, float | None], None] | None = None,
    tick: Callable[[], None] | None = None,
) -> VerifyOutcome:
    """
    Verify a checkout for its active session or, with `own`, for the checkout itself. `announce` is called with
    what will run. All runs are `held` to a sandbox. `taken` are trees of folders that were just scanned, so they
    are not scanned again.
    """
    chosen, pin = (
        make_own_session(store, environ, place, base)
        if own
        else choose_session(store, environ, place, session=session, base=base)
    )
    root = chosen.place or place
    tree = (taken or {}).get(root) or pinning.take_tree(root, store, environ)
    context = GateContext(
        store,
        chosen,
        root=root,
        settings=pinning.read_pinned_settings(root, store, environ, pin, tree),
        environ=environ,
        by=by,
        seconds=seconds,
        trusted_since=store.now() if fresh else checkouts.find_prepared(store.home, root),
        progress=progress,
        tick=tick,
        strict=strict,
        quick=quick,
        held=held,
    )
    if announce is not None:
        announce(describe_plan(context, pin, tree))
    outcome = verify_work(context, pin, tree)
    if by == AGENT:
        _consent(context, outcome)
    return outcome


def adjudicate(store: Store, environ: Mapping[str, str], place: str, *, by: str, seconds: float) -> list[Finding]:
    """Test what external reviewers claimed about this checkout, without running the project's checks."""
    session, pin = choose_session(store, environ, place)
    root = session.place or place
    tree = pinning.take_tree(root, store, environ)
    settings = pinning.read_pinned_settings(root, store, environ, pin, tree)
    context = GateContext(store, session, root=root, settings=settings, environ=environ, by=by, seconds=seconds)
    return adjudicate_only(context, pin)


def list_criterion_gates(store: Store, session: Session) -> list[Gate]:
    """Return the commands of a planned session's criteria as checks, each once."""
    gates: dict[str, Gate] = {}
    for task in tasks.list_all(store.database, session.id):
        for criterion in map(criteria.parse, task.criteria):
            if not criterion.judged:
                gates.setdefault(criterion.command, criteria.make_gate(task.id, criterion))
    return list(gates.values())


def list_usual_seconds(store: Store, place: str, gates: Sequence[Gate]) -> dict[str, float]:
    """Return the usual duration of each check, longest first; a check that never ran counts as zero."""
    durations: dict[str, float] = {}
    for gate in gates:
        usual = receipts.find_longest_seconds(store.database, place, make_command_key(gate))
        durations[gate.name] = durations.get(gate.name, 0.0) + (usual or 0.0)
    return dict(sorted(durations.items(), key=lambda pair: -pair[1]))


def _consent(context: GateContext, outcome: VerifyOutcome) -> None:
    """Record that the client's own prompt allowed this run, so that a hook may now run exactly these checks."""
    ran = [check_state.now.gate.command for check_state in outcome.measured if check_state.now is not None]
    receipts.allow(
        context.store.database, context.root, ran, at=context.store.now(), how="a permitted ultrawork verify"
    )


def choose_session(
    store: Store, environ: Mapping[str, str], place: str, *, session: str | None = None, base: str | None = None
) -> tuple[Session, Pin]:
    """Return the named session, else the active one of this checkout, else the checkout's own."""
    active = last_verdict.find_active(store, environ, place, session)
    if active is not None and base is None:
        pin = pins.get(store.database, active.id)
        if pin is not None:
            return active, pin
    return make_own_session(store, environ, place, base)


def make_own_session(store: Store, environ: Mapping[str, str], place: str, base: str | None) -> tuple[Session, Pin]:
    """Create a session for the checkout, measured against its parent branch or the given baseline."""
    pin = pinning.pin_commit(place, store, environ, base)
    fresh = Session(
        id=last_verdict.make_own_name(place),
        goal=cut(f"the changes in {place.rpartition('/')[2]}", 80),
        working_dir=place,
        kind=CHECKOUT,
        started_at=store.now(),
    )
    with store.change(fresh.id) as change:
        # Searched inside the transaction, because two verifications may start at once.
        session = last_verdict.find_own(store, place)
        if session is None:
            session = fresh
            sessions.create(change, session)
        pins.save(change, pin)
    session.started_at = fresh.started_at
    return session, pin


def describe_plan(context: GateContext, pin: Pin, tree: str) -> str:
    """`2 checks, 3 runs and up to 3 of single tests, about 4 s to 8 s`: what green work takes, by earlier runs."""
    plans = [_plan(context, pin, gate, tree) for gate in pin.gates]
    least, single = (sum(getattr(plan, name) for plan in plans) for name in ("whole", "single"))
    most = least + sum(plan.more for plan in plans)
    runs = f"{least} to {most} runs" if most > least else count_things(most, "run")
    amount = f"{runs} and up to {single} of single tests" if single else runs
    checks = count_things(len(plans), "check")
    if any(plan.seconds is None for plan in plans):
        return f"{checks}, {amount}; duration not known yet"
    shortest = sum(plan.whole * (plan.seconds or 0) for plan in plans)
    longest = shortest + sum(plan.count_further_seconds() for plan in plans)
    until = f" to {format_duration(longest)}" if longest > shortest else ""
    return f"{checks}, {amount}, about {format_duration(shortest)}{until}"


class _GatePlan(Value):
    """Runs of one check: `whole` in any case, `more` possibly, or only of `single` tests."""

    seconds: float | None
    whole: int
    more: int = 0
    single: int = 0

    def count_further_seconds(self) -> float:
        once = self.seconds or 0.0
        return self.more * once + self.single * min(once, _SINGLE_TESTS)


def _plan(context: GateContext, pin: Pin, gate: Gate, tree: str) -> _GatePlan:
    """Plan the runs. The baseline runs only if its result is unknown, and narrowed if the runner can select tests."""
    seconds = read_usual_seconds(context, gate)
    now = 0 if find_reusable(context, gate, tree, NEW) else 1
    judged = gate.kind == TEST and gate.required and not context.quick and tree != pin.tree
    if not judged or has_service(gate):
        return _GatePlan(seconds, now)
    whole = now + (0 if find_reusable(context, gate, pin.tree, BASE) else 1)
    if is_narrow(narrow(gate, ["test_x"]), gate):
        return _GatePlan(seconds, whole, single=_FURTHER_RUNS)
    return _GatePlan(seconds, whole, more=_FURTHER_RUNS)

"""
Requests that share a baseline: what a new `ulw` inherits, and what agents leave for the next one.

A chain keeps two trees. They differ in the paths that agents of the chain left and that the user has not accepted
since. Both are built from recorded entries in our own object store; the user's index and refs are only read.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ...core.course import chain as rules
from ...core.course.chain import COMMITTING, SWITCHING, AgentActs, Chain
from ...core.errors import UltraworkError
from ...core.value import Value, fresh
from ...core.verdict import verdict as verdicts
from ...core.verdict.gate_run import RED
from ...core.verdict.verdict import NOTE
from ...store import anchors, chains, decisions, log, pins, sessions, trace
from ...store.database import Change
from ...store.pins import Pin
from ...store.store import Store
from ...system import ancestry, checkout, history
from ...system.files import find_change_time
from ...system.git import Git
from ..trees import tree as trees
from ..trees.lost_work import read_entries
from ..trees.tree import Entry, Tree
from . import pinning

# A session whose client was active within this time is still running beside the new one.
_AT_WORK = 600.0
_SHOWN = 20


class Request(Value):
    """A new request: its baseline, its chain, and the chains it continues."""

    pin: Pin
    chain: Chain
    absorbed: list[Chain] = fresh(list)

    @property
    def files(self) -> str:
        """The files as they are, of which the baseline may differ."""
        return self.chain.files

    @property
    def inherited(self) -> str:
        """Return what it continues in one line; empty if nothing was inherited."""
        return str(self.chain.continues.get("what", ""))

    def save(self, change: Change) -> None:
        for chain in self.absorbed:
            chains.discard_chain(change.database, chain)
        pins.save(change, self.pin)
        chains.save(change, self.chain)


def begin(place: str, store: Store, environ: Mapping[str, str], session: str, goal: str = "") -> Request:
    """Start a request. Its baseline is the current files, except that each path an agent of the chain left unchanged
    has its old content there, or is absent."""
    now = trees.take_snapshot(place, store.home.cache, environ)
    chains = _list_continued(store, environ, place, session, now)
    carried: dict[str, Entry] = {}
    going_on: list[Chain] = []
    for continued in chains:
        here = _find_carried(continued, now)
        going_on += [continued] if here else []
        carried = {**here, **carried}
    base = trees.compose(now, carried)
    continues = _describe(store, going_on[-1], sorted(carried)) if going_on else {}
    head = _read_head(now, environ)
    branches = [name for earlier in chains for name in earlier.branches]
    chain = Chain(
        session=session,
        place=place,
        branches=sorted({*branches, history.read_branch(place)}),
        base=base.id,
        files=now.id,
        head=head,
        start=going_on[0].start if going_on else head,
        at=store.now(),
        continues={**continues, "files": now.id} if continues else {},
    )
    pin = pinning.pin(place, store, environ, goal, now=now, base=base)
    return Request(pin, chain, chains)


def follow(store: Store, environ: Mapping[str, str], session: str, tree: str = "") -> None:
    """Record what the agent left at the end of a turn. An error here never prevents a stop."""
    known = chains.find(store.database, session)
    if known is None:
        return
    try:
        cache = store.home.cache
        now = (
            trees.get_recorded(tree, known.place, cache, environ)
            if tree
            else trees.take_snapshot(known.place, cache, environ)
        )
        moved = _bring_up(store, environ, known, now, until=store.now())
        with store.change(session) as change:
            if moved is None:
                chains.close_chain(change, known, "a verdict without checks")
            elif moved != known:
                chains.save(change, moved)
    except (UltraworkError, OSError) as error:
        log.write(store.home, "chain", f"{session}: {error}")


def start_anew(store: Store, place: str) -> None:
    """`ulw new`: the next request of this branch starts from the files as they are."""
    branch = history.read_branch(place)
    matching = [chain for chain in chains.list_here(store.database, place) if branch in chain.branches]
    for chain in matching:
        with store.change(chain.session) as change:
            chains.close_chain(change, chain, "ulw new")


def _list_continued(store: Store, environ: Mapping[str, str], place: str, session: str, now: Tree) -> list[Chain]:
    """Return the chains of this branch that continue here, oldest first, in their current state."""
    branch, continued = history.read_branch(place), []
    for chain in chains.list_here(store.database, place):
        if chain.session != session and _is_at_work(store, chain):
            continue
        try:
            moved = _bring_up(store, environ, chain, now, until=None)
        except (UltraworkError, OSError) as error:
            log.write(store.home, "chain", f"{chain.session}: {error}")
            continue
        if moved is not None and branch in moved.branches:
            continued.append(moved)
    return continued


def _is_at_work(store: Store, chain: Chain) -> bool:
    """Return whether another client is in the middle of a turn: what it has changed so far is its own."""
    if not sessions.get(store.database, chain.session).active:
        return False
    heard = trace.read_tail(store.home, chain.session)[-1:]
    times = [float(entry.get("at") or 0.0) for entry in heard if not decisions.is_noted_stop(entry)]
    in_turn = any(at > chain.at and store.now() - at < _AT_WORK for at in times)
    return in_turn and not ancestry.is_gone(anchors.get_anchor(store.database, chain.session))


def _bring_up(
    store: Store, environ: Mapping[str, str], chain: Chain, now: Tree, *, until: float | None
) -> Chain | None:
    """A chain with what was decided, written and committed since; None if it was closed by that."""
    entries = trace.read_all(store.home, chain.session)
    acts = rules.read_acts(entries, chain.at, now.root, until)
    branch = history.read_branch(chain.place)
    if branch not in chain.branches:
        switched = history.find_switch_time(chain.place, branch)
        if not rules.has_agent_done(switched, acts, SWITCHING):
            return chain
    decided = chains.find_verdict_since(store.database, chain.session, chain.at)
    if decided is not None and _closes(store, chain, decided):
        return None
    base, files = _place(chain, now)
    head, start = _read_head(now, environ), chain.start
    if decided is not None and _is_pass(decided):
        base = files = Tree(decided["tree"], now.place)
        start = head
    files = _add_written(files, now, acts)
    if head is not None and head != chain.head:
        git = Git(now.root, environ)
        base = _add_committed(base, files, git, _list_person_commits(git, chain, head, acts))
    return Chain(
        session=chain.session,
        place=chain.place,
        branches=sorted({*chain.branches, branch}),
        base=base.id,
        files=files.id,
        head=head,
        start=start,
        at=store.now(),
        continues=chain.continues,
        id=chain.id,
    )


def _place(chain: Chain, now: Tree) -> tuple[Tree, Tree]:
    return Tree(chain.base, now.place), Tree(chain.files, now.place)


def _closes(store: Store, chain: Chain, decided: dict[str, Any]) -> bool:
    """A verdict where no check exists: nothing will ever show more."""
    return not verdicts.has_checks(decided) and not sessions.get(store.database, chain.session).active


def _is_pass(decided: dict[str, Any]) -> bool:
    return verdicts.read_value(decided) == verdicts.PASS and decided.get("mode") != verdicts.QUICK


def _add_written(files: Tree, now: Tree, acts: AgentActs) -> Tree:
    """Add what the agent wrote since, in its current state."""
    if acts.is_empty:
        return files
    changed = trees.diff_entries(files, now)
    times = {path: find_change_time(f"{now.root}/{path}") for path in changed}
    written = rules.find_agent_paths(times, acts)
    return trees.compose(files, {path: changed[path][1] for path in written})


def _list_person_commits(git: Git, chain: Chain, head: str, acts: AgentActs) -> list[str]:
    commits = history.list_commits(git, chain.head, head)
    return [name for at, name in commits if not rules.has_agent_done(at, acts, COMMITTING)]


def _add_committed(base: Tree, files: Tree, git: Git, commits: Sequence[str]) -> Tree:
    """Add to the baseline the paths that the user committed unchanged: that accepts them."""
    left = trees.diff_entries(base, files) if commits else {}
    brought = history.list_committed_entries(git, commits) if left else set()
    taken = {path: agents for path, (_, agents) in left.items() if (path, agents) in brought}
    return trees.compose(base, taken)


def _read_head(now: Tree, environ: Mapping[str, str]) -> str | None:
    if now.kind != trees.GIT:
        return None
    return checkout.read_head(now.root) or Git(now.root, environ).head()


def _find_carried(chain: Chain, now: Tree) -> dict[str, Entry]:
    base, files = _place(chain, now)
    entries = trees.diff_entries(base, files)
    return rules.choose_carried(entries, read_entries(now, files, entries)) if entries else {}


def _describe(store: Store, chain: Chain, paths: Sequence[str]) -> dict[str, Any]:
    """Describe the chain for the verdict document and its line."""
    pin = pins.get(store.database, chain.session)
    since = pin.at if pin is not None else chain.at
    decided = chains.find_verdict_since(store.database, chain.session, since)
    reasons = _list_open(decided) if decided is not None else []
    verdict = verdicts.UNVERIFIED if decided is None else verdicts.read_value(decided)
    return {
        "session": chain.session,
        "verdict": verdict,
        "open": reasons[:_SHOWN],
        "paths": list(paths[:_SHOWN]),
        "what": rules.describe_continued(verdict, reasons, paths),
    }


def _list_open(decided: dict[str, Any]) -> list[str]:
    findings = [str(finding["what"]) for finding in decided["findings"] if finding["level"] != NOTE]
    failing = [f"{name} fails" for name, gate in decided["gates"].items() if gate["result"] == RED]
    return findings or failing

"""Take over a run from a machine that is gone: its journal becomes rows of the local store, its baseline and results
become local refs, and work on other machines is awaited as if it had been started here.

The new coordinator first writes the next journal entry; if another was faster, nothing happens here. The journal says
what runs here, and everyone with a token for the remote can write it: an entry without the journal key's signature is
refused before anything of it is used."""

import os
import re
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from hashlib import sha256
from typing import Any

from ..clients.headless.attempt import Attempt, write_note
from ..core.errors import Conflict, NotFound
from ..core.session.session import COMPLETE
from ..core.wording import cut, join_lines
from ..engine.agents.integration import record_checkout
from ..engine.repository import worktrees
from ..engine.repository.git_hooks import read_rules
from ..engine.repository.opening import open_repository, require_checkout
from ..engine.repository.repository import CheckoutStart, Repository
from ..gates.session import pinning
from ..store import atomic, pins, sessions
from ..store.codec import dumps, loads
from ..store.sqlite import Error as DatabaseError
from ..store.store import Store
from ..store.views import ALL
from ..system import history
from .journal import HOST_WIDTH, META, ORDER, ORDERS, SIGNATURE, list_entry, name_journal, read_coordinator
from .journal_rows import list_tables, load_rows
from .keys import JOURNAL_KEY_FILE, ClusterKey, read_key
from .packs import ObjectPack, read_commit
from .place import name_host, require_remote
from .remote import GitRemote, RefPush, name_base


def take_over(
    store: Store, environ: Mapping[str, str], place: str, session: str, url: str, *, trusted: bool = False
) -> None:
    """Take over; raise if it already exists here, exists nowhere, was not signed with our key (unless `trusted`), has
    come to its end, or another was faster."""
    if store.database.value("SELECT 1 FROM sessions WHERE id=?", session):
        raise Conflict(f"session {session[:8]} already exists here; run: ultrawork resume --session {session}")
    checkout = require_checkout(place, environ)
    repository = Repository(checkout, store.home, session, environ)
    remote = GitRemote(checkout.top, require_remote(url), environ)
    key = read_key(environ, JOURNAL_KEY_FILE, store.home.root)
    journal = _Journal(remote, name_journal(repository.names.session), session, key)
    if not trusted:
        journal.require_signed()
    with _reading(session):
        journal.require_unfinished(repository.names.integration)
        journal.claim(store.home.session(session), environ)
        meta = journal.read_json(META)
        rewrite = _make_rewrite({str(meta["folder"]): store.home.session(session), str(meta["top"]): checkout.top})
        _lay_refs(repository, remote, meta)
        files = {f"{table}.jsonl": journal.read(f"{table}.jsonl") for table in list_tables(store.database)}
        begun_at = float(loads(files["sessions.jsonl"])["started_at"])
        opened = open_repository(place, store.home, session, environ, begun_at=begun_at)
        for order in journal.read_json(ORDERS).values():
            _lay_order(opened, remote, order, rewrite)
        # The rows come last, and with their new baseline: until then all of this can be repeated. A session that is known
        # here by another machine's folder and programs would end UNVERIFIED, as one that was tampered with.
        with store.change(session) as change:
            load_rows(change.database, files, rewrite)
            known = sessions.get(change.database, session)
            moved = known.working_dir
            if known.state.integration:
                known.state.integration = _lay_results(opened, known.state.integration)
                sessions.save(change, known, "session.placed", {"at": opened.head()})
            change.record(sessions.MOVED, {"place": moved, "from": meta["host"]})
            before = pins.get(change.database, session)
            if before is not None:
                pins.save(change, pinning.pin_moved(moved, store, environ, before))
            change.touch(ALL)


@contextmanager
def _reading(session: str) -> Generator[None, None, None]:
    """A signature says who wrote it, and not that this version can read it; without one it may be anything."""
    try:
        yield
    except (AttributeError, DatabaseError, LookupError, TypeError, ValueError) as error:
        what = cut(join_lines(str(error)), 80)
        raise Conflict(f"the journal of {session[:8]} is not one that this version can read ({what})") from None


_FILE = "100644"
_MOST_FILES = 100
_MOST_BYTES = 256 << 20


class _Journal:
    """The journal as found; after `claim` it is ours."""

    def __init__(self, remote: GitRemote, ref: str, session: str, key: ClusterKey) -> None:
        self._remote = remote
        self._key = key
        self._ref = ref
        self._session = session
        self._entry = remote.list_refs(ref).get(ref, "")
        if not self._entry:
            raise NotFound(f"there is no run {session} on {remote.url}")
        remote.fetch(ref)
        self._files = {name: read_commit(remote.git, self._entry, name) for name in self._list_names()}

    def _list_names(self) -> list[str]:
        """Return the names of its files; raise if they are not a journal's, before any of it is read."""
        answer = self._remote.git.answer(["ls-tree", "--long", "-z", f"{self._entry}^{{tree}}"])
        entries = [line.partition("\t") for line in answer.out.decode("utf-8", "replace").split("\0") if line]
        kinds = [head.split() for head, _, _ in entries]
        is_plain = all(mode == _FILE and size.isdigit() for mode, _, _, size in kinds)
        if answer.exit or not is_plain or len(kinds) > _MOST_FILES:
            raise Conflict(f"refused {self._ref}: it is not a journal of ultrawork")
        if sum(int(size) for *_, size in kinds) > _MOST_BYTES:
            raise Conflict(f"refused {self._ref}: it is larger than {_MOST_BYTES:,} bytes")
        return [name for _, _, name in entries]

    def require_signed(self) -> None:
        """Tasks, their criteria and the checks of the project are in there, and are run here."""
        given = self._files.get(SIGNATURE, b"").decode("utf-8", "replace")
        if not self._key.has_signed(self._list(self._files), given):
            raise Conflict(
                f"the journal of {self._session[:8]} is not signed with {self._key.path}; copy that file from"
                f" where the run began, see {self._key.variable}, or resume with --trust-journal"
            )

    def require_unfinished(self, results: str) -> None:
        """The entry that says COMPLETE is the last one of whoever wrote it: only that machine delivers."""
        if loads(self.read("sessions.jsonl"))["phase"] == COMPLETE:
            host = cut(join_lines(str(self.read_json(META)["host"])), HOST_WIDTH)
            raise Conflict(
                f"session {self._session[:8]} was completed by {host}; nothing is left to resume. To get its results:"
                f" git fetch {self._remote.url} {results}"
            )

    def _list(self, files: Mapping[str, bytes]) -> str:
        signed = {name: data for name, data in files.items() if name != SIGNATURE}
        digests = {name: sha256(data).hexdigest() for name, data in signed.items()}
        return list_entry(self._session, digests)

    def read(self, name: str) -> str:
        return self._files.get(name, b"").decode()

    def read_json(self, name: str) -> dict[str, Any]:
        return dict(loads(self.read(name)))

    def claim(self, folder: str, environ: Mapping[str, str]) -> None:
        """Write the same entry with our name; from now on the previous coordinator cannot write."""
        git = self._remote.git
        meta = self.read_json(META) | {
            "coordinator": read_coordinator(folder),
            "host": name_host(environ),
            "at": time.time(),
        }
        files = {**self._files, META: dumps(meta).encode()}
        files[SIGNATURE] = self._key.sign(self._list(files)).encode()
        pack = ObjectPack(self._entry)
        blobs = {name: pack.add("blob", data) for name, data in files.items()}
        entry = pack.add_commit(
            pack.add_tree(blobs), [self._entry], f"{self._session}: taken over\n", self._remote.identity
        )
        pack.write(git)
        try:
            self._remote.push([RefPush(self._ref, entry, self._entry)])
        except Conflict:
            raise Conflict(f"session {self._session[:8]} is run by another machine and continues there") from None
        history.set_ref(git, self._ref, entry)


def _make_rewrite(paths: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that maps another machine's paths in JSON to local ones; longest first, and only whole ones."""
    known = {_escape(theirs): _escape(ours) for theirs, ours in paths.items()}
    pattern = re.compile("|".join(f"{re.escape(path)}(?![\\w.-])" for path in sorted(known, key=len, reverse=True)))
    return lambda text: pattern.sub(lambda match: known[match[0]], text)


def _escape(path: str) -> str:
    """Return a path as it stands in JSON, where a quote is not itself."""
    return dumps(path)[1:-1]


def _lay_refs(repository: Repository, remote: GitRemote, meta: Mapping[str, Any]) -> None:
    """Create the refs of the run's baseline and merged results, as the journal names them."""
    names = repository.names
    remote.fetch(names.base, names.integration)
    wanted = {names.base: meta["start"]["base"], names.integration: meta["results"]}
    for ref, commit in wanted.items():
        if repository.git.commit(ref) != commit:
            raise Conflict(f"{ref} on {remote.url} differs from the journal; another process moved it")
    start = replace(
        CheckoutStart(**meta["start"]),
        top=repository.top,
        head=repository.git.head() or "",
        branch=repository.git.line("symbolic-ref", "--quiet", "HEAD") or "",
        rules=read_rules(repository),
    )
    os.makedirs(repository.folder, mode=0o700, exist_ok=True)
    atomic.write(f"{repository.folder}/start.json", dumps(asdict(start)))
    repository.write_last(repository.head())
    history.set_ref(repository.git, names.view, repository.head())


def _lay_results(repository: Repository, theirs: str) -> str:
    """Recreate the worktree of the final verification from the same commit; return its path."""
    name = os.path.basename(os.path.dirname(theirs))
    commit = repository.git.commit(name.rpartition("-")[2])
    if commit is None:
        raise Conflict(f"the commit of {name} is not on the remote, so the run cannot continue here")
    return worktrees.prepare_detached(repository, name, commit).path


def _lay_order(repository: Repository, remote: GitRemote, order: dict[str, Any], rewrite: Callable[[str], str]) -> None:
    """Create the worktree that the attempt began from, and the order as if given here."""
    attempt = Attempt.of(order["attempt"])
    attempt.folder = loads(rewrite(dumps(attempt.folder)))
    if repository.git.commit(order["base"]) is None:
        remote.fetch(name_base(attempt.session, order["base"]))
    if attempt.read_only:
        name = f"whole-{order['base'][:12]}"
        made = worktrees.prepare_detached(repository, name, order["base"])
    else:
        made = worktrees.prepare(repository, attempt.subject, attempt.epoch, order["base"], installed=False)
    attempt.place = made.path
    os.makedirs(attempt.folder, mode=0o700, exist_ok=True)
    if not attempt.read_only:
        record_checkout(repository, attempt.folder)
    write_note(attempt)
    atomic.write(f"{attempt.folder}/{ORDER}", dumps({**order, "attempt": attempt.document()}))

"""The journal of a run: everything the store knows about it, on the remote, so that its coordinator may die with its
machine.

It is one ref that moves only from its writer's last state: of two coordinators one cannot continue. A machine gets an
attempt only when its order is in the journal, and results move in the same push as their entry."""

import os
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from typing import Any, NamedTuple

from ..core.errors import Conflict, Trouble, UltraworkError
from ..core.wording import cut, join_lines
from ..engine.contract import RunHalted, RunJournal
from ..engine.run import HeadlessRun
from ..report import timeline
from ..store import atomic, attempts
from ..store.codec import dumps, loads
from ..system import history
from ..system.files import read_bytes
from .job import TAKEN
from .journal_rows import dump_rows
from .keys import JOURNAL_KEY_FILE, read_key
from .packs import ObjectPack, read_commit
from .place import name_host
from .refusal import FIRM, RefusalBoard, RemotePatience, RemoteRefusal, describe_end
from .remote import AttemptRefs, GitRemote, RefPush

META = "meta.json"
SIGNATURE = "signature"
HOST_WIDTH = 64
ORDERS = "orders.json"
ORDER = "order.json"
_COORDINATOR = "coordinator"
_EVERY = 1.0  # seconds that the journal may lag for entries without their own push
_PATIENCE = 600.0
_PAUSE = 2.0
_PASSING = ("attempts", "outputs")
_CARRIED = ("bases", "jobs")
_AT_ONCE = 100
_LAST_PUSH = 5.0
_META_BYTES = 1 << 20


class _Blob(NamedTuple):
    text: str
    id: str
    digest: str


class GitJournal(RunJournal):
    """The journal. `last` is our last known entry; a coordinator that finds another one has lost the run."""

    def __init__(
        self,
        run: HeadlessRun,
        url: str,
        environ: Mapping[str, str],
        board: RefusalBoard | None = None,
        firm: float = FIRM,
    ) -> None:
        self._run = run
        self._board = board or RefusalBoard()
        self._board.show(run.store.home, run.name, lambda line: run.tell(timeline.REFUSED, line=line))
        self._firm = firm
        self._environ = environ
        self._remote = GitRemote(run.repository.top, url, environ)
        self.ref = name_journal(run.repository.names.session)
        self._lock = threading.Lock()
        self._loss = ""
        self._known = (-1, "")
        self._ahead = ("", "")
        self._orders: set[str] = set()
        self._blobs: dict[str, _Blob] = {}
        self._key = read_key(environ, JOURNAL_KEY_FILE, run.store.home.root)
        self._there: dict[str, str] = {}
        self._stop = threading.Event()
        self.last = self._find_last()
        run.repository.announce = self.announce
        self.record()
        self._thread = threading.Thread(target=self._keep_up, name="journal", daemon=True)
        self._thread.start()

    def _find_last(self) -> str:
        """Return our last entry, even if we were killed before learning that it was accepted."""
        names = self._run.repository.names
        self._there = self._remote.list_refs(self.ref, names.base, names.integration)
        here = self._here = self._remote.git.commit(self.ref) or ""
        there = self._there.pop(self.ref, "")
        if there:
            if there != here:
                self._remote.fetch(self.ref)
                self._here = there
            # What is here may be theirs too: after losing a run we read who drives it.
            meta = read_meta(self._remote, there)
            if meta.get("coordinator") != read_coordinator(self._run.folder):
                raise Conflict(describe_loss(self._run.name, meta))
        return there

    def record(self) -> None:
        self._write()

    def announce(self, commit: str) -> None:
        """Results are about to move there: on the remote they do it first, with the entry."""
        self._write(commit)

    def _find_head(self, announced: str) -> str:
        """Between the announcement and the move, results are on the remote where they will be here."""
        here = self._run.repository.head()
        if announced:
            self._ahead = (here, announced)
        before, after = self._ahead
        return after if here == before else here

    def require_order(self, key: str) -> None:
        """Returns when the order of this attempt is in the journal."""
        if key not in self._orders:
            self.record()

    def get_loss(self) -> str:
        return self._loss

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        try:
            if not self._loss:
                self.record()
                if not self._run.read_session().active:
                    self.tidy()
        except UltraworkError:
            pass  # it is stored as far as possible, and nothing waits for more

    def _keep_up(self) -> None:
        """Record in the background what no one waits for: ends of attempts, their costs."""
        while not self._stop.wait(_EVERY):
            try:
                self.record()
            except UltraworkError:
                if self._loss:
                    return

    def _write(self, announced: str = "") -> None:
        with self._lock:
            if self._loss:
                raise RunHalted(self._loss)
            head = self._find_head(announced)
            seen = self._read(head)
            if seen is None:
                return
            revision, orders, rows = seen
            self._push(self._commit(head, orders, rows), head)
            self._known, self._orders = (revision, head), set(orders)

    def _read(self, head: str) -> tuple[int, dict[str, Any], dict[str, str]] | None:
        """Return all of one moment; None if nothing is new since the last entry."""
        database = self._run.store.database
        database.rows("BEGIN")
        try:
            revision = database.value("SELECT revision FROM sessions WHERE id=?", self._run.name)
            orders = self._read_orders()
            if self._known == (revision, head) and self._orders.issuperset(orders):
                return None
            return revision, orders, dump_rows(database, self._run.name)
        finally:
            database.rows("COMMIT")

    def _read_orders(self) -> dict[str, Any]:
        """Return what another coordinator needs to wait for running attempts."""
        orders = {}
        for row in attempts.list_running(self._run.store.database, self._run.name):
            order = _read_json(f"{row.folder}/{ORDER}")
            if order is not None:
                orders[f"{self._run.name}/{row.subject}/{row.epoch}"] = order
        return orders

    def _commit(self, head: str, orders: Mapping[str, Any], rows: Mapping[str, str]) -> str:
        run = self._run
        meta = {
            "session": run.name,
            "coordinator": read_coordinator(run.folder),
            "host": name_host(self._environ),
            "folder": run.folder,
            "top": run.repository.top,
            "start": asdict(run.repository.start),
            "results": head,
            "at": time.time(),
        }
        files = {META: dumps(meta), ORDERS: dumps(orders), **rows}
        pack = ObjectPack(head)
        blobs = {name: self._add(pack, name, text) for name, text in files.items()}
        digests = {name: self._blobs[name].digest for name in files}
        signature = self._key.sign(list_entry(run.name, digests)).encode()
        tree = pack.add_tree({**blobs, SIGNATURE: pack.add("blob", signature)})
        entry = pack.add_commit(
            tree, [self.last] if self.last else [], f"{run.name}: {len(orders)} running\n", self._remote.identity
        )
        try:
            pack.write(self._remote.git)
        except UltraworkError:
            self._blobs.clear()  # what is thought to be there may not be
            raise
        return entry

    def _add(self, pack: ObjectPack, name: str, text: str) -> str:
        """Most tables are as they were: their blobs are there."""
        known = self._blobs.get(name)
        if known is None or known.text != text:
            data = text.encode("utf-8", "replace")
            known = _Blob(text, pack.add("blob", data), sha256(data).hexdigest())
            self._blobs[name] = known
        return known.id

    def _push(self, entry: str, head: str) -> None:
        names = self._run.repository.names
        wanted = {names.base: self._run.repository.base, names.integration: head}
        patience = RemotePatience(self._board, "journal", _PATIENCE, self._firm)
        while True:
            moves = [RefPush(self.ref, entry, self.last)]
            moves += [
                RefPush(ref, commit, self._there.get(ref, ""))
                for ref, commit in wanted.items()
                if self._there.get(ref) != commit
            ]
            try:
                is_ours = self._swap(moves, entry)
            except Trouble as error:
                self._run.orders.check()
                if patience.is_over(error):
                    raise RunHalted(self.halt(error)) from None
                time.sleep(_PAUSE)
            else:
                break
        patience.end()
        if not is_ours:
            self._lose()
        history.set_ref(self._remote.git, self.ref, entry, self._here)
        self.last = self._here = entry
        self._there |= wanted

    def _swap(self, moves: list[RefPush], entry: str) -> bool:
        """Return False if another process has written the journal; raise Trouble if it is ours and something else was
        refused."""
        try:
            self._remote.push(moves)
        except (Conflict, RemoteRefusal) as error:
            there = self._remote.list_refs(self.ref).get(self.ref, "")
            if there != self.last:
                return there == entry  # it may have been taken, and the answer lost
            if isinstance(error, RemoteRefusal):
                raise
            text = f"git push to {self._remote.url} was rejected: another process moved a ref of this run"
            raise RemoteRefusal(text) from None
        return True

    def halt(self, error: Exception) -> str:
        """Stop starting work; running work continues, and a resume finds it. Return why, as a sentence."""
        self._loss = self._loss or describe_end(error)
        self._run.orders.leaving = True
        return self._loss

    def tidy(self) -> None:
        """Remove from the remote what was imported here."""
        names = self._run.repository.names
        refs = history.list_refs(self._remote.git, f"refs/ultrawork/{names.session}/")
        taken, ended = self._list_taken(), self._list_ended()
        passing = tuple(names.ref_for(kind, "") for kind in _PASSING)
        always = tuple(names.ref_for(kind, "") for kind in _CARRIED)
        wait = self._wait_for(taken)
        over = [
            RefPush(ref, "", commit)
            for ref, commit in wait.items()
            if ref.startswith(always)
            or (ref.startswith(passing) and commit in {*refs.values(), *taken})
            or ref in ended
        ]
        for start in range(0, len(over), _AT_ONCE):
            self._remote.push(over[start : start + _AT_ONCE])
        for path in taken.values():
            os.unlink(path)

    def remove(self) -> None:
        """Remove everything of this run from the remote. A resume here writes it again."""
        if self._loss:
            return  # it belongs to another coordinator
        try:
            remove_run(self._remote, self._run.repository.names.session)
        except UltraworkError as error:
            text = f"could not remove this run's refs from {self._remote.url} ({error}); remove them: ultrawork clean"
            self._run.tell(timeline.NOTE, text=text)

    def _wait_for(self, taken: Mapping[str, str]) -> dict[str, str]:
        """Wait for the last short outputs, which machines push after reporting them."""
        end = time.monotonic() + _LAST_PUSH
        while True:
            refs = self._remote.list_refs(f"refs/ultrawork/{self._run.repository.names.session}/*")
            if taken.keys() <= set(refs.values()) or time.monotonic() >= end:
                return refs
            time.sleep(_PAUSE / 4)

    def _list_taken(self) -> dict[str, str]:
        """Return outputs of attempts that ended here, each with its file."""
        folder = f"{self._run.folder}/attempts"
        paths = [f"{folder}/{name}/{TAKEN}" for name in os.listdir(folder)]
        return {read_bytes(path).decode(): path for path in paths if os.path.isfile(path)}

    def _list_ended(self) -> set[str]:
        """Outputs of attempts that have ended, also with another coordinator."""
        rows = attempts.list_all(self._run.store.database, self._run.name)
        ended = [row for row in rows if row.state == attempts.ENDED]
        return {AttemptRefs(self._run.name, row.subject, row.epoch).output for row in ended}

    def _lose(self) -> None:
        """Stop, because another coordinator moved it: running work continues and is theirs."""
        there = self._remote.list_refs(self.ref).get(self.ref, "")
        if not there:
            text = f"the refs of session {self._run.name[:8]} were deleted on {self._remote.url}"
            raise RunHalted(self.halt(RemoteRefusal(text, "ultrawork resume writes them again")))
        self._remote.fetch(self.ref)
        self._loss = describe_loss(self._run.name, read_meta(self._remote, there))
        self._run.orders.leaving = True
        raise RunHalted(self._loss)


def remove_run(remote: GitRemote, session: str) -> int:
    """Every ref of a run; `session` is a part of a ref already. How many there were."""
    refs = remote.list_refs(f"refs/ultrawork/{session}/*")
    over = [RefPush(ref, "", commit) for ref, commit in refs.items()]
    for start in range(0, len(over), _AT_ONCE):
        remote.push(over[start : start + _AT_ONCE])
    return len(over)


def name_journal(session: str) -> str:
    """`session` is a part of a ref already."""
    return f"refs/ultrawork/{session}/journal"


def read_meta(remote: GitRemote, commit: str) -> dict[str, Any]:
    """Return the metadata; empty if someone wrote something else there."""
    try:
        document = loads(read_commit(remote.git, commit, META, _META_BYTES).decode())
    except (ValueError, UltraworkError):
        document = None
    return document if isinstance(document, dict) else {}


def describe_loss(session: str, meta: Mapping[str, Any]) -> str:
    host = cut(join_lines(str(meta.get("host") or "another machine")), HOST_WIDTH)
    return f"session {session[:8]} is now run by {host} and continues there"


def list_entry(session: str, digests: Mapping[str, str]) -> str:
    """Return what is signed of an entry: the digests of its files, so that none can be changed, added or removed."""
    return dumps([session, sorted(digests.items())])


def read_coordinator(folder: str) -> str:
    """Return our id: a unique name of this state folder."""
    path = f"{folder}/{_COORDINATOR}"
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        atomic.write(path, os.urandom(16).hex())
        return read_coordinator(folder)


def _read_json(path: str) -> dict[str, Any] | None:
    try:
        with open(path, encoding="utf-8") as file:
            return dict(loads(file.read()))
    except FileNotFoundError:
        return None

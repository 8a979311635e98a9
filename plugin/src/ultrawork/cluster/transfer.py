"""The coordinator's side of traveling code: send what an attempt begins from, import its result.

An attempt's local worktree gets the files that another machine committed, so everything after that (collecting,
merging, checking, salvage) is the same wherever an agent ran; and every deciding check runs here."""

import asyncio
import os
from collections.abc import Callable, Mapping
from shutil import disk_usage
from threading import Lock
from typing import Any, TypeVar

from ..clients.headless.attempt import Attempt
from ..core.errors import Conflict, Trouble, UltraworkError
from ..engine.agents.executor import ENDED
from ..engine.agents.local.attempt_folder import write_bytes
from ..store.codec import dumps
from ..system.checkout import read_head
from ..system.files import remove_file
from ..system.git import Git
from .job import LIMIT, NO_ROOM, OUTPUT, TAKEN, AttemptJob, JobResult, restore_output, unpack_output
from .journal import ORDER
from .keys import ClusterKey
from .packs import read_commit, write_commit
from .refusal import RemotePatience
from .remote import AttemptRefs, GitRemote, RefPush, name_base

RESULT = "result.json"
CANCEL = "cancel"
_FIRST, _LONGEST = 1.0, 30.0  # seconds between two questions
Answer = TypeVar("Answer")

_PAUSES = (0.2, 0.5, 1.0, 2.0, 5.0)
LONGEST = 900.0  # seconds that a remote may be unreachable


class Transfer:
    def __init__(self, url: str, environ: Mapping[str, str], key: ClusterKey) -> None:
        self._url = url
        self._environ = environ
        self._key = key
        self._sent: set[str] = set()
        self._lock = Lock()

    def find_base(self, place: str) -> str:
        """Return what is checked out in an attempt's worktree before any work."""
        commit = read_head(place) or Git(place, self._environ).head()
        if commit is None:
            raise Conflict(f"{place} has no commit to work on")
        return commit

    def find_request(self, job: AttemptJob) -> dict[str, str] | None:
        """Return what Temporal carries, if nothing must be sent first; for callers that cannot wait for a thread."""
        sealed = self._key.seal(job.make_request())
        return sealed if job.base in self._sent and _is_short(sealed) else None

    def forget_base(self, commit: str) -> None:
        """Forget a base after a lost attempt: it may be gone from the remote, and is sent again."""
        self._sent.discard(commit)

    def send(self, attempt: Attempt, job: AttemptJob) -> dict[str, str]:
        """Send the base, once for all attempts that begin from it, and a job that is too long to carry. Return what
        Temporal carries, signed."""
        with self._lock:
            if job.base not in self._sent:
                base = RefPush(name_base(attempt.session, job.base), job.base)
                _ensure(self._open(attempt), base)
                self._sent.add(job.base)
        sealed = self._key.seal(job.make_request())
        if _is_short(sealed):
            return sealed
        remote = self._open(attempt)
        refs = AttemptRefs.of(attempt)
        files = {"job.json": dumps(sealed).encode("utf-8", "replace")}
        commit = write_commit(remote, job.base, files, f"The job of {attempt.key}")
        _ensure(remote, RefPush(refs.job, commit))
        return self._key.seal(
            {"remote": self._url, "session": attempt.session, "subject": attempt.subject, "epoch": attempt.epoch}
        )

    def find_result(self, attempt: Attempt) -> JobResult | None:
        """Return what a worker has pushed, even if it was not reported."""
        refs = AttemptRefs.of(attempt)
        remote = self._open(attempt)
        commits = remote.list_refs(refs.output)
        if refs.output not in commits:
            return None
        remote.fetch(refs.output)
        result, _ = unpack_output(read_commit(remote.git, commits[refs.output], OUTPUT), self._key, attempt.key)
        result.output = commits[refs.output]
        return result

    def take_in(self, attempt: Attempt, result: JobResult) -> None:
        """Import a result; repeatable after a crash with the same files."""
        if not result.output:
            return
        fetch = restore_output(result.said) if result.said else b""
        if not result.is_whole:
            fetch = self._fetch(attempt, result) or fetch
        for name, data in unpack_output(fetch, self._key, attempt.key)[1].items():
            write_bytes(f"{attempt.folder}/{name}", data)
        # Cleanup of the remote uses this to know what was imported.
        write_bytes(f"{attempt.folder}/{TAKEN}", result.output.encode())
        if result.work:
            git = self._open(attempt).git
            tree = _find_files(git, AttemptRefs.of(attempt).work, result.work)
            _check_out(git, tree)

    def _fetch(self, attempt: Attempt, result: JobResult) -> bytes:
        """Fetch its work, and the output if it was too long to come with the result."""
        refs, remote = AttemptRefs.of(attempt), self._open(attempt)
        remote.fetch(*([] if result.said else [refs.output]), *([refs.work] if result.work else []))
        return b"" if result.said else read_commit(remote.git, refs.output, OUTPUT)

    def _open(self, attempt: Attempt) -> GitRemote:
        return GitRemote(attempt.place, self._url, self._environ)


def _find_files(git: Git, ref: str, commit: str) -> str:
    """Return the tree to check out: the reported commit, made on what is checked out here. A late one, made on
    something older, is put on top, if no file changed on both sides."""
    tip, before, base = git.resolve(f"{ref}^{{commit}}", f"{ref}^^{{commit}}", "HEAD^{commit}")
    if tip != commit or not before or not base:
        raise Conflict(f"{ref} is not the expected commit {commit[:12]}")
    if before == base:
        return commit
    if git.answer(["merge-base", "--is-ancestor", before, base]).exit:
        raise Conflict(f"{ref} is not based on the checked-out commit")
    return _merge_files(git, ref, [before, base, commit])


def _check_out(git: Git, tree: str) -> None:
    """Check out; wait for room on the disk, but not for files that git will never write, as one in `.git`."""
    try:
        git.ask(["read-tree", "--reset", "-u", tree])
    except Trouble as error:
        if disk_usage(git.root).free < NO_ROOM:
            raise
        raise Conflict(f"could not check out what its agent made: {error}") from None


def _merge_files(git: Git, ref: str, sides: list[str]) -> str:
    """Return the tree of both sides; a file is taken as a whole."""
    index = f"{git.git_dir()}/late.{os.urandom(8).hex()}"
    aside = git.with_variables({"GIT_INDEX_FILE": index})
    try:
        aside.ask(["read-tree", "-i", "-m", "--aggressive", *sides])
        merged = aside.answer(["write-tree"])
    finally:
        remove_file(index)
    if merged.exit:
        raise Conflict(f"{ref} changes files that changed meanwhile; running it again")
    return merged.out.decode().strip()


def _is_short(sealed: Mapping[str, str]) -> bool:
    return sum(map(len, sealed.values())) <= LIMIT


def _ensure(remote: GitRemote, move: RefPush) -> None:
    """Push; an existing ref is fine, because its name identifies its content."""
    try:
        remote.push([move])
    except Conflict:
        if move.ref not in remote.list_refs(move.ref):
            raise


async def persist(patience: RemotePatience, job: Callable[..., Answer], *given: Any) -> Answer:
    """Run a job, waiting for a remote that is temporarily gone."""
    tries = 0
    while True:
        try:
            done = await asyncio.to_thread(job, *given)
        except (Trouble, OSError) as error:
            if patience.is_over(error):
                raise
            await asyncio.sleep(_PAUSES[min(tries, len(_PAUSES) - 1)])
            tries += 1
        else:
            patience.end()
            return done


class LostAttempts:
    """Earlier attempts at the same task; `pause` until they are checked again, None if there are none."""

    def __init__(self, attempt: Attempt, transfer: Transfer) -> None:
        self._lost = _list_lost(attempt)
        self._transfer = transfer
        self.pause = _FIRST / 2 if self._lost else None

    async def take(self, *, failed: bool = False) -> JobResult | None:
        """Return the result of one of them, put where this one's would be; None if there is none. Only if it ended by
        itself, successfully unless `failed` is acceptable, and its work fits what is checked out here."""
        if self.pause:
            self.pause = min(2 * self.pause, _LONGEST)
        for earlier in list(self._lost):
            try:
                job_result = await asyncio.to_thread(self._transfer.find_result, earlier)
                if job_result is None:
                    continue
                if job_result.why == ENDED and (failed or job_result.code == 0):
                    await asyncio.to_thread(self._transfer.take_in, earlier, job_result)
                    return job_result
            except (Trouble, OSError):
                continue  # an unreachable remote is asked again later
            except UltraworkError:
                pass  # the file is not a result: this attempt's own will come
            self._forget(earlier)
        return None

    def _forget(self, earlier: Attempt) -> None:
        """Forget it: it need not be checked again."""
        self._lost.remove(earlier)
        self.pause = self.pause if self._lost else None


def _list_lost(attempt: Attempt) -> list[Attempt]:
    """Return attempts that a machine got and never reported, newest first, as if they were this one: their work
    belongs in its place."""
    attempts = []
    for epoch in range(attempt.epoch - 1, 0, -1):
        folder = f"{attempt.folder.rpartition('.')[0]}.{epoch}"
        there = {name for name in (ORDER, RESULT, CANCEL) if os.path.exists(f"{folder}/{name}")}
        if RESULT in there:
            break  # that one came to its end, and this one follows it
        if there == {ORDER}:
            attempts.append(Attempt.of({**attempt.document(), "epoch": epoch}))
    return attempts

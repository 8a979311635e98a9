"""
The coordinator's side of code that travels: what an attempt begins from is sent, what came of it is taken in.

The worktree of an attempt here gets the files that another machine committed, so what follows (collecting,
merging, checking, salvage) is the same wherever an agent ran; and every check that decides runs here.
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, TypeVar

from ..clients.headless.attempt import Attempt
from ..core.errors import Conflict, Trouble
from ..engine.agents.local.attempt_folder import write_bytes
from ..store.codec import dumps
from ..system.checkout import read_head
from ..system.files import remove_file
from ..system.git import Git
from .job import (
    LIMIT,
    OUTPUT,
    TAKEN,
    AttemptJob,
    JobResult,
    restore_output,
    unpack_output,
)
from .keys import ClusterKey
from .packs import read_commit, write_commit
from .refusal import RemotePatience
from .remote import AttemptRefs, GitRemote, RefPush, name_base

Answer = TypeVar("Answer")

_PAUSES = (0.2, 0.5, 1.0, 2.0, 5.0)
LONGEST = 900.0  # seconds that a remote may be gone


class Transfer:
    def __init__(self, url: str, environ: Mapping[str, str], key: ClusterKey) -> None:
        self._url = url
        self._environ = environ
        self._key = key
        self._sent: set[str] = set()
        self._lock = Lock()

    def find_base(self, place: str) -> str:
        """What is checked out in an attempt's worktree before anybody has worked there."""
        found = read_head(place) or Git(place, self._environ).head()
        if found is None:
            raise Conflict(f"{place} has no commit to work on")
        return found

    def find_request(self, job: AttemptJob) -> dict[str, str] | None:
        """What Temporal is to carry, if nothing has to be sent first; asked by those who cannot wait for a thread."""
        sealed = self._key.seal(job.make_request())
        return sealed if job.base in self._sent and _is_short(sealed) else None

    def forget_base(self, commit: str) -> None:
        """What came of an attempt from it is lost: it may be gone from the remote, and is sent again."""
        self._sent.discard(commit)

    def send(self, attempt: Attempt, job: AttemptJob) -> dict[str, str]:
        """
        The base, once for all attempts that begin from it, and a job that is too long to be carried. What Temporal is
        to carry, signed.
        """
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
            {
                "remote": self._url,
                "session": attempt.session,
                "subject": attempt.subject,
                "epoch": attempt.epoch,
            }
        )

    def find_result(self, attempt: Attempt) -> JobResult | None:
        """What a worker has pushed, also if nobody was told of it."""
        refs = AttemptRefs.of(attempt)
        remote = self._open(attempt)
        found = remote.list_refs(refs.output)
        if refs.output not in found:
            return None
        remote.fetch(refs.output)
        result, _ = unpack_output(read_commit(remote.git, found[refs.output], OUTPUT))
        result.output = found[refs.output]
        return result

    def take_in(self, attempt: Attempt, result: JobResult) -> None:
        """May be asked again after a crash: the same files come of it."""
        if not result.output:
            return
        said = restore_output(result.said) if result.said else b""
        if not result.is_whole:
            said = self._fetch(attempt, result) or said
        for name, data in unpack_output(said)[1].items():
            write_bytes(f"{attempt.folder}/{name}", data)
        # Whoever tidies the remote up knows by this what has been taken in.
        write_bytes(f"{attempt.folder}/{TAKEN}", result.output.encode())
        if result.work:
            git = self._open(attempt).git
            tree = _find_files(git, AttemptRefs.of(attempt).work, result.work)
            git.ask(["read-tree", "--reset", "-u", tree])

    def _fetch(self, attempt: Attempt, result: JobResult) -> bytes:
        """Its work, and what was printed if that is too long to have come with the result."""
        refs, remote = AttemptRefs.of(attempt), self._open(attempt)
        remote.fetch(*([] if result.said else [refs.output]), *([refs.work] if result.work else []))
        return b"" if result.said else read_commit(remote.git, refs.output, OUTPUT)

    def _open(self, attempt: Attempt) -> GitRemote:
        return GitRemote(attempt.place, self._url, self._environ)


def _find_files(git: Git, ref: str, commit: str) -> str:
    """
    What is to be checked out: the commit that was told, made on what is checked out here. One that was made on something
    older, as it came late, is put on top of it, if no file was changed on both sides.
    """
    found, before, base = git.resolve(f"{ref}^{{commit}}", f"{ref}^^{{commit}}", "HEAD^{commit}")
    if found != commit or not before or not base:
        raise Conflict(f"{ref} is not the expected commit {commit[:12]}")
    if before == base:
        return commit
    if git.answer(["merge-base", "--is-ancestor", before, base]).exit:
        raise Conflict(f"{ref} is not based on the checked-out commit")
    return _merge_files(git, ref, [before, base, commit])


def _merge_files(git: Git, ref: str, sides: list[str]) -> str:
    """The tree of both sides; a file is taken as a whole."""
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
    """What is there already is as good: its name tells what it is."""
    try:
        remote.push([move])
    except Conflict:
        if move.ref not in remote.list_refs(move.ref):
            raise


async def persist(patience: RemotePatience, job: Callable[..., Answer], *given: Any) -> Answer:
    """A remote that is gone for a while is waited for: nothing is lost by that."""
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

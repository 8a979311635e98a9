"""Proofs in git: notes under `refs/notes/ultrawork`, keyed by tree, and how they travel.

Publishing is fetch, union merge, push, and again if another writer was faster. Nothing fails silently: what was not
pushed raises, and says that the note is stored here."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import sleep

from ..core.errors import Trouble, UsageError
from ..system.git import Git
from ..system.program import ProgramAnswer
from .envelope import LARGEST_NOTE, add_lines

REF = "refs/notes/ultrawork"
_THEIRS = "refs/notes/ultrawork-fetched"
ATTEMPTS = 10
# Seconds to wait after a push that another writer beat; then longer, and randomized.
_PAUSE = 0.05
PATIENCE = 120.0
# The author of a note's commit does not matter: the signature shows who made a proof.
_IDENTITY = {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in (("NAME", "ultrawork"), ("EMAIL", "ultrawork@localhost"))
}
# How git reaches a remote is the user's own configuration.
_TRANSPORT = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH")
_QUIET = ("gc.auto=0", "maintenance.auto=false", "push.gpgSign=false", "push.followTags=false")
_RACES = ("non-fast-forward", "fetch first", "cannot lock ref", "failed to update ref", "stale info")
_ABSENT = "couldn't find remote ref"


@dataclass(frozen=True, slots=True)
class Pushed:
    """`attempts` counts the pushes that it took."""

    remote: str
    attempts: int


class ProofNotes:
    """The notes of one repository."""

    def __init__(self, place: str, environ: Mapping[str, str]) -> None:
        transport = {name: environ[name] for name in _TRANSPORT if name in environ}
        extra = {**_IDENTITY, **transport}
        self.git = Git(place, environ, extra=extra, settings=_QUIET, patience=PATIENCE)

    def read(self, key: str) -> bytes:
        """Return the note of a tree; empty without one. Git handles any fan-out."""
        blob = self.git.line("notes", f"--ref={REF}", "list", key)
        if blob is None:
            return b""
        size = self.git.line("cat-file", "-s", blob)
        if size is None or int(size) > LARGEST_NOTE:
            # The reader rejects a note of this size.
            return b" " * (LARGEST_NOTE + 1)
        return self.git.ask(["cat-file", "blob", blob])

    def add(self, keys: Sequence[str], lines: Sequence[str]) -> bool:
        """Adds lines to the note of each key; False if all of them stood there already."""
        written = [key for key in keys if self._add_to(key, lines)]
        return bool(written)

    def _add_to(self, key: str, lines: Sequence[str]) -> bool:
        before = self.read(key).decode("utf-8", "replace")
        after = add_lines(before, lines)
        if after == before:
            return False
        if len(after.encode()) > LARGEST_NOTE:
            raise Trouble(
                f"the note of {key[:12]} would exceed 8 MB; remove it: git notes --ref={REF} remove {key[:12]}"
            )
        blob = self.git.ask(["hash-object", "-w", "--stdin"], after.encode()).decode().strip()
        self.git.ask(["notes", f"--ref={REF}", "add", "-f", "-C", blob, key])
        return True

    def choose_remote(self, given: str | None) -> str | None:
        """Return the named remote, else the branch's own, else `origin`; None if there is none."""
        known = os.fsdecode(self.git.answer(["remote"]).out).split("\n")
        if given is not None:
            if given not in known:
                raise UsageError(f"--remote {given} is not a remote here; git remote lists them")
            return given
        upstream = (self.git.upstream() or "").partition("/")[0]
        return next((remote for remote in (upstream, "origin") if remote and remote in known), None)

    def fetch(self, remote: str) -> bool:
        """Merge the remote's notes into ours; False if it has none."""
        words = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no"]
        answer = self.git.answer([*words, remote, f"+{REF}:{_THEIRS}"])
        if answer.exit:
            if _ABSENT in _read_errors(answer):
                return False
            raise Trouble(f"could not fetch the proofs of {remote}: {_find_reason(answer)}")
        try:
            self._merge()
        finally:
            self.git.answer(["update-ref", "-d", _THEIRS])
        return True

    def _merge(self) -> None:
        theirs, ours = self.git.resolve(f"{_THEIRS}^{{commit}}", f"{REF}^{{commit}}")
        if theirs is None or theirs == ours:
            return
        if ours is None:
            self.git.ask(["update-ref", "-m", "ultrawork: fetch", REF, theirs])
            return
        # Whole lines, sorted, each once: a union without duplicates.
        self.git.ask(["notes", f"--ref={REF}", "merge", "-q", "-s", "cat_sort_uniq", _THEIRS])

    def push(self, remote: str) -> Pushed:
        """Push our notes to the remote, merged with others'; raise if that fails."""
        reason = ""
        for attempt in range(1, ATTEMPTS + 1):
            self.fetch(remote)
            words = ["push", "--quiet", "--no-verify", "--recurse-submodules=no"]
            answer = self.git.answer([*words, remote, f"{REF}:{REF}"])
            if answer.exit == 0:
                return Pushed(remote, attempt)
            reason = _find_reason(answer)
            if not any(word in _read_errors(answer) for word in _RACES):
                break
            sleep(_PAUSE * attempt * (1 + os.urandom(1)[0] / 64))
        raise Trouble(
            f"could not push the proof to {remote}: {reason}. It is stored in this repository. Try again: ultrawork evidence publish"
        )


def _read_errors(answer: ProgramAnswer) -> str:
    return answer.err.decode("utf-8", "replace")


def _find_reason(answer: ProgramAnswer) -> str:
    lines = [line.strip() for line in _read_errors(answer).splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("fatal:", "error:", "remote:", "!"))]
    reason = (telling or lines or [f"git ended with {answer.exit}"])[0]
    return reason.removeprefix("fatal: ").removeprefix("error: ").rstrip(".")

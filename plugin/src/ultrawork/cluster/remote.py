"""The git remote of the code: what is pushed, what is fetched, and who may.

Only refs below `refs/ultrawork/` are written. A push names what it expects, so that no work is overwritten; all refs
of one push move, or none."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..clients.headless.attempt import Attempt
from ..core.errors import Conflict, Trouble
from ..engine.repository.repository import RefNames
from ..gates.trees.scratch import remove_folder
from ..system import history
from ..system.git import Git
from ..system.program import ProgramAnswer
from .place import GIT_TOKEN, GIT_TOKEN_FILE, GIT_USER, read_secret
from .refusal import RefGone, RemoteTrouble, is_stale, read_trouble

PATIENCE = 600.0
# The token is only in git's environment: not in a URL, a file, or an argument.
_HELPER = (
    "credential.helper=",
    'credential.helper=!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n"'
    f' "${GIT_USER}" "${GIT_TOKEN}"; }}; f',
)
# Nothing is cleaned up or sent along, whatever the user has configured.
_QUIET = ("gc.auto=0", "maintenance.auto=false", "push.gpgSign=false", "push.followTags=false")
_OURS = "refs/ultrawork/"
_ALONE = "--recurse-submodules=no"
# How git reaches a remote is the user's own configuration.
_TRANSPORT = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_PROXY_SSL_CAINFO")
# Read once per repository: an attempt has many small git calls.
_identities: dict[str, dict[str, str]] = {}


@dataclass(frozen=True, slots=True)
class RefPush:
    """`new` is a commit, empty to delete the ref; `old` what must be there, empty for nothing."""

    ref: str
    new: str
    old: str = ""


class AttemptRefs:
    """An attempt's refs on the remote; its epoch is in every name, so a late writer overwrites nothing."""

    def __init__(self, session: str, subject: str, epoch: int) -> None:
        names = RefNames(session)
        name = names.attempt_name(subject, epoch)
        self.work = names.ref_for("attempts", name)
        self.output = names.ref_for("outputs", name)
        self.job = names.ref_for("jobs", name)

    @classmethod
    def of(cls, attempt: Attempt) -> "AttemptRefs":
        return cls(attempt.session, attempt.subject, attempt.epoch)


def name_base(session: str, commit: str) -> str:
    return RefNames(session).ref_for("bases", commit)


def init_repository(top: str, environ: Mapping[str, str]) -> None:
    """Create a repository to fetch into, atomically: a half-made one on a full disk would block forever."""
    if os.path.isdir(f"{top}/.git"):
        return
    made = f"{top}.new"
    remove_folder(made)
    os.makedirs(made, mode=0o700)
    Git(made, environ).ask(["init", "--quiet"])
    os.rename(made, top)


class GitRemote:
    """A remote. `folder` is our repository to push from and fetch into."""

    def __init__(self, folder: str, url: str, environ: Mapping[str, str]) -> None:
        self.url = url
        token = read_secret(environ, GIT_TOKEN, GIT_TOKEN_FILE)
        if folder not in _identities:
            _identities[folder] = history.read_identity(Git(folder, environ), environ)
        self.identity = _identities[folder]
        extra = {**self.identity, "GIT_NO_LAZY_FETCH": "0"}
        extra |= {name: environ[name] for name in _TRANSPORT if name in environ}
        if token:
            extra |= {GIT_TOKEN: token, GIT_USER: environ.get(GIT_USER) or "ultrawork"}
        self._git = Git(
            folder, environ, extra=extra, settings=[*_QUIET, *(_HELPER if token else ())], patience=PATIENCE
        )

    @property
    def git(self) -> Git:
        return self._git

    def list_refs(self, *patterns: str) -> dict[str, str]:
        printed = self._run(["ls-remote", self.url, *patterns]).decode("utf-8", "replace")
        rows = (line.partition("\t") for line in printed.splitlines())
        # Git compares a pattern with the end of a name too: a branch may be called refs/ultrawork/… as well.
        return {name: commit for commit, _, name in rows if name.startswith(_OURS)}

    def push(self, moves: Sequence[RefPush]) -> None:
        """Push all or none; raise Conflict if something unexpected is there."""
        command = ["push", "--atomic", "--no-verify", "--porcelain", "--quiet", _ALONE]
        command += [f"--force-with-lease={move.ref}:{move.old}" for move in moves]
        command += [self.url, *(f"{move.new}:{move.ref}" for move in moves)]
        answer = self._answer(command)
        if answer.exit == 0:
            return
        report = answer.out.decode("utf-8", "replace")
        if is_stale(report):
            raise Conflict(f"another process moved {moves[0].ref} on {self.url}")
        raise _read(f"git push to {self.url}", answer.err, report)

    def fetch(self, *refs: str) -> None:
        """Fetch each ref under the same name."""
        specs = [f"+{ref}:{ref}" for ref in refs]
        command = ["fetch", "--quiet", "--no-tags", "--no-prune", "--no-write-fetch-head", _ALONE]
        self._run([*command, self.url, *specs])

    def _run(self, command: list[str]) -> bytes:
        answer = self._answer(command)
        if answer.exit:
            raise _read(f"git {command[0]} of {self.url}", answer.err)
        return answer.out

    def _answer(self, command: list[str]) -> ProgramAnswer:
        try:
            return self._git.answer(command)
        except Trouble as error:  # it did not answer in time
            raise RemoteTrouble(str(error)) from error


def _read(doing: str, printed: bytes, report: str = "") -> RemoteTrouble | RefGone:
    return read_trouble(doing, report, printed.decode("utf-8", "replace"))

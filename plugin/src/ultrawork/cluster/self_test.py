"""
Whether this machine can do what it would be given, asked before it takes anything.

A worker that takes attempts and fails them at once does more harm than one that is not there: the first sentence
that says what is missing keeps it from polling.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from shutil import disk_usage, which
from uuid import uuid4

from ..clients.headless import table
from ..clients.headless.login import find_account, has_login
from ..core.errors import NotFound, Trouble, UltraworkError
from ..core.times import format_duration
from .carrier import read_server_time
from .place import GIT_TOKEN_FILE, hide_secrets
from .remote import GitRemote, init_repository

LEAST_ROOM = 1 << 30
MOST_SKEW = 120.0
_GIBI = 1 << 30
_LOW_ROOM = 200 << 20
_LOOK = 1.0
_QUOTA_LOOK = 20.0
_FIRST_REST, _LONGEST_REST = 5.0, 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTest:
    """The self-test. `backend` must be installed, or `auto` for any; `tools` are programs that checks need."""

    environ: Mapping[str, str]
    folder: str
    remotes: Sequence[str]
    backend: str = "auto"
    tools: Sequence[str] = ()

    def run(self, *, agents: bool = True) -> list[str]:
        """Return what was found, one line each; raise for the first that is missing."""
        return [check(self) for check in (*(_OF_AGENTS if agents else ()), *_OF_MACHINE)]

    def list_backends(self) -> list[str]:
        """Return backends whose program is installed and logged in."""
        environ = hide_secrets(self.environ)
        names = [backend.name for backend, program in table.list_programs(environ) if program]
        return [name for name in names if has_login(table.get(name).login, environ)]

    def find_accounts(self, backends: Sequence[str], host: str, given: str = "") -> dict[str, str]:
        """Return the account of each program; `given` is the user's name for all of them."""
        environ = hide_secrets(self.environ)
        return {name: given or find_account(name, table.get(name).login, environ, host) for name in backends}

    def check_agent(self) -> str:
        environ = hide_secrets(self.environ)
        backend = table.choose(self.backend, environ)
        program = backend.find_program(environ)
        if program is None:
            raise NotFound(f"{backend.title} does not start; {backend.how_to_get}")
        if not has_login(backend.login, environ):
            raise NotFound(f"{backend.title} is not logged in here; {backend.how_to_get}")
        return f"agents: {', '.join(self.list_backends())}"

    def check_quota(self) -> str:
        backend = table.choose(self.backend, hide_secrets(self.environ))
        until = backend.find_quota_reset(self.environ, time.time())
        if until > time.time():
            wait = format_duration(until - time.time())
            raise Trouble(f"the quota of {backend.title} is used up here; full again in {wait}")
        return "quota: not known to be used up"

    def check_remotes(self) -> str:
        if not self.remotes:
            raise NotFound("no git remote to serve; name one with --remote, or set cluster.remote")
        top = self._make_probe()
        for url in self.remotes:
            try:
                GitRemote(top, url, self.environ).list_refs("HEAD")
            except UltraworkError as error:
                raise Trouble(f"{error}; a token comes from {GIT_TOKEN_FILE}") from None
        return f"git: {', '.join(self.remotes)}"

    def _make_probe(self) -> str:
        top = f"{self.folder}/probe"
        init_repository(top, self.environ)
        return top

    def check_room(self) -> str:
        free = disk_usage(self.folder).free
        if free < LEAST_ROOM:
            raise Trouble(f"{self.folder} has {free / _GIBI:.1f} GiB left; free at least 1 GiB")
        return f"disk: {free / _GIBI:.1f} GiB free"

    def check_tools(self) -> str:
        path = self.environ.get("PATH", os.defpath)
        for name in self.tools:
            if which(name, path=path) is None:
                raise NotFound(f"{name} is not on PATH, but cluster.tools requires it")
        return f"tools: {', '.join(self.tools) or 'none asked for'}"


_OF_AGENTS: tuple[Callable[[SelfTest], str], ...] = (SelfTest.check_agent, SelfTest.check_quota)
_OF_MACHINE: tuple[Callable[[SelfTest], str], ...] = (SelfTest.check_remotes, SelfTest.check_room, SelfTest.check_tools)


class Readiness:
    """
    Whether this machine should ask for more right now. One that takes attempts and fails them at once draws all of
    a run to itself: without room it asks for nothing, and after each attempt that it could not even begin it rests.
    """

    def __init__(self, folder: str, environ: Mapping[str, str]) -> None:
        self._folder = folder
        self._environ = environ
        self._known: dict[str, tuple[float, bool]] = {}
        self._limited: dict[str, float] = {}
        self._rest = 0.0
        self._rests_until = 0.0

    def may_ask(self, backend: str) -> bool:
        return (
            time.monotonic() >= self._rests_until
            and self._ask_seldom("room", _LOOK, self._has_room)
            and self._ask_seldom(backend, _QUOTA_LOOK, lambda: self._has_quota(backend))
        )

    def _ask_seldom(self, question: str, seconds: float, ask: Callable[[], bool]) -> bool:
        now = time.monotonic()
        asked_at, answer = self._known.get(question, (now - seconds, True))
        if now - asked_at >= seconds:
            answer = ask()
            self._known[question] = (now, answer)
        return answer

    def _has_room(self) -> bool:
        usage = disk_usage(self._folder)
        return usage.free >= min(_LOW_ROOM, usage.total // 10)

    def _has_quota(self, backend: str) -> bool:
        now = time.time()
        if self._limited.get(backend, 0.0) > now:
            return False
        return table.get(backend).find_quota_reset(self._environ, now) <= now

    def note_limit(self, backend: str, until: float) -> None:
        """Record a provider's limit: nothing of that kind is requested before then."""
        self._limited[backend] = until
        self._known.pop(backend, None)

    def note(self, *, began: bool) -> None:
        self._rest = 0.0 if began else min(_LONGEST_REST, 2 * self._rest or _FIRST_REST)
        self._rests_until = time.monotonic() + self._rest


async def check_clock(client: object, host_queue: str) -> str:
    """Compare the clock with Temporal's, by an order that no one executes."""
    skew = await read_server_time(client, host_queue, f"clock/{uuid4().hex}") - time.time()
    if abs(skew) > MOST_SKEW:
        raise Trouble(f"this machine's clock differs from Temporal's by {abs(skew):.0f} s; correct it")
    return f"clock: {abs(skew):.1f} s from Temporal's"

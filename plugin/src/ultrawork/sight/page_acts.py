"""Carry out the buttons of the live page with the functions behind the keys of the full screen."""

import asyncio
import os
from collections.abc import Callable, Mapping

from ..core.errors import Conflict, UsageError
from ..core.wording import strip_controls
from ..store.paths import Home
from .acts import Acts, VerbCall, start_beside

CANCEL, UNDO, PAUSE, RETRY = "cancel", "undo", "pause", "retry"
# These cannot be taken back, so the page asks first, and nothing is done without its yes.
CONFIRMED = (CANCEL, UNDO)
_PATIENCE = 120.0
# A program that keeps running this long has begun well.
_BEGUN = 3.0
_SHOWN = 2000


class PageActs:
    """`environ` is what the programs get that an act starts."""

    def __init__(self, acts: Acts, environ: Mapping[str, str], home: Home) -> None:
        self._environ = environ
        self._home = home
        self._acts: dict[str, Callable[[str, str], str | VerbCall]] = {
            PAUSE: lambda session, _subject: acts.pause(session),
            CANCEL: acts.cancel,
            RETRY: acts.retry,
            UNDO: acts.undo,
        }

    async def carry_out(self, act: str, session: str, subject: str, *, confirmed: bool) -> str:
        """Return what happened; raise with the reason if it is refused or fails."""
        if act not in self._acts:
            raise UsageError(f"the page cannot {act}; it can {', '.join(self._acts)}")
        if act in CONFIRMED and not confirmed:
            raise Conflict(f"{act} {session[:8]} {subject}".strip() + " was not confirmed")
        done = self._acts[act](session, subject)
        if isinstance(done, str):
            return done
        return await (self._begin(done, session) if done.front else self._run(done))

    async def _run(self, call: VerbCall) -> str:
        process = await start_beside(call, self._environ)
        try:
            output, _ = await asyncio.wait_for(process.communicate(), _PATIENCE)
        except TimeoutError:
            process.kill()
            await process.wait()
            raise Conflict(f"{call.argv[-1]} took longer than {_PATIENCE:.0f} s and was stopped") from None
        return _read_end(output, process.returncode)

    async def _begin(self, call: VerbCall, session: str) -> str:
        """Start what the full screen gives its terminal to, so that it outlives the page; its output goes to a file."""
        path = f"{self._home.session(session)}/resumed.log"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        try:
            process = await asyncio.create_subprocess_exec(
                *call.argv,
                cwd=call.cwd,
                env=dict(self._environ),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=handle,
                stderr=handle,
                start_new_session=True,
            )
        finally:
            os.close(handle)
        try:
            status = await asyncio.wait_for(process.wait(), _BEGUN)
        except TimeoutError:
            return f"resumed {session[:8]} in process {process.pid}; its output: {path}"
        with open(path, "rb") as file:  # noqa: ASYNC230 (a small file of ours)
            return _read_end(file.read(), status)


def _read_end(output: bytes, status: int | None) -> str:
    """Return the last words of a program; raise with them if it refused or failed."""
    text = strip_controls(output.decode("utf-8", "replace")[-_SHOWN:]).strip()
    if status:
        raise Conflict(text or f"it ended with status {status}")
    return text or "done"

"""Child processes that end with us, whatever ends us."""

import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# A watcher in the child's own group waits for the other end of a pipe to close. The kernel closes
# ours even on SIGKILL; the watcher then ends the group, itself included. Being a member of the
# group it also keeps the group's number from being given to anyone else in the meantime.
_WATCH = '( (read -r _ <"/dev/fd/$0"; kill -KILL "-$$") </dev/null >/dev/null 2>&1 & ); exec "$@"'


class Leash:
    """Start `command(argv)` with `pass_fds=(leash.end,)` in a new session, then call `tie(pid)`."""

    __slots__ = ("_hold", "end", "group")

    def __init__(self) -> None:
        self.end, self._hold = os.pipe()
        self.group = 0

    def command(self, argv: "Sequence[str]") -> list[str]:
        return ["/bin/sh", "-c", _WATCH, str(self.end), *argv]

    def tie(self, pid: int) -> None:
        self.group = pid
        os.close(self.end)

    def signal(self, number: int) -> None:
        try:
            os.kill(self.group, number)
        except ProcessLookupError:
            pass

    def cut(self) -> None:
        """Ends whatever is left of the group."""
        if self._hold < 0:
            return
        if not self.group:
            os.close(self.end)
        else:
            self._end_group()
        os.close(self._hold)
        self._hold = -1

    def _end_group(self) -> None:
        try:
            os.killpg(self.group, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # macOS says the latter of a group of zombies
            pass


def environment(*, venv: str | None = None) -> dict[str, str]:
    """Ours, without what belongs to the agent: its key must not reach programs of the project."""
    mine = {name: value for name, value in os.environ.items() if not _private(name)}
    if venv:
        mine["VIRTUAL_ENV"] = venv
        mine["PATH"] = os.path.join(venv, "bin") + os.pathsep + mine.get("PATH", os.defpath)
        mine.pop("PYTHONHOME", None)
    return mine


def _private(name: str) -> bool:
    return name.startswith(("ANTHROPIC_", "CLAUDE")) or name == "AI_AGENT"


def venv_of(folder: str, top: str) -> str | None:
    """The virtual environment of the nearest folder, from `folder` up to `top`, that has one."""
    while True:
        for name in (".venv", "venv"):
            if os.access(os.path.join(folder, name, "bin", "python"), os.X_OK):
                return os.path.join(folder, name)
        if folder == top or folder == os.path.dirname(folder):
            return None
        folder = os.path.dirname(folder)

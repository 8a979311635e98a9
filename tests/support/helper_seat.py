"""Our helper server in front of the real program, whose model is scripted."""

import os

from .process import processes_with
from .template import prepare_cache
from .toolbox import Seat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .client import Client

# Three that sleep, one of them in its own session.
FORKS = "setsid sleep 300.4711 & nohup sleep 300.4711 & sleep 300.4711"


class HelperSeat(Seat):
    """Our helper server, in the project and with the HOME and PATH of a seat at the real program."""

    __slots__ = ()

    def __init__(self, client: "Client", server: str) -> None:
        self.server, self.place, self.state = server, client.project, f"{client.home}/state"
        os.makedirs(f"{self.place}/.git", exist_ok=True)
        prepare_cache(self.state)
        own = f"{client.home}/bin"
        os.makedirs(own, exist_ok=True)
        if not os.path.lexists(f"{own}/{server}"):
            os.symlink(client.program, f"{own}/{server}")
        path = f"{own}:{client.env['PATH']}"
        self.environ = {**client.env, "PATH": path, "ULTRAWORK_HOME": self.state}


def script(*replies: object) -> "list[dict[str, object]]":
    """Return these answers in order, for any caller."""
    return [{"name": "all", "match": {}, "replies": list(replies), "after": "repeat", "scope": "global"}]


def list_sleepers(home: str) -> list[int]:
    """Return what a program's shell forked, in any process group."""
    return [pid for pid in processes_with("HOME", home) if b"300.4711" in _read_command(pid)]


def _read_command(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""

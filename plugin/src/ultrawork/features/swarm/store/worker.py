"""Who holds a lease: a session or its agent, and the process whose end ends it too."""

import os

from ....store.atomic import read_text
from ....system import ancestry


class SwarmWorker:
    """A worker. `owner` is its name in the swarm; `pid` 0 means that its life cannot be checked."""

    def __init__(
        self, owner: str, *, session: str = "", agent: str = "", host: str = "", pid: int = 0, began: str = ""
    ) -> None:
        self.owner = owner
        self.session = session
        self.agent = agent
        self.host = host or describe_machine()
        self.pid = pid
        self.began = began or (ancestry.read_start(pid) if pid else "")

    @property
    def is_gone(self) -> bool:
        """Return whether it is gone; known only for processes of this machine since its last boot."""
        if not self.pid:
            return False
        (place, boot), (own_place, own_boot) = _parts(self.host), _parts(describe_machine())
        return place == own_place and (boot != own_boot or not ancestry.is_there(self.pid, self.began))


def make_worker(session: str, *, agent: str = "", pid: int = 0) -> SwarmWorker:
    """Return a session of the client, or an agent in it: the process of both is the client's."""
    owner = f"{session}/{agent}" if agent else session
    return SwarmWorker(owner, session=session, agent=agent, pid=pid)


def describe_machine() -> str:
    """`name/world@start`: two containers may have one name, and a number means another process in each."""
    return f"{os.uname().nodename}/{_world()}@{(read_text('/proc/sys/kernel/random/boot_id') or '').strip()[:8]}"


def _parts(host: str) -> tuple[str, str]:
    place, _, boot = host.rpartition("@")
    return place, boot


def _world() -> str:
    try:
        return os.readlink("/proc/self/ns/pid").strip("pid:[]")
    except OSError:
        return ""

"""Where worktrees lie, and how branches and refs of a session are called."""

import os
from collections.abc import Mapping

from ...core.check import require_session_id, require_task_id
from ...core.errors import Trouble
from ...store.paths import Home

# The client lets no agent write below a folder of this name.
_GUARDED = "/.claude/"


def choose_worktrees_folder(home: Home, top: str, environ: Mapping[str, str]) -> str:
    """
    The folder of all worktrees: in the state folder, unless that lies below `.claude` or inside the
    checkout; then in the user's own folder for state, else in one for temporary files.
    """
    home_folder = environ.get("HOME", "")
    state = environ.get("XDG_STATE_HOME") or (home_folder and home_folder + "/.local/state")
    temporary = f"{environ.get('TMPDIR', '/var/tmp').rstrip('/')}/ultrawork-{os.getuid()}"  # noqa: S108 (made for one user alone, below)
    for folder in (home.root, state and state + "/ultrawork", temporary):
        place = os.path.realpath(folder) + "/worktrees"
        if folder.startswith("/") and _GUARDED not in place and not _is_inside(place, top):
            return _made(place)
    raise Trouble(f"every place for worktrees lies inside {top}; set ULTRAWORK_HOME to one outside")


def _is_inside(place: str, top: str) -> bool:
    return place == top or place.startswith(top.rstrip("/") + "/")


def _made(place: str) -> str:
    """A folder of ours alone: a worktree runs whatever lies in it."""
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        owner = os.stat(os.path.dirname(place)).st_uid
    except OSError as error:
        raise Trouble(f"{place} cannot be made: {error.strerror}") from error
    if owner != os.getuid():
        raise Trouble(f"{os.path.dirname(place)} belongs to somebody else; set ULTRAWORK_HOME")
    return place


class RefNames:
    """Of one session. Work of attempts has a prefix of its own: no branch can lie below a branch."""

    __slots__ = ("base", "branch", "integration", "session", "view")

    def __init__(self, session: str) -> None:
        self.session = _part(require_session_id(session))
        self.branch = f"ultrawork/{self.session}"
        self.view = f"refs/heads/{self.branch}"
        self.base = f"refs/ultrawork/{self.session}/base"
        self.integration = f"refs/ultrawork/{self.session}/integration"

    def attempt_name(self, subject: str, epoch: int) -> str:
        return _part(f"{require_task_id(subject)}.{epoch}")

    def work_branch(self, attempt: str) -> str:
        """The branch that an attempt is on."""
        return f"ultrawork-work/{self.session}/{attempt}"

    def ref_for(self, kind: str, name: str) -> str:
        """A ref under which something is kept that no branch holds."""
        return f"refs/ultrawork/{self.session}/{kind}/{name}"


def _part(name: str) -> str:
    """As a part of a ref: two dots, or an end in `.` or `.lock`, are not for refs."""
    plain = name.replace("..", "%2E%2E")
    return plain + "%" if plain.endswith((".", ".lock")) else plain

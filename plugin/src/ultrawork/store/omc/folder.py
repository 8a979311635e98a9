"""The `.omc` folder of a worktree: where its files are, and how they are changed without losing any.

Sessions' own files in it are never committed by accident, and are part of no tree."""

import os
from collections.abc import Callable

from ...core import check
from ...core.errors import Trouble
from .. import atomic
from ..atomic import Lock
from ..codec import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Edit = Callable[[str | None], str | None]

OWN_NAMES = (
    "features", "state/", "logs/", "skills/", "notepads/", "notepad.md", "progress.txt", "boulder.json",
    "project-memory.json", "autopilot/", "plans/autopilot-impl.md", "plans/ultrapilot.md", "plans/team.md",
    "plans/team-prd.md", "axiom/", ".lock", ".gitignore",
)  # fmt: skip


PATIENCE = 60.0
# How long a hook waits for others: a late note matters less than a session that continues.
HASTE = 1.0
LARGEST = 5_000_000
# Plans and research may be committed; so may Axiom's pages, with `git add --force`.
IGNORED = "".join(f"/{name}\n" for name in OWN_NAMES)


class Omc:
    """One folder. Sessions share it, so every change happens under one lock, on the current content."""

    def __init__(self, top: str, patience: float = PATIENCE) -> None:
        self.patience = patience
        self.top = os.path.realpath(top)
        self.root = self.top + "/.omc"
        self.notepad = self.root + "/notepad.md"
        self.memory = self.root + "/project-memory.json"
        self.skills = self.root + "/skills"

    def state(self, mode: str, session: str = "") -> str:
        """Return the state file of a mode: a session's own, or the shared one."""
        from ...core.modes import modes  # a stop of a session without one asks only for our names

        owner = f"sessions/{check.require_session_id(session)}/" if session else ""
        return f"{self.root}/state/{owner}{modes.parse(mode)}-state.json"

    def state_folder(self, session: str) -> str:
        """Return the folder of one session of the client."""
        return f"{self.root}/state/sessions/{check.require_session_id(session)}"

    def sessions(self) -> list[str]:
        """Return sessions with their own folder in the worktree."""
        folder = self.root + "/state/sessions"
        return [name for name in atomic.list_folder(folder) if name[0] != "." and self.holds(f"{folder}/{name}")]

    def holds(self, path: str) -> bool:
        """Return whether a path, with all its links followed, stays in the worktree."""
        return os.path.realpath(path).startswith(self.top + "/")

    def remove(self, path: str) -> None:
        """A file goes, or a link in its place; in a folder that leads out nothing does."""
        if not self.holds(os.path.dirname(path)):
            return
        try:
            os.unlink(path)
        except OSError:
            pass

    def read(self, path: str) -> str | None:
        """Return the file's text; None if there is none. A link that leads out of the worktree is refused."""
        self._check(path)
        try:
            with open(path, "rb") as file:
                data = file.read(LARGEST + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Trouble(f"{self._name(path)} cannot be read: {error.strerror}") from None
        if len(data) > LARGEST:
            raise Trouble(f"{self._name(path)} is larger than 5 MB; shorten it")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            raise Trouble(f"{self._name(path)} is not UTF-8 text; fix or remove it") from None

    def change(self, path: str, edit: Edit) -> None:
        """Change a file; `edit` gets the current text (None: no file) and returns the new one (None: no file)."""
        self.prepare(os.path.dirname(path))
        with Lock(self.root + "/.lock", patience=self.patience):
            before = self.read(path)
            after = edit(before)
            if after is None and before is not None:
                os.unlink(path)
            elif after is not None and after != before:
                atomic.write(path, after, mode=0o644)

    def append(self, path: str, text: str) -> None:
        """Append with one write on `O_APPEND`, so that lines of several programs never mix; needs no lock."""
        self.prepare(os.path.dirname(path))
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        handle = os.open(path, flags, 0o644)
        try:
            os.write(handle, text.encode("utf-8", "replace"))
        finally:
            os.close(handle)

    def prepare(self, folder: str) -> None:
        self._check(folder)
        try:
            os.makedirs(folder, exist_ok=True)
            handle = os.open(self.root + "/.gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            return
        except OSError as error:
            raise Trouble(f"could not create {self._name(folder)}: {error.strerror}") from None
        try:
            os.write(handle, IGNORED.encode())
        finally:
            os.close(handle)

    def _check(self, path: str) -> None:
        if not self.holds(path):
            raise Trouble(f"{self._name(path)} is a link that points outside the worktree; remove it")

    def _name(self, path: str) -> str:
        return os.path.relpath(path, self.top)


def parse_view(text: str | None) -> "dict[str, Any]":
    """Parse a document that is only a view of ours: an unreadable one starts over."""
    try:
        value = loads(text or "{}")
    except ValueError:
        value = {}
    return value if isinstance(value, dict) else {}

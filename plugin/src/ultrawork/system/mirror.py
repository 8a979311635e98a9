"""The git tree of the user's working files, including untracked ones, without touching their repository.

Two indexes of our own: `plain` names what the repository's does, `full` adds what differs on disk. Keeping them makes
the next tree cheap: git reads only files whose times changed. The times in the repository's own index prove
nothing: a filter, or anyone who writes that file, can put a changed file's times beside
the old id. Git has hashed for us what `plain` holds; a change time cannot be set back.

Filters never run: a file is taken as on disk, except for LFS files whose content their pointer names."""

import os
from time import time

from ..core.errors import Trouble
from ..store import atomic, codec, markers
from ..store.atomic import LentLock
from . import checkout as checkouts
from .files import (
    copy_index,
    copy_with_times,
    describe_large,
    find_large,
    is_empty_folder,
    list_files_below,
    move_away,
    read_bytes,
    remove_file,
)
from .git import SUBMODULE, Git
from .git_folder import (
    PLAIN,
    STATUS,
    THEIRS,
    DiskDifference,
    IndexContent,
    find_known,
    has_differences,
    is_large,
    is_older,
    note_known,
    read_content,
    sort_record,
)
from .objects import MANY, FilteredFiles, copy_blobs, list_hashed, make_pack
from .recorded_trees import FULL, RecordedTrees
from .tree_copy import edit_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any

    from .tree_copy import Overlay

FORMAT = 3
PATIENCE = 120.0
# By folder: what differed when the last tree was made, with the times of these files, and that tree.
_last_edits: "dict[str, tuple[list[Any], str]]" = {}
_commits: "dict[tuple[str, str], str]" = {}
_LISTS = ("modified", "untracked", "nested", "large")


class Mirror(RecordedTrees):
    def tree(self) -> str:
        """Return the tree's id; its objects are ours or the repository's."""
        with self._lock():
            try:
                taken = self._take()
            except OSError as error:
                top = self.git_folder.checkout.top
                raise Trouble(f"could not record {top}: {error.strerror or error}") from error
        return taken

    def list_large(self) -> dict[str, int]:
        """Return untracked files that the last tree holds without content, with sizes."""
        state, top = self._state(), self.git_folder.checkout.top
        return find_large(top, state["large"], state["large"], ()) if state else {}

    def was_at_rest(self, since: float) -> bool:
        """Return whether nothing touched the last tree since then, even if it was restored. Git then had no new time
        of a file or folder to record; anything without times is older."""
        return self._unnoted is not None and is_older(self._unnoted, since)

    def _take(self) -> str:
        self._unnoted: list[str] | None = None
        self._remove_locks()
        began = time()
        state = self._state() or self._settle()
        disk_difference = self._look(filters=state["filters"])
        self._set_large_aside(state, disk_difference)
        links = self._links(state["links"], disk_difference.nested)
        if links or state["links"]:
            self._unnoted = None
        if state["clean"] and not has_differences(disk_difference, links, state["links"]):
            return str(state["clean"])
        if links or disk_difference.large:
            return self._compose(state, disk_difference, links)
        return self._edit(state, disk_difference, began) or self._compose(state, disk_difference, links)

    def _edit(self, state: "Mapping[str, Any]", disk_difference: DiskDifference, began: float) -> str | None:
        """Return the tree of a few changed files; the last one again while these are as they were. A file that was
        written just before may be written again without a new time, so that tree is not kept."""
        paths = [f"{self.git_folder.checkout.top}/{path}" for path in disk_difference.list_put()]
        key = [state["made"], state["clean"], disk_difference.deleted, paths, checkouts.read_signature(paths)]
        known, tree = _last_edits.get(self.git_folder.folder, ([], ""))
        # The times of a link are those of the file that it points at.
        plain = not any(map(os.path.islink, paths))
        if known == key and plain and os.path.exists(self._loose(tree)):
            return tree
        edited = edit_tree(self.git_folder, state, disk_difference)
        if edited and plain and is_older(paths, began):
            _last_edits[self.git_folder.folder] = (key, edited)
        return edited

    def forget(self, trash: str) -> None:
        """Remove what we know about a checkout that is gone, into a new folder `trash` if possible, because deleting
        takes longer. The state goes first, because we may be killed."""
        remove_file(self.git_folder.folder + "/state")
        move_away(self.git_folder.folder, trash)

    def write(self, name: str, target: str, overlay: "Overlay | None" = None) -> int:
        """How many files were written."""
        from .tree_copy import TreeCopy

        return TreeCopy(self.git_folder, self._store, self._environ, target).write(name, overlay)

    def git(self) -> Git:
        """Return git with our objects and theirs."""
        if not os.path.exists(self.git_folder.folder + "/state"):
            with self._lock():
                self._remove_locks()
                self._settle()
        return self.git_folder.git(PLAIN)

    def _lock(self) -> LentLock:
        try:
            os.makedirs(self.git_folder.folder, mode=0o700, exist_ok=True)
        except OSError as error:
            raise Trouble(f"could not create {self.git_folder.folder}: {error.strerror}") from error
        return LentLock(self.git_folder.folder + "/lock", patience=PATIENCE)

    def link(self) -> str:
        """Return the entry for the surrounding tree: the commit, or the tree if files differ from it."""
        tree = self.tree()
        theirs = self.git_folder.theirs()
        head = theirs.head()
        return head if head and theirs.tree_id(head) == tree else tree

    def _remove_locks(self) -> None:
        """Remove locks of a killed git: no one else works here while we hold the lock."""
        locks = [f"{self.git_folder.folder}/{index}.lock" for index in (PLAIN, FULL)]
        for lock in filter(os.path.exists, locks):
            remove_file(lock)

    def _state(self) -> "dict[str, Any] | None":
        state = markers.read(self.git_folder.folder + "/state", -1)
        return _convert_paths(state, _unpacked) if state and state.get("made") == self.read_made() else None

    def read_made(self) -> list[object]:
        """Return what changes with the source files of everything here."""
        return [FORMAT, *checkouts.read_signature(self.git_folder.sources())]

    def _keep(self, state: "Mapping[str, Any]") -> None:
        # Only a cache: after a power cut it is made again.
        text = codec.dumps(_convert_paths(state, _packed))
        atomic.write(self.git_folder.folder + "/state", text, sync=False)

    def settle_fresh(self, tree: str, made: list[object]) -> None:
        """Settle a checkout that was just made from a tree; `made` was read before any work. If its index was written
        since, it is read again on use."""
        with self._lock():
            self._remove_locks()
            known = find_known(self.git_folder, tree)
            content = self._begin(made, known)[1]
            is_same = known is None and content.tree == tree and self.read_made() == made
            if is_same and not content.links and not content.absent:
                content.plain = read_bytes(f"{self.git_folder.folder}/{PLAIN}")
                note_known(self.git_folder, content)

    def _settle(self) -> "dict[str, Any]":
        """Start over from the repository's index."""
        return self._begin(self.read_made(), None)[0]

    def _begin(self, made: list[object], known: IndexContent | None) -> "tuple[dict[str, Any], IndexContent]":
        folder = self.git_folder.folder
        remove_file(folder + "/state")
        self.git_folder.build()
        copy_index(self.git_folder.checkout.git_dir, folder, THEIRS)
        if b"sdir" in read_bytes(f"{folder}/{THEIRS}"):
            # A sparse index names whole folders of theirs, which must be read to be listed.
            self.git_folder.git(THEIRS).ask(["update-index", "--force-write-index"])
        content = known or read_content(self.git_folder)
        clean = content.tree
        if known is None:
            self._follow(clean, content.absent)
        else:
            with open(f"{folder}/{PLAIN}", "wb") as file:
                file.write(known.plain)
        if clean:
            self.git_folder.write("HEAD", self._commit(clean) + "\n")
        copy_with_times(f"{folder}/{PLAIN}", f"{folder}/{FULL}")
        state: dict[str, Any] = {
            "made": made,
            "clean": clean,
            "links": content.links,
            "normalises": self._normalises(content.attributes),
            "filters": self._mention(content.attributes, b"filter"),
            **{key: [] for key in _LISTS},
        }
        self._keep(state)
        return state, content

    def _commit(self, tree: str) -> str:
        """Return a name that is the same for the same tree in any checkout of the repository."""
        commit = _commits.get((self.git_folder.objects, tree))
        if commit is None or not os.path.exists(self._loose(commit)):
            git = self.git_folder.git(PLAIN, theirs=False)
            commit = git.ask(["commit-tree", "-m", "base", tree]).decode().strip()
            _commits[self.git_folder.objects, tree] = commit
        return commit

    def _follow(self, clean: str | None, absent: list[str]) -> None:
        """Make `plain` name what theirs names; only our own entries keep their times."""
        git, place = self.git_folder.git(PLAIN, theirs=False), f"{self.git_folder.folder}/{PLAIN}"
        command = ["read-tree", "--no-sparse-checkout", "-m", "-i", clean or ""]
        if not clean or git.answer(command).exit:
            remove_file(place)
            listed = self.git_folder.git(THEIRS).ask(["ls-files", "-s", "-z"])
            git.ask(["update-index", "-z", "--index-info"], listed)
        if absent:
            git.ask(["update-index", "--skip-worktree", "-z", "--stdin"], _listed(absent))

    def _normalises(self, attributes: "Iterable[str]") -> bool:
        """Return whether line ends of a changed file depend on how it was stored before."""
        if self.git_folder.converts_line_ends(PLAIN):
            return True
        return self._mention(attributes, b"auto")

    def _mention(self, attributes: "Iterable[str]", word: bytes) -> bool:
        """Return whether one of the files that give attributes speaks of this."""
        places = [*self.git_folder.attribute_files(), *attributes]
        top = self.git_folder.checkout.top
        return any(word in read_bytes(os.path.join(top, place)) for place in places)

    def _look(self, *, filters: bool) -> DiskDifference:
        place, disk_difference = f"{self.git_folder.folder}/{PLAIN}", DiskDifference()
        folders = is_large(place)
        git = self.git_folder.git(PLAIN, locks=True, folders=folders)
        before = checkouts.read_times(place)
        printed = git.ask(STATUS)
        for record in printed.split(b"\0"):
            sort_record(disk_difference, os.fsdecode(record))
        if folders and checkouts.read_times(place) == before:
            top = self.git_folder.checkout.top
            self._unnoted = [f"{top}/{path}" for path in (*disk_difference.modified, *disk_difference.untracked)]
        disk_difference.nested = [path for path in disk_difference.nested if not self._is_worktree(path)]
        if disk_difference.blobs and filters:
            same = self._find_filtered(disk_difference.blobs)
            disk_difference.modified = [path for path in disk_difference.modified if path not in same]
        return disk_difference

    def _set_large_aside(self, state: "Mapping[str, Any]", disk_difference: DiskDifference) -> None:
        """Record files that are too large to read by size and time."""
        if not disk_difference.untracked:
            return
        before = set(state["large"])
        known = set(state["untracked"]) - before
        large = find_large(self.git_folder.checkout.top, disk_difference.untracked, before, known)
        if large:
            disk_difference.large = sorted(large)
            disk_difference.untracked = [path for path in disk_difference.untracked if path not in large]

    def _find_filtered(self, blobs: "Mapping[str, str]") -> set[str]:
        """Files that are what their blobs are, though a filter stored them differently."""
        filtered = FilteredFiles(self.git_folder.checkout.top, self.git_folder.folder)
        new = {path: blob for path, blob in blobs.items() if not filtered.is_known(blob)}
        if new:
            modified = self._list_modified(new)
            filtered.vouch({path: blob for path, blob in new.items() if path not in modified})
        return filtered.find_unchanged(self.git_folder.git(PLAIN).ask, blobs)

    def _list_modified(self, paths: "Iterable[str]") -> set[str]:
        """Return modified paths by the repository's index, which is asked only about files that we never saw equal to
        their blobs: one that was once its blob has no filter, whatever was configured since."""
        printed = self.git_folder.git(THEIRS).ask(["ls-files", "-m", "-z"])
        seen = list_hashed(self.git_folder.git(PLAIN).ask, paths)
        return {*os.fsdecode(printed).split("\0"), *seen}

    def _is_worktree(self, path: str) -> bool:
        """Return whether it belongs to this repository; another checkout of it is judged separately."""
        other = checkouts.find_at(f"{self.git_folder.checkout.top}/{path}")
        return other is None or other.common == self.git_folder.checkout.common

    def _links(self, tracked: "Mapping[str, str]", nested: "Iterable[str]") -> dict[str, str]:
        """Return the current state of submodules and nested repositories. An empty folder is a submodule that was not
        fetched; one that is gone or is now an ordinary folder or file is missing here."""
        links = {}
        for path in (*tracked, *nested):
            place = f"{self.git_folder.checkout.top}/{path}"
            inner = None if os.path.islink(place) else checkouts.find_at(place)
            if inner:
                links[path] = Mirror(inner, self._store, self._environ).link()
            elif is_empty_folder(place):
                links[path] = tracked[path]
        return links

    def _compose(self, state: "dict[str, Any]", disk_difference: DiskDifference, links: "Mapping[str, str]") -> str:
        before = {key: set(state[key]) for key in _LISTS}
        now = {
            "modified": {*disk_difference.modified, *disk_difference.deleted},
            "untracked": {*disk_difference.untracked, *disk_difference.large},
            "nested": set(disk_difference.nested),
            "large": set(disk_difference.large),
        }
        if any(now[key] - before[key] for key in now):
            # Written first, and never less than what `full` holds, even if we are killed here.
            state.update({key: sorted(now[key] | before[key]) for key in now})
            self._keep(state)
        removed = {*disk_difference.deleted, *state["links"]} - links.keys()
        removed |= (before["untracked"] - now["untracked"]) | (before["nested"] - now["nested"])
        added = {*disk_difference.modified, *disk_difference.untracked, *(before["modified"] - now["modified"])}
        for path in state["links"].keys() - links.keys():
            added.update(list_files_below(self.git_folder.checkout.top, path))
        if state["normalises"] or any(path.endswith(".gitattributes") for path in added):
            self._fetch(disk_difference.blobs.values())
        self._write_pack(added - before["untracked"] - before["modified"])
        tree = self._write(added, removed, links, disk_difference.large)
        if any(len(before[key]) > 2 * len(now[key]) + 100 for key in now):
            state.update({key: sorted(now[key]) for key in now})
            self._keep(state)
        return tree

    def _write(
        self, added: "Iterable[str]", removed: "Iterable[str]", links: "Mapping[str, str]", large: "Iterable[str]"
    ) -> str:
        git = self.git_folder.git(FULL, theirs=False)
        nothing = "0" * self.git_folder.digits()
        lines = [f"0 {nothing}\t{path}\0" for path in sorted(removed)]
        lines += [f"{SUBMODULE} {object_id}\t{path}\0" for path, object_id in links.items()]
        for path in large:
            description = describe_large(f"{self.git_folder.checkout.top}/{path}")
            blob = git.ask(["hash-object", "-w", "--stdin"], description).decode().strip()
            lines.append(f"100644 {blob}\t{path}\0")
        if lines:
            git.ask(["update-index", "-z", "--index-info"], os.fsencode("".join(lines)))
        self._add(git, sorted(added))
        return git.ask(["write-tree", "--missing-ok"]).decode().strip()

    def _write_pack(self, new: "Collection[str]") -> None:
        """Store what many new files contain. Git hashes each file itself, and finds most of its objects there."""
        if len(new) >= MANY:
            pack = make_pack(self.git_folder.checkout.top, new, self.git_folder.digits())
            self.git_folder.git(FULL, theirs=False).answer(["index-pack", "--stdin"], pack)

    def _add(self, git: Git, paths: "Sequence[str]") -> None:
        command = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"]
        if git.answer(command, _listed(paths)).exit:
            git.ask(command, _listed(path for path in paths if self._readable(path)))

    def _readable(self, path: str) -> bool:
        place = f"{self.git_folder.checkout.top}/{path}"
        return os.path.islink(place) or os.access(place, os.R_OK)

    def _fetch(self, blobs: "Iterable[str]") -> None:
        """Copy objects of theirs to ours, where git looks while it writes."""
        wanted = [blob for blob in blobs if not os.path.exists(self._loose(blob))]
        if wanted:
            copy_blobs(self.git_folder.git(PLAIN).ask, wanted, self._loose)

    def _loose(self, object_id: str) -> str:
        return f"{self.git_folder.objects}/{object_id[:2]}/{object_id[2:]}"


def _convert_paths(state: "Mapping[str, Any]", turn: "Callable[[str], str]") -> "dict[str, Any]":
    """Return the state with every path converted: JSON holds text, a path may be any bytes."""
    lists = {key: [turn(path) for path in state[key]] for key in _LISTS}
    links = {turn(path): object_id for path, object_id in state["links"].items()}
    return {**state, **lists, "links": links}


def _packed(path: str) -> str:
    return os.fsencode(path).decode("latin-1")


def _unpacked(path: str) -> str:
    return os.fsdecode(path.encode("latin-1"))


def _listed(paths: "Iterable[str]") -> bytes:
    return os.fsencode("".join(path + "\0" for path in paths))

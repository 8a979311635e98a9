"""What an index names and how the files on disk differ from it, according to git; the index as a file.

A machine makes many checkouts of the same tree. Before any work, the index of each names the same, so git is asked
once, and the result is cached."""

import os
import re
from collections.abc import Iterable, Mapping

from ..core.value import Value, fresh
from .checkout import read_times
from .files import is_excluded, read_bytes
from .git import SUBMODULE
from .git_folder import GitFolder, render_configuration

STATUS = ("status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=all", "--no-renames")


class DiskDifference(Value):
    """
    How the disk differs from the repository's index; `blobs` are the ids that modified files had, `large` untracked
    files that are not read, which are not among `untracked`.
    """

    modified: list[str] = fresh(list)
    deleted: list[str] = fresh(list)
    untracked: list[str] = fresh(list)
    nested: list[str] = fresh(list)
    blobs: dict[str, str] = fresh(dict)
    large: list[str] = fresh(list)

    def list_put(self) -> list[str]:
        """Return the files whose content has to be read."""
        return [*self.modified, *self.untracked]


def has_differences(disk_difference: DiskDifference, links: Mapping[str, str], tracked: Mapping[str, str]) -> bool:
    moved = disk_difference.modified or disk_difference.deleted or disk_difference.untracked or disk_difference.large
    return bool(moved) or links != tracked


def sort_record(disk_difference: DiskDifference, record: str) -> None:
    kind = record[:1]
    if kind == "?":
        path = record[2:]
        if path.endswith("/"):
            disk_difference.nested.append(path[:-1])
        elif not is_excluded(path):
            disk_difference.untracked.append(path)
    elif kind == "u":
        fields = record.split(" ", 10)
        (disk_difference.deleted if fields[6] == "000000" else disk_difference.modified).append(fields[10])
    elif kind == "1":
        _, changed, _, _, _, _, _, blob, path = record.split(" ", 8)
        if changed[1] == "D":
            disk_difference.deleted.append(path)
        elif changed[1] != ".":
            disk_difference.modified.append(path)
            disk_difference.blobs[path] = blob


# From this size on git records each folder's content, which saves a third of a scan of 100,000 files.
LARGE = 1_000_000
# File clocks lag by a tick.
_TICK = 0.05


def is_large(path: str) -> bool:
    return os.path.exists(path) and os.path.getsize(path) >= LARGE


def is_older(paths: Iterable[str], moment: float) -> bool:
    """Return whether each of these was last changed before this moment, for certain."""
    last = int((moment - _TICK) * 1_000_000_000)
    return all((times := read_times(path)) and times[3] < last for path in paths)


PLAIN = "plain"
THEIRS = "theirs"
# One line per index entry; `h` and `S` are entries that git does not check.
_ENTRY = rb"(?:\A|\0)(?:[a-zS] (?P<mode>\d{6})|. (?P<link>160000)) (?P<id>[0-9a-f]+) \d\t(?P<path>[^\0]*)"
_ATTRIBUTES = rb"\t((?:[^\0]*/)?\.gitattributes)(?:\0|\Z)"
_MOST_KNOWN = 8
_LONGEST = 8 << 20
_known: "dict[tuple[str, str, str], IndexContent]" = {}


class IndexContent(Value):
    """The tree of an index, None if there is none; its submodules, attribute files, and what a sparse checkout leaves
    out. `plain` is our own index with the same names, without times."""

    tree: str | None
    links: dict[str, str] = fresh(dict)
    attributes: list[str] = fresh(list)
    absent: list[str] = fresh(list)
    plain: bytes = b""


def read_content(git_folder: GitFolder) -> IndexContent:
    """Return the content of the copied index."""
    printed = git_folder.git(THEIRS).ask(["ls-files", "-v", "-s", "-z"])
    links: dict[str, str] = {}
    overlooked = []
    for match in re.finditer(_ENTRY, printed):
        path = os.fsdecode(match["path"])
        if match["link"] or match["mode"] == SUBMODULE.encode():
            links[path] = match["id"].decode()
        else:
            overlooked.append(path)
    attributes = [os.fsdecode(path) for path in re.findall(_ATTRIBUTES, printed)]
    absent = _list_absent(git_folder, overlooked) if overlooked else []
    tree = git_folder.git(THEIRS, theirs=False).line("write-tree", "--missing-ok")
    return IndexContent(tree, links, attributes, absent)


def _list_absent(git_folder: GitFolder, paths: list[str]) -> list[str]:
    if git_folder.git(PLAIN).line("config", "--bool", "core.sparseCheckout") != "true":
        return []
    top = git_folder.checkout.top
    return [path for path in paths if not os.path.lexists(f"{top}/{path}")]


def find_known(git_folder: GitFolder, tree: str) -> IndexContent | None:
    """Return the cached content, if only the tree determines what a fresh index names."""
    return _known.get(_name_known(git_folder, tree))


def note_known(git_folder: GitFolder, content: IndexContent) -> None:
    if content.tree is None or len(content.plain) > _LONGEST:
        return
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[_name_known(git_folder, content.tree)] = content


def _name_known(git_folder: GitFolder, tree: str) -> tuple[str, str, str]:
    """Return the cache key, including settings of a sparse checkout and line ends."""
    settings = render_configuration(git_folder.read_carried_settings())
    sparse = read_bytes(f"{git_folder.checkout.git_dir}/info/sparse-checkout").hex()
    return git_folder.objects, tree, settings + sparse

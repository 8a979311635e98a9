"""How the files on disk differ from an index, according to git."""

from collections.abc import Mapping

from ..core.value import Value, fresh
from .files import is_excluded

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

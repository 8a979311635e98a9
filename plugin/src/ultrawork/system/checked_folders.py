"""Folders of trees, each verified against its id when read.

Git does not hash again what it reads: someone with write access can put another folder under an id. So before git is
asked by paths, the folders on the way are hashed, and all of them before it searches everywhere."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence

from .objects import check_folder, check_tree, parse_folder, split_tree

Ask = Callable[[Sequence[str], bytes], bytes]
# Mode and id by name.
Entries = dict[bytes, tuple[bytes, bytes]]

FOLDER, LINK, SUBMODULE = b"40000", b"120000", b"160000"


class CheckedFolders:
    """Folders of one repository; `ask` is git, which knows the objects. Each is read once."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._entries: dict[str, Entries] = {}
        self._whole: dict[str, memoryview] = {}
        self._compared: set[tuple[str, str]] = set()

    def read(self, names: Iterable[str]) -> list[Entries]:
        """Return the entries of each of these folders, by one question."""
        names = list(names)
        wanted = [one for one in dict.fromkeys(names) if one not in self._entries]
        asked = [one for one in wanted if one not in self._whole]
        given = "".join(f"{one}\n" for one in asked).encode()
        answer = memoryview(self._ask(["cat-file", "--batch"], given) if asked else b"")
        for one in wanted:
            if one in self._whole:
                folder = self._whole[one]
            else:
                folder, answer = split_tree(answer)
                check_folder(one, folder)
            records = parse_folder(folder, len(one) // 2)
            self._entries[one] = {name: (mode, object_id) for mode, name, object_id in records}
        return [self._entries[one] for one in names]

    def check_whole(self, name: str) -> None:
        """All folders of a tree."""
        check_tree(self._ask, name, self._whole)

    def check_difference(self, before: str, after: str) -> None:
        """Check the folders that a comparison enters: one with the same id on both sides is the same, whatever git
        would read; one on only one side is listed completely."""
        pairs = {(before, after)} - self._compared
        while pairs:
            self._compared |= pairs
            self.read(one for pair in pairs for one in pair)
            inner: set[tuple[str, str]] = set()
            for left, right in pairs:
                for one, other in _list_differing(self._entries[left], self._entries[right]):
                    if one and other:
                        inner.add((one, other))
                    else:
                        self.check_whole(one or other)
            pairs = inner - self._compared

    def find_files(self, tree: str, paths: Sequence[str]) -> set[str]:
        """Return which of these paths are a file, a link or a submodule in a tree, by the folders on the way."""
        ways = {path: tuple(os.fsencode(path).split(b"/")) for path in paths}
        entries: dict[tuple[bytes, ...], Entries] = {}
        level: dict[tuple[bytes, ...], str] = {(): tree}
        while level:
            entries.update(zip(level, self.read(level.values()), strict=True))
            wanted = {
                way[: len(one) + 1] for one in level for way in ways.values() if _leads(one, way)
            }
            level = {}
            for way in wanted:
                mode, inner = entries[way[:-1]].get(way[-1], (b"", b""))
                if mode == FOLDER:
                    level[way] = inner.hex()
        found = {path: entries.get(way[:-1], {}).get(way[-1]) for path, way in ways.items()}
        return {path for path, entry in found.items() if entry is not None and entry[0] != FOLDER}

    def list_files(self, tree: str) -> Iterator[tuple[bytes, bytes]]:
        """Mode and path of each file and submodule, in git's order."""
        self.check_whole(tree)
        width = len(tree) // 2
        waiting = [(b"", iter(parse_folder(self._whole[tree], width)))]
        while waiting:
            above, entries = waiting[-1]
            for mode, name, object_id in entries:
                if mode == FOLDER:
                    inner = parse_folder(self._whole[object_id.hex()], width)
                    waiting.append((b"%s%s/" % (above, name), iter(inner)))
                    break
                yield mode, above + name
            else:
                waiting.pop()


def _leads(folder: tuple[bytes, ...], way: tuple[bytes, ...]) -> bool:
    """Return whether a path continues below a folder, to another one."""
    return len(way) > len(folder) + 1 and way[: len(folder)] == folder


def _list_differing(before: Entries, after: Entries) -> Iterator[tuple[str, str]]:
    """Folders of which one side has another, by their ids; empty where it has none."""
    for name in before.keys() | after.keys():
        sides = before.get(name), after.get(name)
        if sides[0] != sides[1]:
            one, other = (
                side[1].hex() if side is not None and side[0] == FOLDER else "" for side in sides
            )
            if one or other:
                yield one, other

"""What a check depends on, as one digest: its definition and every file that may decide its result.

Files that only people read are left out, so that a proof still holds if nothing else changed. In doubt a file counts:
if code, settings or checks name it, its kind, or its folder."""

import os
import re
from dataclasses import dataclass
from functools import cached_property

from ..gates.testcode.files import is_test_path
from ..store.codec import digest
from ..system.git import Git
from ..system.objects import TreeEntry

ENDINGS = ("md", "markdown", "rst", "adoc")
_WORDS = re.compile(r"([\w*?.+-]*)\.(?:md|markdown|rst|adoc)\b", re.IGNORECASE)
_SEARCHED = r"\.(md|markdown|rst|adoc)|[\"'/](docs?|documentation)[\"'/]"
_FOLDERS = ("doc/", "docs/", "documentation/")
# Programs that process text.
_READERS = re.compile(
    r"\b(markdownlint|mdl|vale|mkdocs|sphinx|codespell|prettier|doctest|cspell|proselint|remark|lychee|zensical)"
)


@dataclass(frozen=True)
class TreeInputs:
    """The files of a tree as checks see them. They are read with one git call, when needed."""

    git: Git
    tree: str

    @cached_property
    def _entries(self) -> list[TreeEntry]:
        return self.git.entries(self.tree)

    @cached_property
    def _neutral(self) -> frozenset[str]:
        """Documents that nothing in the tree names."""
        candidates = [entry.path for entry in self._entries if _is_document(entry.path)]
        if not candidates:
            return frozenset()
        text = self._find_mentions()
        stems = {match[1].rpartition("/")[2].lower() for match in _WORDS.finditer(text)}
        kinds = {match[0].rpartition(".")[2].lower() for match in _WORDS.finditer(text) if not match[1].strip("*?.")}
        folders = re.search(r"[\"'/](docs?|documentation)[\"'/]", text) is not None
        return frozenset(path for path in candidates if not _is_named(path, stems, kinds, folders))

    def _find_mentions(self) -> str:
        others = [f":(exclude,icase)*.{ending}" for ending in ENDINGS]
        words = ["grep", "-h", "-I", "-i", "-E", "-e", _SEARCHED, self.tree, "--", ".", *others]
        return os.fsdecode(self.git.answer(words).out)

    @cached_property
    def shared(self) -> str:
        """The digest of all files but the documents that nothing names."""
        return self._digest(self._neutral)

    @cached_property
    def whole(self) -> str:
        return self._digest(frozenset())

    def _digest(self, left_out: frozenset[str]) -> str:
        lines = [f"{entry.mode} {entry.id} {entry.path}" for entry in self._entries if entry.path not in left_out]
        return digest("\n".join(lines))

    def fingerprint(self, command: str, definition: str) -> str:
        """The digest of what a check depends on."""
        files = self.whole if _READERS.search(command) else self.shared
        return digest(f"{definition}\n{files}")

    @cached_property
    def key(self) -> str:
        """The object id under which a proof is found again when only documents changed."""
        text = f"ultrawork inputs {self.shared}\n".encode()
        return self.git.ask(["hash-object", "--stdin"], text).decode().strip()


def _is_document(path: str) -> bool:
    return path.lower().rpartition(".")[2] in ENDINGS and not is_test_path(path)


def _is_named(path: str, stems: set[str], kinds: set[str], folders: bool) -> bool:
    name, _, kind = path.lower().rpartition("/")[2].rpartition(".")
    inside = path.lower().startswith(_FOLDERS) or "/docs/" in path.lower()
    return name in stems or kind in kinds or (folders and inside)

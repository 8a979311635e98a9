"""What an index names, according to git; and the result for fresh checkouts, cached.

A machine makes many checkouts of the same tree. Before any work, the index of each names the same, so git is asked
once."""

import os
import re

from ..core.value import Value, fresh
from .files import read_bytes
from .git import SUBMODULE
from .git_folder import GitFolder, render_configuration

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

"""Our own git folder over the user's checkout: its own index and objects, their files; and what its index names and how the
files on disk differ from that, according to git.

The repository's configuration is not read except for the few keys in `CARRIED`, so nothing in it can execute anything,
and its index, refs and objects are only read. A machine makes many checkouts of the same tree. Before any work, the
index of each names the same, so git is asked once, and the result is cached."""

import os
import re
from collections.abc import Iterable, Mapping

from ..core.value import Value, fresh
from ..store import atomic, codec
from .checkout import Checkout, read_signature, read_times
from .files import PATTERNS, find_own_folder, is_excluded, list_left_files, read_bytes
from .git import SUBMODULE, Git

CARRIED = (
    "core.autocrlf", "core.eol", "core.filemode", "core.symlinks", "core.ignorecase",
    "core.precomposeunicode", "core.excludesfile", "core.attributesfile", "core.bigfilethreshold",
    "core.sparsecheckout", "core.sparsecheckoutcone", "extensions.objectformat",
)  # fmt: skip
# The content of each folder, stored in the index by the folder's times.
_FOLDERS_SEEN = ("core.untrackedCache=true", "status.showUntrackedFiles=all")
_FOLDERS_UNSEEN = ("core.untrackedCache=false",)
_SETTINGS = (
    "index.version=2",
    "core.splitIndex=false",
    "core.trustctime=true",
    "core.checkStat=default",
    "core.protectNTFS=false",
    "core.protectHFS=false",
)
_NOBODY = {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in (("NAME", "x"), ("EMAIL", "x"), ("DATE", "@0 +0000"))
}
_SYSTEM = ("GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH", "PATH")
_line_ends: dict[str, tuple[list[list[int]], bool]] = {}
_configurations: dict[str, tuple[list[int], dict[str, str]]] = {}
UNBORN = "ref: refs/heads/none\n"


class GitFolder:
    """One folder. Checkouts of a repository share objects, everything else belongs to one."""

    def __init__(self, checkout: Checkout, store: str, environ: Mapping[str, str]) -> None:
        home = f"{store}/{codec.digest(checkout.common)[:16]}"
        self.checkout = checkout
        self.objects = home + "/objects"
        self.folder = f"{home}/{codec.digest(checkout.top)[:16]}"
        self._environ = environ
        self._store = store
        self._ready: dict[tuple[str, bool, bool, bool], Git] = {}

    def git(self, index: str, *, theirs: bool = True, locks: bool = False, folders: bool = False) -> Git:
        """Return git for this folder. With `theirs` their objects can be read. Commands that write objects go without,
        because git would touch the times of existing ones. With `locks` git may update the index, with `folders` also
        its list of each folder."""
        key = (index, theirs, locks, folders)
        if key not in self._ready:
            self._ready[key] = self._make_git(index, theirs=theirs, locks=locks, folders=folders)
        return self._ready[key]

    def _make_git(self, index: str, *, theirs: bool, locks: bool, folders: bool) -> Git:
        extra = {"GIT_INDEX_FILE": f"{self.folder}/{index}", "GIT_OPTIONAL_LOCKS": "1" if locks else "0"}
        if theirs:
            extra["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = _quoted(self.checkout.common + "/objects")
        own = {"GIT_DIR": self.folder, "GIT_WORK_TREE": self.checkout.top, "GIT_OBJECT_DIRECTORY": self.objects}
        settings = (*(_FOLDERS_SEEN if folders else _FOLDERS_UNSEEN), *_SETTINGS)
        return Git(self.checkout.top, self._environ, extra=own | _NOBODY | extra, settings=settings)

    def digits(self) -> int:
        """How long an id is."""
        return 64 if "sha256" in read_git_file(self.folder + "/config") else 40

    def theirs(self) -> Git:
        """Return git for the repository itself, for refs and commits."""
        return Git(self.checkout.top, self._environ)

    def sources(self) -> list[str]:
        """Return the files that this folder is made from: the repository's, and our list."""
        git_dir, common = self.checkout.git_dir, self.checkout.common
        return [
            git_dir + "/index",
            common + "/config",
            git_dir + "/config.worktree",
            common + "/info/exclude",
            common + "/info/attributes",
            git_dir + "/info/sparse-checkout",
            self.folder + "/left",
        ]

    def build(self) -> None:
        for path in (self.objects, self.folder + "/refs", self.folder + "/info"):
            os.makedirs(path, mode=0o700, exist_ok=True)
        self.write("HEAD", UNBORN)
        self.write("config", render_configuration(self.read_carried_settings()))
        self.write("info/exclude", self.excludes())
        self.write("info/attributes", self.attributes())
        self.write("info/sparse-checkout", read_git_file(self.sources()[5]))

    def excludes(self) -> str:
        ours = find_own_folder(self.checkout.top, self._store)
        patterns = [*PATTERNS, *(f"/{_escaped(path)}" for path in list_left_files(self.folder))]
        patterns += [f"/{_escaped(ours)}/"] if ours else []
        return read_git_file(self.sources()[3]) + "\n" + "\n".join(patterns) + "\n"

    def attributes(self) -> str:
        """The last line of the file that takes precedence in git: no filter is ever run."""
        return read_git_file(self.sources()[4]) + "\n* -filter\n"

    def attribute_files(self) -> list[str]:
        """Return attribute files outside trees: the repository's, and the user's as the repository names it."""
        named = self.read_carried_settings().get("core.attributesfile", "")
        return [self.sources()[4], os.path.expanduser(named) if named else os.devnull]

    def read_carried_settings(self) -> dict[str, str]:
        """The settings of the repository that say how files are read and written."""
        _, config, worktree_config, *_ = self.sources()
        return self._read(config) | self._read(worktree_config)

    def converts_line_ends(self, index: str) -> bool:
        """Return whether settings convert line ends, the repository's or the user's; cached while these are
        unchanged."""
        environ, home = self._environ, self._environ.get("HOME", "")
        own = environ.get("XDG_CONFIG_HOME") or home + "/.config"
        places = [environ.get("GIT_CONFIG_GLOBAL") or home + "/.gitconfig", own + "/git/config"]
        switches = [environ.get(name, "") for name in _SYSTEM]
        key = codec.dumps([read_git_file(self.folder + "/config"), places, switches])
        times = read_signature(places)
        known = _line_ends.get(key)
        if known is None or known[0] != times:
            setting = self.git(index).line("config", "core.autocrlf")
            known = _line_ends[key] = times, setting in ("true", "input")
        return known[1]

    def write(self, name: str, text: str) -> None:
        """Write atomically: another process may be reading a tree."""
        data = text.encode("utf-8", "surrogateescape")
        atomic.write(f"{self.folder}/{name}", data, sync=False)

    def _read(self, config: str) -> dict[str, str]:
        """Return the settings, cached while the file is unchanged: worktrees share it."""
        if not os.path.isfile(config):
            return {}
        times = read_times(config)
        known = _configurations.get(config)
        if known is None or known[0] != times:
            known = _configurations[config] = times, self._ask(config)
        return known[1]

    def _ask(self, config: str) -> dict[str, str]:
        printed = Git("/", self._environ).ask(["config", "-z", "--includes", "--file", config, "--list"])
        pairs = (entry.partition("\n") for entry in os.fsdecode(printed).split("\0"))
        return {key: value if line else "true" for key, line, value in pairs if key in CARRIED}


def render_configuration(carried: Mapping[str, str]) -> str:
    version = 1 if "extensions.objectformat" in carried else 0
    lines = [f"[core]\n\tbare = false\n\trepositoryformatversion = {version}"]
    for key, value in sorted(carried.items()):
        section, _, name = key.partition(".")
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        lines.append(f'[{section}]\n\t{name} = "{escaped}"')
    return "\n".join(lines) + "\n"


def _escaped(path: str) -> str:
    """Return a pattern that matches exactly this path."""
    return "".join("\\" + letter if letter in "\\*?[ " else letter for letter in path)


def _quoted(path: str) -> str:
    """Return an entry of a colon-separated list."""
    if ":" not in path and not path.startswith('"'):
        return path
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


def read_git_file(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


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

"""Our own git folder over the user's checkout: its own index and objects, their files.

The repository's configuration is not read except for the few keys in `CARRIED`, so nothing in it can execute anything,
and its index, refs and objects are only read."""

import os
from collections.abc import Mapping

from ..store import atomic, codec
from .checkout import Checkout, read_signature, read_times
from .files import PATTERNS, find_own_folder, list_left_files
from .git import Git

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

"""
Whether a repository's own settings are harmless: they start no program.

Git starts what settings name: file monitors, diff and filter programs, pagers, hooks, transports, also through included
files. So only settings that are known to start nothing are harmless, and text that is not understood exactly is not.
"""

from re import match

# By section; a subsection (`branch "main"`) makes no difference.
HARMLESS = {
    "branch": "description gh-merge-base merge pushremote rebase remote vscode-merge-base",
    "color": "auto branch diff grep interactive status ui",
    "commit": "gpgsign",
    "core": "abbrev autocrlf bare bigfilethreshold checkstat commentchar commitgraph compression eol filemode"
    " ignorecase logallrefupdates longpaths multipackindex precomposeunicode preloadindex protecthfs protectntfs"
    " quotepath repositoryformatversion safecrlf sparsecheckout sparsecheckoutcone symlinks trustctime untrackedcache"
    " whitespace",
    "diff": "algorithm colormoved context mnemonicprefix noprefix renames",
    "extensions": "objectformat refstorage worktreeconfig",
    "fetch": "prune prunetags",
    "gc": "auto autodetach pruneexpire reflogexpire",
    "index": "threads version",
    "init": "defaultbranch",
    "log": "abbrevcommit date decorate",
    "merge": "conflictstyle ff",
    "pull": "ff rebase",
    "push": "autosetupremote default followtags",
    "rebase": "autosquash autostash",
    "remote": "fetch prune pushurl tagopt url",
    "rerere": "autoupdate enabled",
    "status": "showuntrackedfiles",
    "tag": "gpgsign",
    "user": "email name signingkey",
}
_KNOWN = {f"{section}.{key}" for section, keys in HARMLESS.items() for key in keys.split()}


def are_harmless(text: str) -> bool:
    section = ""
    for line in text.removeprefix("\ufeff").splitlines():
        rest = line.strip()
        if rest.startswith("["):
            section, rest = _read_section(rest)
            if not section:
                return False
        if rest and rest[0] not in "#;" and not _is_harmless(section, rest):
            return False
    return "\0" not in text


def _read_section(line: str) -> tuple[str, str]:
    """Return the section's name in lowercase and the rest of the line; no name if it is not a plain one."""
    section = match(r'\[([A-Za-z][A-Za-z0-9-]*)(?:[ \t]+"(?:[^"\\]|\\.)*")?\][ \t]*(.*)$', line)
    return (section[1].lower(), section[2]) if section else ("", "")


def _is_harmless(section: str, line: str) -> bool:
    """Return whether a setting is harmless; values that continue on the next line are not."""
    key = line.partition("=")[0].strip().lower()
    return f"{section}.{key}" in _KNOWN and not line.endswith("\\")

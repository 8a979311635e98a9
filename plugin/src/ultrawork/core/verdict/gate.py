"""A check: a command of the project that must pass."""

from collections.abc import Mapping, Sequence
from re import escape, fullmatch

from ..value import Value, fresh, list_fields

BUILD = "BUILD"
TEST = "TEST"
LINT = "LINT"
TYPES = "TYPES"
FUNCTIONALITY = "FUNCTIONALITY"
TODO = "TODO"
ERROR_FREE = "ERROR_FREE"
KINDS = (BUILD, TEST, LINT, TYPES, FUNCTIONALITY, TODO, ERROR_FREE)
# Kinds that read the code and never run it.
READERS = (LINT, TYPES)
# Kinds whose command a user would type; a criterion is named after its task.
_TYPED = (BUILD, TEST, LINT, TYPES)
_LABEL = 32
# The source of a check that no file defines: the user asked for its command.
ASKED = "asked for by you"


class Gate(Value):
    """A check. `argv` is what runs, `command` how people write it; `definition` is the value that pinning compares
    (the script, the target's body), `files` where that value is, `source` the place to show, `runner` the test runner
    behind it if known, `toolchain` what the repository defines about that one."""

    name: str
    kind: str
    argv: Sequence[str]
    command: str
    source: str
    reason: str
    definition: str = ""
    files: Sequence[str] = ()
    where: str = "."
    runner: str = ""
    timeout: float | None = None
    needs: Sequence[str] = ()
    env: Mapping[str, str] = fresh(dict)
    when: Sequence[str] = ()
    required: bool = True
    toolchain: Mapping[str, object] = fresh(dict)

    def __post_init__(self) -> None:
        self.definition = self.definition or self.command
        self.env = dict(self.env or {})
        self.toolchain = dict(self.toolchain or {})
        for name in ("argv", "files", "needs", "when"):
            setattr(self, name, tuple(getattr(self, name)))

    def document(self) -> dict[str, object]:
        return {name: _plain(getattr(self, name)) for name in sorted(list_fields(Gate))}

    @property
    def label(self) -> str:
        return name_check(self.name, self.kind, self.command, self.where)


def name_check(name: str, kind: str, command: str, where: str = ".") -> str:
    """Return the display name of a check: its command (`make test`, `npm test in web`), or its name from the settings
    if the command is too long for a sentence."""
    short = command.removesuffix(" .")
    if kind not in _TYPED or len(short) > _LABEL or "\n" in short:
        return name
    return short if where in ("", ".") else f"{short} in {where}"


def make_task_gate(source: str, command: str, reason: str) -> Gate:
    """Return the check of a task with its own receipt; a shell runs it."""
    return Gate(
        name=source, kind=FUNCTIONALITY, argv=["sh", "-c", command], command=command, source=source, reason=reason
    )


def read_document(document: Mapping[str, object]) -> Gate:
    fields = list_fields(Gate)
    known = {key: value for key, value in document.items() if key in fields}
    return Gate(**known)  # type: ignore[arg-type]  # what `document` wrote


def has_service(gate: Gate) -> bool:
    """Whether it declares something that is shared with others while it runs: then only the files as they are run it."""
    return any(need.startswith("tcp:") or need == "docker" for need in gate.needs)


def is_for_paths(gate: Gate, changed: Sequence[str]) -> bool:
    """Return False if the check is only for certain paths (`when`) and none of these is one."""
    return not gate.when or any(_fits(path, glob) for glob in gate.when for path in changed)


def _fits(path: str, glob: str) -> bool:
    """`web/**` and `web` mean all below; a glob without a slash fits a name in any folder."""
    anywhere = "" if "/" in glob.rstrip("/") else "(?:.*/)?"
    return fullmatch(f"{anywhere}{_pattern(glob.strip('/'))}(?:/.*)?", path) is not None


def _pattern(glob: str) -> str:
    """Return a glob as a regular expression: `**` crosses folders, `*` and `?` do not."""
    text = escape(glob).replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*")
    return text.replace(r"\*", "[^/]*").replace(r"\?", "[^/]")


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value

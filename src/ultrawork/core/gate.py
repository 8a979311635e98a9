"""A gate: a command of the project that must be green."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BUILD = "BUILD"
TEST = "TEST"
LINT = "LINT"
TYPES = "TYPES"
FUNCTIONALITY = "FUNCTIONALITY"
TODO = "TODO"
ERROR_FREE = "ERROR_FREE"
KINDS = (BUILD, TEST, LINT, TYPES, FUNCTIONALITY, TODO, ERROR_FREE)
# The source of a gate that no file defines: a person asked for its command.
ASKED = "asked for by you"


class Gate:
    """
    `argv` is what runs, `command` how people write it; `definition` is the value that pinning
    compares (the script, the target's body), `files` where that value lives, `source` the place
    to show, `runner` the test runner behind it where known.
    """

    __slots__ = (
        "argv",
        "command",
        "definition",
        "env",
        "files",
        "kind",
        "name",
        "needs",
        "reason",
        "required",
        "runner",
        "source",
        "timeout",
        "when",
        "where",
    )

    def __init__(
        self,
        *,
        name: str,
        kind: str,
        argv: "Sequence[str]",
        command: str,
        source: str,
        reason: str,
        definition: str = "",
        files: "Sequence[str]" = (),
        where: str = ".",
        runner: str = "",
        timeout: float | None = None,
        needs: "Sequence[str]" = (),
        env: "Mapping[str, str] | None" = None,
        when: "Sequence[str]" = (),
        required: bool = True,
    ) -> None:
        self.name = name
        self.kind = kind
        self.argv = tuple(argv)
        self.command = command
        self.source = source
        self.reason = reason
        self.definition = definition or command
        self.files = tuple(files)
        self.where = where
        self.runner = runner
        self.timeout = timeout
        self.needs = tuple(needs)
        self.env = dict(env or {})
        self.when = tuple(when)
        self.required = required

    def document(self) -> dict[str, object]:
        return {slot: _plain(getattr(self, slot)) for slot in self.__slots__}


def from_document(document: "Mapping[str, object]") -> Gate:
    known = {key: value for key, value in document.items() if key in Gate.__slots__}
    return Gate(**known)  # type: ignore[arg-type]  # what `document` wrote


def concerns(gate: Gate, changed: "Sequence[str]") -> bool:
    """False if the gate is only for certain paths (`when`) and none of these is one."""
    return not gate.when or any(_fits(path, glob) for glob in gate.when for path in changed)


def _fits(path: str, glob: str) -> bool:
    """`web/**` and `web` mean all below; a glob without a slash fits a name in any folder."""
    from re import fullmatch

    anywhere = "" if "/" in glob.rstrip("/") else "(?:.*/)?"
    return fullmatch(f"{anywhere}{_pattern(glob.strip('/'))}(?:/.*)?", path) is not None


def _pattern(glob: str) -> str:
    """A glob as a regular expression: `**` crosses folders, `*` and `?` do not."""
    from re import escape

    text = escape(glob).replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*")
    return text.replace(r"\*", "[^/]*").replace(r"\?", "[^/]")


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value

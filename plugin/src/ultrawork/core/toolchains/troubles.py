"""Why a check never reached its first test: a toolchain, a resolver, the network, a service, something not installed.

What each tool prints is data of its ecosystem. A line alone decides nothing: `gate_run.find_colour` (no test may have
run) and the baseline decide whether it excuses a run."""

import re
from collections.abc import Mapping, Sequence

from ..value import Value
from .toolchain import get_built_in

TOOLCHAIN = "toolchain"
RESOLVER = "resolver"
NETWORK = "network"
INSTALL = "install"
SYSTEM = "system"
ELSEWHERE = "elsewhere"
CONFIGURE = "configure"
WORDS = {
    TOOLCHAIN: "its toolchain is not ready",
    RESOLVER: "its dependencies cannot be resolved",
    NETWORK: "it needs the network",
    INSTALL: "its dependencies are not installed",
    SYSTEM: "something is missing on this machine",
    ELSEWHERE: "it loads another copy of the project",
    CONFIGURE: "its build is not configured here",
}
# Starts or parts of lines that no single tool prints; those of tools are data of their ecosystems. The first match
# decides.
_TABLE: dict[str, tuple[str, ...]] = {
    TOOLCHAIN: (),
    NETWORK: (
        r".*(?:Could not|Couldn't) resolve host",
        r".*Temporary failure in name resolution",
        r".*Name or service not known",
        r".*\[(?:6|7|28|35)\] (?:Could not|Couldn't|Timeout|SSL)",
        r".*Network is unreachable",
    ),
    RESOLVER: (),
    INSTALL: (),
    CONFIGURE: (),
    SYSTEM: (
        r".*No space left on device",
        r".*Cannot allocate memory",
        r".*fatal error: \S+\.h(?:pp|xx)?: No such file or directory",
        r".*(?:ld|ld\.\w+): (?:cannot find -l|library not found for -l)\S+",
        r"Package \S+ was not found in the pkg-config search path",
        r"No package '[^']+' found",
    ),
    ELSEWHERE: (),
}
_HELP = r"\s*(?:= )?(?:help|hint|note|tip|fix)\b:? ?|\s*(?:\$ )?(?:run|try|please run|to install) |\s*try:"
_SENTENCE = r"(?i).*\b(?:run|try|use|install)\b [`'\"]"
_LOOKED = 400
_LINE = 1_000
_NEAR = 30
HELPS = 2


class StartTrouble(Value):
    """Trouble: its `kind` from the table, the first line that shows it, and the tool's own advice."""

    kind: str
    line: str
    helps: Sequence[str] = ()

    @property
    def reason(self) -> str:
        from ..wording import cut

        return cut(f"{WORDS[self.kind]}: {self.line}", 140)


def find_start_trouble(output: str, own: Mapping[str, Sequence[str]] | None = None) -> StartTrouble | None:
    """Return the first known line of the output and the advice after it; a warning only if there is nothing else."""
    plain = re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", output)
    lines = [line[:_LINE].replace("\t", " ").rstrip() for line in plain.splitlines()]
    known = [(kind, re.compile("|".join(patterns))) for kind, patterns in _list_patterns(own or {})]
    warned: StartTrouble | None = None
    for index, line in enumerate(lines):
        if not line or _LOOKED <= index < len(lines) - _LOOKED:
            continue
        kind = next((kind for kind, pattern in known if pattern.match(line)), None)
        if kind is None:
            continue
        start_trouble = StartTrouble(kind, " ".join(line.split()), _list_helps(lines[index + 1 :]))
        if not line.lower().startswith("warning"):
            return start_trouble
        warned = warned or start_trouble
    return warned


def _list_patterns(own: Mapping[str, Sequence[str]]) -> list[tuple[str, list[str]]]:
    """Return the lines of all ecosystems, because a script may start any of them; `own` are those of a repository's
    tool."""
    known = get_built_in()
    listed: list[Mapping[str, Sequence[str]]] = [row.troubles for row in known.ecosystems.values()]
    tables = [*listed, own, *known.collect("troubles").values()]
    return [
        (kind, [*general, *(line for table in tables for line in table.get(kind, ()))])
        for kind, general in _TABLE.items()
    ]


def _list_helps(after: Sequence[str]) -> list[str]:
    """Return the tool's advice: lines that begin like help, else a sentence with a quoted command."""
    near = [line for line in after[:_NEAR] if line]
    advice = [line for line in near if re.match(_HELP, line, re.IGNORECASE)]
    advice = advice or [line for line in near if re.match(_SENTENCE, line)]
    return [" ".join(line.split()) for line in advice[:HELPS]]


_MODULE = (
    r"ModuleNotFoundError: No module named '([\w.]+)'"
    r"|Cannot find (?:module|package) '([^'\s]+)'"
    r"|(?:Error|error): Cannot find package '([^']+)'"
)


def list_absent_modules(output: str) -> list[str]:
    """Return modules that could not be imported, by their first name: `yaml`, `@scope/name`; no paths."""
    modules: dict[str, None] = {}
    for match in re.finditer(_MODULE, output):
        name = next(part for part in match.groups() if part)
        if not name.startswith((".", "/", "node:")):
            modules[_first_name(name)] = None
    return list(modules)


def _first_name(name: str) -> str:
    if "/" in name or name.startswith("@"):
        parts = name.split("/")
        return "/".join(parts[:2]) if name.startswith("@") else parts[0]
    return name.partition(".")[0]

"""Test whether a check notices faults: plant a small fault in a scratch copy and see whether it still passes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...core import errors
from ...core.check import quote
from ...core.errors import NotFound
from ...core.value import Value
from ...core.verdict.gate import READERS, Gate
from ...core.verdict.gate_run import GREEN
from ...core.verdict.summary import WIDTH
from ...core.wording import cut
from ...store.store import Store
from ..context import PERSON, GateContext
from ..judge.matrix import Cell, Matrix
from ..run.receipt import FAULT
from ..testcode import files as testfiles
from ..trees.source import Source
from . import pinning, preparation, verification

FAULTS = 3
SECONDS = 1800.0
_SOURCES = (
    ".py", ".js", ".ts", ".tsx", ".jsx", ".mjs", ".go", ".rs", ".rb", ".java", ".kt", ".php", ".cs",
    ".ex", ".c", ".cpp",
)  # fmt: skip
_SLIPS = {
    ".py": "\n\ndef planted() -> int:\n    return undefined_name_planted + ''\n",
    ".ts": '\nexport const planted: number = "not a number"; undefinedNamePlanted();\n',
    ".js": "\nundefinedNamePlanted(;\n",
}


_SWAPS = (
    (" == ", " != "), (" != ", " == "), (" === ", " !== "), (" !== ", " === "),
    (" <= ", " > "), (" >= ", " < "), (" < ", " >= "), (" > ", " <= "),
    (" + ", " - "), (" and ", " or "), (" && ", " || "), ("True", "False"),
    ("return true", "return false"), ("return false", "return true"), (" * ", " + "), (" - ", " + "),
)  # fmt: skip
_COMMENTS = ("#", "//", "*", "/*", '"""', "'''", "--")


class Mutant(Value):
    """`text` is the whole file with one line changed."""

    line: int
    before: str
    after: str
    text: str


@dataclass(frozen=True, slots=True)
class FaultRow:
    """One fault and whether the check noticed it; without a fault, why the check was not tried."""

    gate: str
    fault: str
    seen: bool | None

    @property
    def outcome(self) -> str:
        return {True: "noticed", False: "not noticed", None: "not tried"}[self.seen]


@dataclass(frozen=True, slots=True)
class Trial:
    rows: list[FaultRow] = field(default_factory=list)

    @property
    def blind(self) -> list[str]:
        """Gates that noticed none of the faults planted for them."""
        tried = [row for row in self.rows if row.seen is not None]
        seeing = {row.gate for row in tried if row.seen}
        return list(dict.fromkeys(row.gate for row in tried if row.gate not in seeing))

    @property
    def exit(self) -> int:
        if not any(row.seen is not None for row in self.rows):
            return errors.EXIT_NOTHING
        return errors.EXIT_FAIL if self.blind else errors.EXIT_DONE

    def document(self) -> dict[str, Any]:
        faults = [{"gate": row.gate, "fault": row.fault, "seen": row.outcome} for row in self.rows]
        return {"faults": faults, "blind": self.blind}

    def text(self) -> str:
        lines = [cut(f"{row.gate:<8} {row.outcome:<12} {row.fault}", WIDTH) for row in self.rows]
        lines += [f"{name} catches nothing: it passed with every planted fault" for name in self.blind]
        return "\n".join(lines)


def try_gates(store: Store, environ: Mapping[str, str], place: str, names: Sequence[str]) -> Trial:
    gates = preparation.list_gates(store, environ, place)
    chosen = [gate for gate in gates if not names or gate.name in names]
    unknown = [name for name in names if name not in [gate.name for gate in gates]]
    if unknown or not chosen:
        label = quote(unknown[0]) if unknown else "at all"
        raise NotFound(f"no check {label} here; list them: ultrawork gates")
    context = _context(store, environ, place)
    trial = Trial()
    for gate in chosen:
        _try(context, gate, trial)
    return trial


def _context(store: Store, environ: Mapping[str, str], place: str) -> GateContext:
    session, pin = verification.choose_session(store, environ, place)
    settings = pinning.read_pinned_settings(place, store, environ, pin)
    return GateContext(store, session, root=place, settings=settings, environ=environ, by=PERSON, seconds=SECONDS)


def _try(context: GateContext, gate: Gate, trial: Trial) -> None:
    source = Source(context)
    tree = source.snapshot()
    faults = _faults(source, tree, gate)
    if not faults:
        trial.rows.append(FaultRow(gate.name, "I found no code to plant a fault in", None))
        return
    matrix = Matrix(context, source, base=tree, tree=tree)
    before = matrix.run(Cell(FAULT, gate, tree))
    if before.result.colour != GREEN:
        why = "it does not pass before a bug is planted; fix that first"
        trial.rows.append(FaultRow(gate.name, why, None))
        return
    for path, mutant in faults:
        run = matrix.run(Cell(FAULT, gate, tree, texts={path: mutant.text}))
        fault = f"{path}:{mutant.line}  {mutant.before} -> {mutant.after}"
        trial.rows.append(FaultRow(gate.name, fault, run.result.colour != GREEN))


def _faults(source: Source, tree: str, gate: Gate) -> list[tuple[str, Mutant]]:
    """Return a few, in different files, each in the middle of what could be changed there."""
    paths = [path for path in source.names(tree) if _is_product(path, gate)]
    faults = []
    for path in sorted(paths, key=lambda name: -len(source.read(tree, name) or ""))[: FAULTS * 3]:
        text = source.read(tree, path) or ""
        options = _slips(path, text) if gate.kind in READERS else make_mutants(text)
        if options:
            faults.append((path, options[len(options) // 2]))
    return faults[:FAULTS]


def _slips(path: str, text: str) -> list[Mutant]:
    """Return code that a linter or type checker should report: an undefined name."""
    slip = _SLIPS.get("." + path.rpartition(".")[2])
    if slip is None:
        return []
    return [Mutant(text.count("\n") + 1, "(end of file)", "an undefined name", text + slip)]


def _is_product(path: str, gate: Gate) -> bool:
    inside = gate.where == "." or path.startswith(gate.where + "/")
    return inside and path.endswith(_SOURCES) and not testfiles.is_test_path(path) and not testfiles.is_generated(path)


def make_mutants(text: str) -> list[Mutant]:
    """Return one fault per suitable line, in file order."""
    lines = text.split("\n")
    mutants = []
    for number, line in enumerate(lines):
        changed = _changed(line)
        if changed != line:
            whole = "\n".join([*lines[:number], changed, *lines[number + 1 :]])
            mutants.append(Mutant(number + 1, line.strip(), changed.strip(), whole))
    return mutants


def _changed(line: str) -> str:
    stripped = line.strip()
    if not stripped or stripped.startswith(_COMMENTS) or stripped.startswith(("import ", "from ")):
        return line
    for before, after in _SWAPS:
        place = line.find(before)
        if place >= 0 and not _in_string(line, place):
            return line[:place] + after + line[place + len(before) :]
    return line


def _in_string(line: str, place: int) -> bool:
    start = line[:place]
    return any(start.count(quote) % 2 for quote in "\"'`")

"""Is a gate blind? A small fault is planted in a scratch copy; a gate that stays green did not see it."""

from ..core import exits
from ..core.check import shown
from ..core.errors import NotFound
from ..core.gate import LINT, TYPES
from ..core.mutants import Mutant, mutants
from ..core.results import GREEN
from ..core.wording import cut
from . import listing, pinning, start
from . import tests as testfiles
from .mint import Copy, mint
from .source import Source
from .work import PERSON, Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..core.gate import Gate
    from ..store.state import Store

FAULTS = 3
SECONDS = 1800.0
_SOURCES = (
    ".py",
    ".js",
    ".ts",
    ".tsx",
    ".jsx",
    ".mjs",
    ".go",
    ".rs",
    ".rb",
    ".java",
    ".kt",
    ".php",
    ".cs",
    ".ex",
    ".c",
    ".cpp",
)
_SLIPS = {
    ".py": "\n\ndef planted() -> int:\n    return undefined_name_planted + ''\n",
    ".ts": '\nexport const planted: number = "not a number"; undefinedNamePlanted();\n',
    ".js": "\nundefinedNamePlanted(;\n",
}


class Trial:
    __slots__ = ("rows",)

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, str]] = []

    @property
    def blind(self) -> list[str]:
        """Gates that noticed none of the faults planted for them."""
        names = dict.fromkeys(name for name, _, _ in self.rows)
        return [
            n
            for n in names
            if all(seen == "not noticed" for name, _, seen in self.rows if name == n)
        ]

    @property
    def exit(self) -> int:
        return exits.FAIL if self.blind else exits.DONE

    def document(self) -> "dict[str, Any]":
        faults = [{"gate": name, "fault": fault, "seen": seen} for name, fault, seen in self.rows]
        return {"faults": faults, "blind": self.blind}

    def text(self) -> str:
        lines = [cut(f"{name:<8} {seen:<12} {fault}", 100) for name, fault, seen in self.rows]
        lines += [f"{name} is blind: it stayed green over every fault" for name in self.blind]
        return "\n".join(lines or ["no code was found to plant a fault in"])


def try_gates(
    store: "Store", environ: "Mapping[str, str]", place: str, names: "Sequence[str]"
) -> Trial:
    found = listing.of(store, environ, place).gates
    chosen = [gate for gate in found if not names or gate.name in names]
    unknown = [name for name in names if name not in [gate.name for gate in found]]
    if unknown or not chosen:
        what = shown(unknown[0]) if unknown else "at all"
        raise NotFound(f"no gate {what} was found here; ultrawork gates lists them")
    work = _work(store, environ, place)
    trial = Trial()
    for gate in chosen:
        _try(work, gate, trial)
    return trial


def _work(store: "Store", environ: "Mapping[str, str]", place: str) -> Work:
    session, pin = start.chosen(store, environ, place)
    settings = pinning.settings_at(place, store, environ, pin)
    return Work(
        store, session, root=place, settings=settings, environ=environ, by=PERSON, seconds=SECONDS
    )


def _try(work: Work, gate: "Gate", trial: Trial) -> None:
    source = Source(work)
    tree = source.snapshot()
    for path, mutant in _faults(source, tree, gate):
        with source.copy(tree) as folder:
            with open(f"{folder}/{path}", "w", encoding="utf-8") as file:
                file.write(mutant.text)
            run = mint(work, gate, Copy(folder, f"{tree}~{path}:{mutant.line}", "fault"))
        seen = "not noticed" if run.side.colour == GREEN else "noticed"
        trial.rows.append(
            (gate.name, f"{path}:{mutant.line}  {mutant.before} -> {mutant.after}", seen)
        )


def _faults(source: Source, tree: str, gate: "Gate") -> list[tuple[str, Mutant]]:
    """A few, in different files, each in the middle of what could be changed there."""
    paths = [path for path in source.names(tree) if _is_product(path, gate)]
    found = []
    for path in sorted(paths, key=lambda one: -len(source.read(tree, one) or ""))[: FAULTS * 3]:
        text = source.read(tree, path) or ""
        if gate.kind in (LINT, TYPES):
            slip = _SLIPS.get("." + path.rpartition(".")[2])
            options = (
                [Mutant(text.count("\n"), "(end of file)", "an undefined name", text + slip)]
                if slip
                else []
            )
        else:
            options = mutants(text)
        if options:
            found.append((path, options[len(options) // 2]))
    return found[:FAULTS]


def _is_product(path: str, gate: "Gate") -> bool:
    inside = gate.where == "." or path.startswith(gate.where + "/")
    return (
        inside
        and path.endswith(_SOURCES)
        and not testfiles.is_test_path(path)
        and not testfiles.is_support_path(path)
        and not testfiles.generated(path)
    )

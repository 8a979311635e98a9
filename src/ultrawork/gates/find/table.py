"""
All finders, in the order in which their findings are preferred, and which of the gates they propose stand:
those of one task runner, else one for each language; none twice.
"""

from collections.abc import Callable, Sequence

from ...core.verdict.gate import BUILD, LINT, TEST, TYPES
from .candidate import Candidate
from .finders import cmake, dotnet, elixir, go, jvm, make, node, php, python, ruby, rust
from .folder import ProjectFolder

# Family -> its finder, and the files by which a folder is a project of that family.
FINDERS: dict[str, tuple[Callable[[ProjectFolder], list[Candidate]], tuple[str, ...]]] = {
    "make": (make.find_make, make.MANIFESTS),
    "just": (make.find_just, make.MANIFESTS),
    "node": (node.find, node.MANIFESTS),
    "python": (python.find, python.MANIFESTS),
    "rust": (rust.find, rust.MANIFESTS),
    "go": (go.find, go.MANIFESTS),
    "jvm": (jvm.find, jvm.MANIFESTS),
    "dotnet": (dotnet.find, dotnet.MANIFESTS),
    "elixir": (elixir.find, elixir.MANIFESTS),
    "ruby": (ruby.find, ruby.MANIFESTS),
    "php": (php.find, php.MANIFESTS),
    "cmake": (cmake.find, cmake.MANIFESTS),
}
# Where a project has one of these, its checks stand for all its languages.
TASK_RUNNERS = ("make", "just")
_MANIFESTS = [name for _, manifests in FINDERS.values() for name in manifests]
MANIFESTS = frozenset(name for name in _MANIFESTS if "*" not in name)
MANIFEST_ENDINGS = tuple(name.removeprefix("*") for name in _MANIFESTS if "*" in name)
NAMES = {TEST: "test", LINT: "lint", TYPES: "types", BUILD: "build"}


def is_project(names: set[str]) -> bool:
    """Whether a folder with these names counts as a project of its own below the root."""
    return not names.isdisjoint(MANIFESTS) or any(n.endswith(MANIFEST_ENDINGS) for n in names)


def choose_gates(project: ProjectFolder) -> list[Candidate]:
    """The gates of one folder, named, in the order test, lint, types, build."""
    proposed = [found for find, _ in FINDERS.values() for found in find(project)]
    chosen: list[Candidate] = []
    for kind in (TEST, LINT, TYPES):
        chosen += _of_kind(project, proposed, kind, chosen)
    if not any(found.gate.kind in (TEST, TYPES) for found in chosen):
        chosen += _of_kind(project, proposed, BUILD, chosen)
    return chosen


def list_builds(project: ProjectFolder) -> list[Candidate]:
    """Commands that build a folder's project, also where its tests alone are gates."""
    proposed = [found for find, _ in FINDERS.values() for found in find(project)]
    return [found for found in proposed if found.gate.kind == BUILD]


def _of_kind(
    project: ProjectFolder,
    proposed: Sequence[Candidate],
    kind: str,
    before: Sequence[Candidate],
) -> list[Candidate]:
    chosen: list[Candidate] = []
    for found in (found for found in proposed if found.gate.kind == kind):
        why = _objection(found, [*before, *chosen], chosen)
        if why:
            project.leave_out(found.gate.command, why)
            continue
        name = NAMES[kind] + (f"-{found.family}" if chosen else "")
        found.gate.name = project.path(name)
        chosen.append(found)
    return chosen


def _objection(found: Candidate, standing: Sequence[Candidate], rivals: Sequence[Candidate]) -> str:
    partial = found.trace.explain_partial()
    if partial:
        return partial
    for other in standing:
        if found.is_covered_by(other):
            return f"{other.gate.command} runs it already"
    for rival in rivals:
        if rival.family in TASK_RUNNERS or rival.family == found.family:
            return f"{rival.gate.command} is taken instead"
    return ""

"""Choose among the checks that all ecosystems propose, in order of preference: those of one task runner, else one for
each language, none twice."""

import sys
from collections.abc import Sequence

from ...core.toolchains.toolchain import Ecosystem, get_built_in
from ...core.verdict.gate import BUILD, LINT, TEST, TYPES
from .candidate import Candidate
from .ci.truth import admit_gates
from .described import find_described, list_suggested
from .finders import python
from .folder import ProjectFolder

# If a project has one of these, its targets check all languages.
TASK_RUNNERS = ("make", "just")
# Files that are tests only by name count if nothing else tests.
LAST_RESORT = ("shell",)
# Builds that register tests by name; they are preferred to a target that names none.
_REGISTERED = ("cmake", "meson")
_MANIFESTS = get_built_in().gather("manifests")
MANIFESTS = frozenset(name for name in _MANIFESTS if "*" not in name)
MANIFEST_ENDINGS = tuple(name.removeprefix("*") for name in _MANIFESTS if "*" in name)
# Package scripts come before tools, so these finders ask for the tools themselves.
_SCRIPTED = ("node", "php")
_STARTS = {"python": python.start_program}
NAMES = {TEST: "test", LINT: "lint", TYPES: "types", BUILD: "build"}


def is_project(names: set[str]) -> bool:
    """Return whether a folder with these names counts as a separate project below the root."""
    return not names.isdisjoint(MANIFESTS) or any(n.endswith(MANIFEST_ENDINGS) for n in names)


def propose_all(project: ProjectFolder) -> list[Candidate]:
    """Return what each ecosystem proposes, in order; families that only the user's own toolchains name come last."""
    known = project.toolchains
    families = [*known.ecosystems, *(str(known.tables[name].get("family", "")) for name in known.own)]
    names = project.names()
    marked = list_suggested(project)
    candidates: list[Candidate] = []
    for family in dict.fromkeys(families):
        ecosystem = known.ecosystems.get(family)
        if ecosystem and ecosystem.finder and _has_needs(ecosystem, names):
            candidates += _think(project, ecosystem.finder)
        if family in marked and family not in _SCRIPTED:
            candidates += find_described(project, family, start=_STARTS.get(family))
    return candidates


def _has_needs(ecosystem: Ecosystem, names: Sequence[str]) -> bool:
    endings = tuple(name.removeprefix("*") for name in ecosystem.needs if "*" in name)
    return not ecosystem.needs or any(name in ecosystem.needs or name.endswith(endings) for name in names)


def _think(project: ProjectFolder, finder: str) -> list[Candidate]:
    """Call the function of `finders` that an ecosystem names."""
    module, _, function = finder.partition(".")
    path = f"{__package__}.finders.{module}"
    __import__(path)
    candidates: list[Candidate] = getattr(sys.modules[path], function)(project)
    return candidates


def choose_gates(project: ProjectFolder) -> list[Candidate]:
    """Return the gates of one folder, named, in the order test, lint, types, build."""
    proposed = admit_gates(project, propose_all(project))
    chosen: list[Candidate] = []
    for kind in (TEST, LINT, TYPES):
        chosen += _of_kind(project, proposed, kind, chosen)
    if not any(candidate.gate.kind in (TEST, TYPES) for candidate in chosen):
        chosen += _of_kind(project, proposed, BUILD, chosen)
    return chosen


def list_builds(project: ProjectFolder) -> list[Candidate]:
    """Return commands that build a folder's project, even if only its tests are checks."""
    return [candidate for candidate in propose_all(project) if candidate.gate.kind == BUILD]


def _of_kind(
    project: ProjectFolder, proposed: Sequence[Candidate], kind: str, before: Sequence[Candidate]
) -> list[Candidate]:
    chosen: list[Candidate] = []
    of_kind = [candidate for candidate in proposed if candidate.gate.kind == kind]
    for candidate in of_kind:
        why = _objection(candidate, [*before, *chosen], chosen) or _prefer_registered(candidate, of_kind)
        if why:
            # It is already there under one name for format and types, so nothing is left out.
            if not any(candidate.gate.command == other.gate.command for other in before):
                project.leave_out(candidate.describe(), why)
            continue
        name = _name(candidate, kind, [other.gate.name.rpartition("/")[2] for other in chosen])
        candidate.gate.name = project.path(name)
        chosen.append(candidate)
    return chosen


def _prefer_registered(candidate: Candidate, others: Sequence[Candidate]) -> str:
    """Return why a target without a known runner gives way to the tests that the build registers."""
    if candidate.gate.kind != TEST or candidate.family not in TASK_RUNNERS or candidate.trace.tools(TEST):
        return ""
    better = next((other for other in others if other.family in _REGISTERED), None)
    return f"{better.gate.command} reports its tests" if better else ""


def _name(candidate: Candidate, kind: str, taken: Sequence[str]) -> str:
    name = candidate.slot or NAMES[kind]
    return name if name not in taken else f"{name}-{candidate.family}"


def _objection(candidate: Candidate, standing: Sequence[Candidate], rivals: Sequence[Candidate]) -> str:
    partial = candidate.trace.explain_partial()
    if partial:
        return partial
    for other in standing:
        if candidate.is_covered_by(other):
            return f"{other.gate.command} already runs it"
    for rival in rivals:
        if _stands_for(rival, candidate):
            return f"{rival.gate.command} is used instead"
    return ""


def _stands_for(rival: Candidate, candidate: Candidate) -> bool:
    """Return whether `rival` replaces `candidate`: one per slot of a family, a task runner for all families, a last
    resort after anything else."""
    if candidate.family in LAST_RESORT and candidate.gate.kind == TEST:
        return True
    if rival.family in TASK_RUNNERS and candidate.family not in TASK_RUNNERS:
        return True
    same = rival.family == candidate.family or rival.family in TASK_RUNNERS
    return same and rival.slot == candidate.slot

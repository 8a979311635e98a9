"""
All finders, in the order in which their findings are preferred, and which of the gates they propose stand:
those of one task runner, else one for each language; none twice.
"""

from collections.abc import Callable, Sequence

from ...core.verdict.gate import BUILD, LINT, TEST, TYPES
from .candidate import Candidate
from .ci.truth import admit_gates
from .finders import (
    dart,
    deno,
    deployment,
    dotnet,
    elixir,
    go,
    haskell,
    jvm,
    lua,
    make,
    managers,
    native,
    node,
    perl,
    php,
    python,
    r_julia,
    ruby,
    rust,
    shell,
    swift,
)
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
    "deno": (deno.find, deno.MANIFESTS),
    "dart": (dart.find, dart.MANIFESTS),
    "swift": (swift.find, swift.MANIFESTS),
    "zig": (native.find_zig, native.ZIG_MANIFESTS),
    "scala": (jvm.find_sbt, jvm.SBT_MANIFESTS),
    "haskell": (haskell.find, haskell.MANIFESTS),
    "perl": (perl.find, perl.MANIFESTS),
    "lua": (lua.find, lua.MANIFESTS),
    "r": (r_julia.find_r, r_julia.R_MANIFESTS),
    "julia": (r_julia.find_julia, r_julia.JULIA_MANIFESTS),
    "ocaml": (managers.find_dune, managers.DUNE_MANIFESTS),
    "erlang": (managers.find_rebar, managers.REBAR_MANIFESTS),
    "d": (managers.find_dub, managers.DUB_MANIFESTS),
    "nim": (managers.find_nimble, managers.NIMBLE_MANIFESTS),
    "crystal": (managers.find_crystal, managers.CRYSTAL_MANIFESTS),
    "gleam": (managers.find_gleam, managers.GLEAM_MANIFESTS),
    "terraform": (deployment.find_terraform, deployment.TERRAFORM_MANIFESTS),
    "helm": (deployment.find_helm, deployment.HELM_MANIFESTS),
    "cmake": (native.find_cmake, native.CMAKE_MANIFESTS),
    "meson": (native.find_meson, native.MESON_MANIFESTS),
    "bats": (shell.find_bats, shell.MANIFESTS),
    "shell": (shell.find, shell.MANIFESTS),
}
# Where a project has one of these, its checks stand for all its languages.
TASK_RUNNERS = ("make", "just")
# Files that are tests by their name alone count where nothing else tests.
LAST_RESORT = ("shell",)
# Builds that register tests by name: a hand-made target that names none is less.
_REGISTERED = ("cmake", "meson")
_MANIFESTS = [name for _, manifests in FINDERS.values() for name in manifests]
MANIFESTS = frozenset(name for name in _MANIFESTS if "*" not in name)
MANIFEST_ENDINGS = tuple(name.removeprefix("*") for name in _MANIFESTS if "*" in name)
NAMES = {TEST: "test", LINT: "lint", TYPES: "types", BUILD: "build"}


def is_project(names: set[str]) -> bool:
    """Whether a folder with these names counts as a project of its own below the root."""
    return not names.isdisjoint(MANIFESTS) or any(n.endswith(MANIFEST_ENDINGS) for n in names)


def choose_gates(project: ProjectFolder) -> list[Candidate]:
    """The gates of one folder, named, in the order test, lint, types, build."""
    proposed = admit_gates(
        project, [found for find, _ in FINDERS.values() for found in find(project)]
    )
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
    of_kind = [found for found in proposed if found.gate.kind == kind]
    for found in of_kind:
        why = _objection(found, [*before, *chosen], chosen) or _prefer_registered(found, of_kind)
        if why:
            # Under one name for form and types it is there already, and nothing is left out.
            if not any(found.gate.command == one.gate.command for one in before):
                project.leave_out(found.describe(), why)
            continue
        name = _name(found, kind, [one.gate.name.rpartition("/")[2] for one in chosen])
        found.gate.name = project.path(name)
        chosen.append(found)
    return chosen


def _prefer_registered(found: Candidate, others: Sequence[Candidate]) -> str:
    """A target that runs no known runner says less than the tests that the build registers."""
    if found.gate.kind != TEST or found.family not in TASK_RUNNERS or found.trace.tools(TEST):
        return ""
    better = next((one for one in others if one.family in _REGISTERED), None)
    return f"{better.gate.command} names its tests" if better else ""


def _name(found: Candidate, kind: str, taken: Sequence[str]) -> str:
    name = found.slot or NAMES[kind]
    return name if name not in taken else f"{name}-{found.family}"


def _objection(found: Candidate, standing: Sequence[Candidate], rivals: Sequence[Candidate]) -> str:
    partial = found.trace.explain_partial()
    if partial:
        return partial
    for other in standing:
        if found.is_covered_by(other):
            return f"{other.gate.command} runs it already"
    for rival in rivals:
        if _stands_for(rival, found):
            return f"{rival.gate.command} is taken instead"
    return ""


def _stands_for(rival: Candidate, found: Candidate) -> bool:
    """Of one family one in each slot; a task runner for all families, a last resort after any other."""
    if found.family in LAST_RESORT and found.gate.kind == TEST:
        return True
    if rival.family in TASK_RUNNERS and found.family not in TASK_RUNNERS:
        return True
    same = rival.family == found.family or rival.family in TASK_RUNNERS
    return same and rival.slot == found.slot

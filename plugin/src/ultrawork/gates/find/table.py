"""Choose among the checks that all ecosystems propose, in order of preference: those of one task runner, else one for
each language, none twice.

An ecosystem proposes what its toolchain files describe completely, as rows of `[[find]]`, and what its finder in
`finders` adds where that needs code."""

import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...core.toolchains.toolchain import Ecosystem, Toolchain, get_built_in
from ...core.verdict.gate import BUILD, LINT, TEST, TYPES
from .candidate import Candidate, propose_command
from .ci.truth import admit_gates
from .finders import python
from .folder import ProjectFolder
from .recipes.recipe import PACKAGE_FILE, list_dependencies
from .settings import read_tool_settings

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


# Builds the command of a family's program here, from the tool and its words.
Start = Callable[[ProjectFolder, str, list[str]], list[str]]
_FOR_A_SHELL = frozenset("&|;<>*$")


def find_described(project: ProjectFolder, family: str, start: Start | None = None) -> list[Candidate]:
    """Return what the toolchains of a family propose here."""
    candidates: list[Candidate] = []
    for tool in list_suggested(project).get(family, ()):
        for row in tool.find:
            source = _find_source(project, tool, row)
            if source:
                candidates += _propose(project, tool, row, source, start)
                break
    return candidates


def list_suggested(project: ProjectFolder) -> dict[str, list[Toolchain]]:
    """Return the families whose files are here, with the toolchains that these may belong to."""
    marked: dict[str, list[Toolchain]] = project.once("marked", _list_suggested)
    return marked


def _list_suggested(project: ProjectFolder) -> dict[str, list[Toolchain]]:
    families = project.toolchains.families
    sources = {tool.name: _list_sources(tool) for tools in families.values() for tool in tools if tool.find}
    begun = project.find_begun({path for paths in sources.values() for path in paths})
    fitting = {name for name, paths in sources.items() if not begun.isdisjoint(paths)}
    marked = {family: [tool for tool in tools if tool.name in fitting] for family, tools in families.items()}
    return {family: tools for family, tools in marked.items() if tools}


def _list_sources(tool: Toolchain) -> set[str]:
    """Return the patterns of all files that `_find_source` may return for this tool."""
    settings = [where.partition("#")[0] for where in tool.settings]
    return {path for row in tool.find for path in (settings if row.get("configured") else _list_files(row))}


def _list_files(row: Mapping[str, Any]) -> list[str]:
    files: list[str] = row.get("files", [PACKAGE_FILE] if "dependency" in row else [])
    return files


def _propose(
    project: ProjectFolder, tool: Toolchain, row: Mapping[str, Any], source: str, start: Start | None
) -> list[Candidate]:
    text = _fill(row["run"], source)
    if "note" in row:
        project.leave_out(text, _fill(row["note"], source))
        return []
    text = " ".join([*_list_before(project, row), text])
    for_shell = not _FOR_A_SHELL.isdisjoint(text)
    argv = ["sh", "-c", text] if for_shell else shlex.split(text)
    if row.get("wrapper") and project.exists(row["wrapper"]):
        argv[0] = f"./{row['wrapper']}"
    if start and not for_shell:
        argv = start(project, tool.name, argv)
    candidate = propose_command(
        project,
        tool.family,
        tool.kind.upper(),
        argv,
        source=source,
        reason=_fill(_choose_reason(row), source).replace("{name}", tool.name),
        definition="\n".join(_list_definition(project, row)),
        text=text if for_shell else "",
    )
    candidate.slot = row.get("slot", "")
    return [candidate]


def _choose_reason(row: Mapping[str, Any]) -> str:
    if "reason" in row:
        return str(row["reason"])
    if row.get("configured"):
        return "{name} is configured in {source}"
    return f"{{name}} is a dependency in {PACKAGE_FILE}" if "dependency" in row else "{name}, see {source}"


def _fill(text: str, source: str) -> str:
    return text.replace("{source}", source).replace("{folder}", source.partition("/")[0])


def _find_source(project: ProjectFolder, tool: Toolchain, row: Mapping[str, Any]) -> str:
    """Return the file shown as the source of a row; empty if the row does not match."""
    if row.get("configured"):
        setting = next(read_tool_settings(project, tool), None)
        source = setting.file.rpartition("/")[2] if setting else ""
    else:
        source = next((path for file in _list_files(row) for path in project.list_matching(file)), "")
    return source if source and _is_met(project, row, source) else ""


def _is_met(project: ProjectFolder, row: Mapping[str, Any], source: str) -> bool:
    fitting = [any(project.list_matching(_fill(pattern, source))) for pattern in row.get("with", ())]
    barred = [any(project.list_matching(_fill(pattern, source))) for pattern in row.get("without", ())]
    if not all(fitting) or any(barred):
        return False
    if "dependency" in row and row["dependency"] not in list_dependencies(project):
        return False
    return "text" not in row or any(_search(project, row["text"]))


def _search(project: ProjectFolder, wanted: Mapping[str, str]) -> Iterator[str]:
    """All that the patterns match in the files that they are for."""
    for name, pattern in wanted.items():
        for path in project.list_matching(name):
            text = project.read(path) or ""
            yield from (match[0].strip() for match in re.finditer(pattern, text) if match[0])


def _list_definition(project: ProjectFolder, row: Mapping[str, Any]) -> Iterator[str]:
    yield from _search(project, row.get("definition", {}))


def _list_before(project: ProjectFolder, row: Mapping[str, Any]) -> Sequence[str]:
    return [words for file, words in row.get("before", {}).items() if project.exists(file)]

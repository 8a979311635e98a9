"""Suggest how to make a check run: one sentence with the command of the project's own package manager."""

from ...core.toolchains import troubles
from ...core.verdict import gate_run
from ...core.verdict.gate import Gate
from ...core.verdict.gate_run import TestReport
from ..find.folder import ProjectFolder
from ..find.install import ALONE, OF_THE_MACHINE, Install, choose_install, list_asked_for, list_installs
from ..find.recipes.make import read_makefile
from ..find.shell import PROGRAMS
from ..trees.files import DiskFiles

THEN = "then run `ultrawork verify`"


def list_absent(gate: Gate, output: str, root: str) -> list[str]:
    """Return modules that a run did not find and that the project's manifests require."""
    names = troubles.list_absent_modules(output)
    project = _open(gate, root) if names else None
    return list_asked_for(project, names) if project else []


def advise(gate: Gate, colour: gate_run.Colour, root: str) -> str:
    """Return advice; empty if reading the output is the best advice."""
    if colour.value != gate_run.BROKEN or not colour.trouble:
        return ""
    if colour.trouble == gate_run.SERVICE:
        return f"start the service it needs, {THEN}"
    if colour.trouble in (troubles.TOOLCHAIN, troubles.SYSTEM):
        return _strip_mark(colour.helps[0]) if colour.helps else f"install what it asks for, {THEN}"
    if colour.missing in OF_THE_MACHINE:
        return f"install {colour.missing}, {THEN}"
    installation = _find(gate, colour.missing, root)
    if installation is not None:
        return word_install(installation)
    if _is_target(gate, colour.missing, root):
        return f"run make {colour.missing.removeprefix('./')}, {THEN}"
    # A line that only shows where the command would be is not a fix.
    unknown = gate_run.TEMPLATE in colour.line and colour.missing and "/" not in colour.missing
    install = f"install {colour.missing}, or " if unknown else ""
    return f"{install}add this to ultrawork.toml: {colour.line}" if colour.line else ""


def advise_red(gate: Gate, report: TestReport, root: str) -> str:
    """Return advice if every failed test only lacks modules that the project's manifests require; else empty."""
    lacking = [troubles.list_absent_modules(report.messages.get(name, "")) for name in report.failed]
    modules = {name for names in lacking for name in names}
    if not lacking or not all(lacking) or report.failed_count != len(lacking):
        return ""
    project = _open(gate, root)
    if project is None or set(list_asked_for(project, modules)) != modules:
        return ""
    install = choose_install(list_installs(project), gate, min(modules))
    return word_install(install) if install else ""


def is_of_machine(program: str) -> bool:
    """Return whether it is a well-known tool; anything else that is missing may be part of the work."""
    name = program.rpartition("/")[2]
    return name in OF_THE_MACHINE or name in PROGRAMS or name in gate_run.list_packages()


def word_cure(missing: str, remedy: str) -> str:
    """Return the command to type, without the follow-up, which depends on the caller."""
    known = remedy.removesuffix(f", {THEN}")
    return known if known and gate_run.TEMPLATE not in known else f"install {missing}"


def _strip_mark(text: str) -> str:
    """`run 'rustup default stable'` of `help: run 'rustup default stable'`."""
    mark, colon, rest = text.partition(": ")
    return rest if colon and mark.strip("= ").lower() in ("help", "hint", "note", "tip") else text


def word_install(install: Install) -> str:
    """Return the install sentence that `gates`, `verify` and refusals share."""
    prepared = "" if install.source == ALONE else " (or ultrawork gates prepare)"
    return f"run {install.describe()}{prepared}, {THEN}"


def _find(gate: Gate, missing: str, root: str) -> Install | None:
    project = _open(gate, root)
    return choose_install(list_installs(project), gate, missing) if project else None


def _is_target(gate: Gate, program: str, root: str) -> bool:
    """Return whether a Makefile says how the program is built that its own check starts without building it."""
    project = _open(gate, root) if program.startswith("./") else None
    book = read_makefile(project) if project else None
    return book is not None and program.removeprefix("./") in book.recipes


def _open(gate: Gate, root: str) -> ProjectFolder | None:
    return ProjectFolder(DiskFiles(root)).sub(gate.where)


def advise_without_gates(root: str) -> str:
    """Return how to get the checks of a project that has none yet, such as `./configure`."""
    installs = list_installs(ProjectFolder(DiskFiles(root)))
    return next((word_install(install) for install in installs if install.done is False), "")

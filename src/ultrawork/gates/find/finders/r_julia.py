"""R and Julia packages."""

from ....core.verdict.gate import TEST
from ..candidate import Candidate, propose_command
from ..folder import ProjectFolder

R_MANIFESTS = ("DESCRIPTION",)
JULIA_MANIFESTS = ("Project.toml",)


def find_r(project: ProjectFolder) -> list[Candidate]:
    text = project.read("DESCRIPTION")
    if text is None or "Package:" not in text:
        return []
    if not project.exists("tests/testthat"):
        if project.exists("tests"):
            project.leave_out("R CMD check", "tests without testthat; write the command down")
        return []
    argv = ["Rscript", "-e", "testthat::test_local(reporter = 'tap')"]
    reason = "an R package with testthat, see DESCRIPTION"
    return [propose_command(project, "r", TEST, argv, source="DESCRIPTION", reason=reason)]


def find_julia(project: ProjectFolder) -> list[Candidate]:
    if not project.exists("Project.toml") or not project.exists("test/runtests.jl"):
        return []
    argv = ["julia", "--project=.", "-e", "using Pkg; Pkg.test()"]
    reason = "a Julia package, see test/runtests.jl"
    return [propose_command(project, "julia", TEST, argv, source="Project.toml", reason=reason)]

"""Terraform and Helm: what can be checked without reaching any cloud."""

from ....core.verdict.gate import LINT, TEST
from ..candidate import FORMAT, Candidate, propose_command, propose_configured
from ..folder import ProjectFolder

TERRAFORM_MANIFESTS: tuple[str, ...] = ()
HELM_MANIFESTS = ("Chart.yaml",)


def find_terraform(project: ProjectFolder) -> list[Candidate]:
    source = project.find_matching("main.tf", "*.tf")
    if not source:
        return []
    reason = f"Terraform code, see {source}"
    argv = ["terraform", "fmt", "-check", "-recursive"]
    found = [propose_command(project, "terraform", LINT, argv, source=source, reason=reason)]
    found[0].slot = FORMAT
    tests = [name for name in project.names("tests") if name.endswith(".tftest.hcl")]
    if tests or project.find_matching("*.tftest.hcl"):
        # Tests may make real things in a cloud; only a person can say that they do not.
        project.leave_out(
            "terraform test", "it may reach a cloud; runs only if ultrawork.toml lists it"
        )
    lint = ["tflint", "--recursive"]
    return found + propose_configured(project, "terraform", LINT, "tflint", lint)


def find_helm(project: ProjectFolder) -> list[Candidate]:
    if not project.exists("Chart.yaml"):
        return []
    found = [
        propose_command(
            project,
            "helm",
            LINT,
            ["helm", "lint", "."],
            source="Chart.yaml",
            reason="a Helm chart, see Chart.yaml",
        )
    ]
    if any(name.endswith("_test.yaml") for name in project.names("tests")):
        reason = "tests for helm-unittest in tests"
        argv = ["helm", "unittest", "."]
        found.append(
            propose_command(project, "helm", TEST, argv, source="Chart.yaml", reason=reason)
        )
    return found

"""Perl: `t/*.t` under prove, built first where the distribution holds C, or modules outside `lib`."""

from ....core.verdict.gate import LINT, TEST
from ..candidate import Candidate, propose_command, propose_configured
from ..folder import ProjectFolder

FAMILY = "perl"
MANIFESTS = ("Makefile.PL", "Build.PL", "dist.ini", "cpanfile")


def find(project: ProjectFolder) -> list[Candidate]:
    tests = [name for name in project.names("t") if name.endswith((".t", "/"))]
    if not any(name.endswith(".t") for name in tests):
        return []
    source = project.find_first(*MANIFESTS) or f"t/{tests[0]}"
    reason = f"Perl tests in t, see {source}"
    text = "prove -lrv t"
    if project.exists("Makefile.PL") and _is_built_first(project):
        text = "perl Makefile.PL && make && prove -brv t"
    argv = text.split() if " && " not in text else ["sh", "-c", text]
    found = propose_command(
        project,
        FAMILY,
        TEST,
        argv,
        source=source,
        reason=reason,
        text=text if argv[0] == "sh" else "",
    )
    lint = propose_configured(project, FAMILY, LINT, "perlcritic", ["perlcritic", "lib"])
    return [found, *lint]


def _is_built_first(project: ProjectFolder) -> bool:
    """C is compiled; a module at the root gets its place among the others only by the build."""
    return bool(
        project.find_matching("*.xs")
        or (project.find_matching("*.pm") and not project.exists("lib"))
    )

"""Haskell: stack where the project has a stack.yaml, else cabal."""

import re

from ....core.patterns import compile_late
from ....core.verdict.gate import LINT, TEST
from ..candidate import Candidate, propose_command, propose_configured
from ..folder import ProjectFolder

FAMILY = "haskell"
MANIFESTS = ("stack.yaml", "cabal.project", "*.cabal")
_SUITE = compile_late(r"^test-suite\b.*$", re.MULTILINE | re.IGNORECASE)


def find(project: ProjectFolder) -> list[Candidate]:
    cabal = project.find_matching("*.cabal")
    source = project.find_first("stack.yaml", "cabal.project") or cabal
    if not source:
        return []
    text = (project.read(cabal) or "") if cabal else project.read("package.yaml") or ""
    suites = _SUITE.findall(text)
    found = []
    if suites or "tests:" in text or (not cabal and source == "cabal.project"):
        argv = ["stack", "test"] if source == "stack.yaml" else ["cabal", "test", "all"]
        reason = f"a Haskell package with tests, see {source}"
        definition = "\n".join(suites)
        found = [
            propose_command(
                project, FAMILY, TEST, argv, source=source, reason=reason, definition=definition
            )
        ]
    return found + propose_configured(project, FAMILY, LINT, "hlint", ["hlint", "."])

"""Lua: busted, luacheck and stylua."""

from ....core.verdict.gate import LINT, TEST
from ..candidate import FORMAT, Candidate, propose_command, propose_configured
from ..folder import ProjectFolder

FAMILY = "lua"
MANIFESTS = (".busted", "*.rockspec")
_FOLDERS = ("spec", "specs", "test", "tests")


def find(project: ProjectFolder) -> list[Candidate]:
    found = []
    source = project.find_first(".busted") or _find_spec(project)
    if source:
        # Its own lines tell no names of tests that pass.
        argv = ["busted", "--output=TAP"]
        if source != ".busted" and not source.startswith("spec/"):
            argv.append(source.partition("/")[0])
        reason = f"specs for busted, see {source}"
        found = [propose_command(project, FAMILY, TEST, argv, source=source, reason=reason)]
    found += propose_configured(project, FAMILY, LINT, "luacheck", ["luacheck", "."])
    argv = ["stylua", "--check", "."]
    return found + propose_configured(project, FAMILY, LINT, "stylua", argv, slot=FORMAT)


def _find_spec(project: ProjectFolder) -> str:
    for folder in _FOLDERS:
        for name in project.names(folder):
            if name.endswith("_spec.lua"):
                return f"{folder}/{name}"
    return ""

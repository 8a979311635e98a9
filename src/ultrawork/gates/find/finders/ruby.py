"""Ruby: rspec, rails or rake, and the linter that is configured."""

import re

from ....core.patterns import compile_late
from ....core.verdict.gate import LINT, TEST
from ..candidate import Candidate, propose_command, propose_configured
from ..folder import ProjectFolder

FAMILY = "ruby"
MANIFESTS = ("Gemfile",)
_RAKE_TEST = compile_late(r"TestTask|^[ \t]*task\s*\(?[:\"']?test\b", re.MULTILINE)
_RAKE_SPEC = compile_late(r"RSpec::Core::RakeTask")


def find(project: ProjectFolder) -> list[Candidate]:
    if not project.find_first("Gemfile", "Rakefile", ".rspec"):
        return []
    return [*_tests(project), *_linter(project)]


def _tests(project: ProjectFolder) -> list[Candidate]:
    rakefile = project.read("Rakefile") or ""
    if (
        project.exists(".rspec")
        or (project.exists("spec/spec_helper.rb"))
        or _RAKE_SPEC.search(rakefile)
    ):
        source = project.find_first(".rspec", "spec/spec_helper.rb", "Rakefile")
        return [_gate(project, ["rspec"], source, f"rspec is used, see {source}")]
    if project.exists("bin/rails") and project.exists("test"):
        argv = ["bin/rails", "test"]
        reason = "a Rails application with tests"
        return [propose_command(project, FAMILY, TEST, argv, source="bin/rails", reason=reason)]
    if _RAKE_TEST.search(rakefile):
        return [_gate(project, ["rake", "test"], "Rakefile", "task test in the Rakefile")]
    return []


def _linter(project: ProjectFolder) -> list[Candidate]:
    for tool in ("rubocop", "standardrb"):
        found = propose_configured(project, FAMILY, LINT, tool, _bundled(project, tool))
        if found:
            return found
    return []


def _gate(project: ProjectFolder, words: list[str], source: str, reason: str) -> Candidate:
    argv = _bundled(project, *words)
    text = (project.read("Rakefile") or "") if words[0] == "rake" else ""
    return propose_command(
        project, FAMILY, TEST, argv, source=source, reason=reason, definition=text
    )


def _bundled(project: ProjectFolder, *words: str) -> list[str]:
    return ["bundle", "exec", *words] if project.exists("Gemfile") else list(words)

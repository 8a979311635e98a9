"""Ruby: rspec, rails or rake, and the linter that is configured."""

import re

from ....core.verdict.gate import LINT, TEST
from ..candidate import Candidate, propose_command
from ..folder import ProjectFolder
from ..tools import find_setting

FAMILY = "ruby"
_RAKE_TEST = re.compile(r"TestTask|^[ \t]*task\s*\(?[:\"']?test\b", re.MULTILINE)
_RAKE_SPEC = re.compile(r"RSpec::Core::RakeTask")


def find(place: ProjectFolder) -> list[Candidate]:
    if not place.first("Gemfile", "Rakefile", ".rspec"):
        return []
    return [*_tests(place), *_linter(place)]


def _tests(place: ProjectFolder) -> list[Candidate]:
    rakefile = place.read("Rakefile") or ""
    if (
        place.exists(".rspec")
        or (place.exists("spec/spec_helper.rb"))
        or _RAKE_SPEC.search(rakefile)
    ):
        source = place.first(".rspec", "spec/spec_helper.rb", "Rakefile")
        return [_gate(place, TEST, ["rspec"], source, f"rspec is used, see {source}")]
    if place.exists("bin/rails") and place.exists("test"):
        argv = ["bin/rails", "test"]
        reason = "a Rails application with tests"
        return [propose_command(place, FAMILY, TEST, argv, source="bin/rails", reason=reason)]
    if _RAKE_TEST.search(rakefile):
        return [_gate(place, TEST, ["rake", "test"], "Rakefile", "task test in the Rakefile")]
    return []


def _linter(place: ProjectFolder) -> list[Candidate]:
    for tool in ("rubocop", "standardrb"):
        setting = find_setting(place, tool)
        if setting:
            source = setting.file.rpartition("/")[2]
            return [_gate(place, LINT, [tool], source, f"{tool} is configured in {source}")]
    return []


def _gate(place: ProjectFolder, kind: str, words: list[str], source: str, reason: str) -> Candidate:
    argv = ["bundle", "exec", *words] if place.exists("Gemfile") else words
    text = (place.read("Rakefile") or "") if words[0] == "rake" else ""
    return propose_command(place, FAMILY, kind, argv, source=source, reason=reason, definition=text)

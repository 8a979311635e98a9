"""How strong a PASS is, in one of these words.

*proved*: a test fails without the change and passes with it. *expectations changed*: the tests that notice it changed
with it. *nothing broke*: tests notice the changed functions, but see no difference. *not proved*: no test notices
them. *not measured*, with the reason. Docs, comments, tests and settings alone need no word."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..value import Value
from ..wording import count_things, name_some
from .gate_findings import is_ci_file, is_doc
from .gate_run import quote_name

PROVED = "proved"
EXPECTATIONS = "expectations changed"
NOTHING_BROKE = "nothing broke"
NOT_PROVED = "not proved"
# What a screen prints if the document's value is not clear enough.
_SHOWN_AS = {NOTHING_BROKE: "no regression"}
# Changes that no test could notice: a PASS names the kind and has no strength.
DOCS, TESTS, COMMENTS = "only docs changed", "only tests changed", "only comments or layout changed"
SETTINGS, CI, DELETIONS = "only settings changed", "only CI files changed", "code was only removed"
KINDS = (DOCS, TESTS, COMMENTS, SETTINGS, CI, DELETIONS)
NOT_MEASURED = "not measured"
# The reason for a fix that tests run but none notices.
THE_FIX = "the fix"
# The reason for a change that the tests passed without.
THE_CHANGE = "this change"
# Rows that say an expectation changed together with the behavior; the last one is about a test that is gone.
REPLACED = "test-replaced"
EXPECTATION_RULES = ("expectation-changed", "test-asked-for", REPLACED)
# Rows about a check whose passing shows little.
LITTLE_RULES = ("names-no-tests", "misses-faults")
# Code that knows it is tested proves nothing.
AWARE_RULES = ("test-aware",)
# What stands between the name of a test and its lines.
_BEFORE_LINES = (" has a new expectation: ", " was changed, as the goal asks: ")
_SHOWN = 2
_SETTINGS = (
    "package.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "pyproject.toml", "poetry.lock",
    "uv.lock", "setup.cfg", "requirements", "Pipfile", "Pipfile.lock", "Gemfile", "Gemfile.lock", "Cargo.toml",
    "Cargo.lock", "go.mod", "go.sum", "composer.json", "composer.lock", ".pre-commit-config.yaml", ".gitignore",
    ".gitattributes", ".editorconfig", "tox.ini", "noxfile.py", "Makefile", "justfile", "Dockerfile",
)  # fmt: skip
_COMMENTED = (".py", ".js", ".ts", ".go", ".rs", ".rb", ".java", ".tsx", ".jsx", ".mjs", ".c", ".h", ".sh", ".bash")


class StrengthFacts(Value):
    """`notices`: whether a test fails when the changed functions return zero; None if that was not measured."""

    notices: bool | None = None
    reason: str = ""
    where: str = ""

    @property
    def grade(self) -> str:
        return {None: NOT_MEASURED, True: NOTHING_BROKE, False: NOT_PROVED}[self.notices]


def explain_kind(
    paths: Sequence[str], *, tests: Sequence[str], code: Sequence[str], deleted: Sequence[str], only_removed: bool
) -> str | None:
    """Why a change needs no strength word; None if it needs one."""
    if not paths:
        return "nothing changed"
    if all(map(is_doc, paths)):
        return DOCS
    rest = [path for path in paths if path not in tests and not is_doc(path)]
    if not rest:
        return TESTS
    if all(map(is_ci_file, rest)):
        return CI
    if all(map(_is_settings, rest)):
        return SETTINGS
    if not code:
        sources = [path for path in rest if not _is_settings(path)]
        if all(path in deleted for path in sources):
            return DELETIONS
        return COMMENTS if any(path.endswith(_COMMENTED) for path in sources) else None
    return DELETIONS if only_removed or all(path in deleted for path in code) else None


def _is_settings(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name in _SETTINGS or name.startswith("requirements") or is_ci_file(path)


def limit_strength(value: str, rules: Sequence[str]) -> str:
    """Return the strength. Code that asks whether a test is running is never proved, nor is a change for which a test
    went away that fails on it: other tests that notice the change may have nothing to do with that one."""
    if value == PROVED and any(rule in AWARE_RULES for rule in rules):
        return NOT_PROVED
    return EXPECTATIONS if value == PROVED and REPLACED in rules else value


def describe_strength(verdict: Mapping[str, Any]) -> str:
    """`proved by test_x`, `not proved: no test covers refund()`; empty where no word is needed."""
    strength, reason = verdict.get("strength"), verdict.get("strength_reason") or ""
    if strength == PROVED:
        return f"proved by {render_tests(verdict['noticed_by'] or [], verdict['gates'])}"
    if strength == EXPECTATIONS:
        return describe_expectations(verdict)
    if strength == NOTHING_BROKE:
        return "no regression: tests cover this change and see no difference"
    if strength == NOT_PROVED:
        return f"not proved: {_explain_not_proved(verdict, reason)}"
    if strength == NOT_MEASURED:
        return f"not measured{f': {reason}' if reason else ''}"
    return name_ungraded_kind(verdict)


def _explain_not_proved(verdict: Mapping[str, Any], reason: str) -> str:
    if any(finding["rule"] in AWARE_RULES for finding in verdict["findings"]):
        return "the code checks whether a test is running"
    if reason == THE_FIX:
        return "tests run the fix, but none of them notices it"
    idle = any(finding["rule"] == "idle-test" for finding in verdict["findings"]) or reason == THE_CHANGE
    return f"no test {'notices' if idle else 'covers'} {reason or 'this change'}"


def describe_expectations(verdict: Mapping[str, Any]) -> str:
    """Return `1 expectation changed: test_total 5 → 6`; empty if none changed."""
    changed = count_changed(verdict)
    return f"{count_things(changed, 'expectation')} changed{_show_changed(verdict)}" if changed else ""


def _show_changed(verdict: Mapping[str, Any]) -> str:
    changed = [finding for finding in verdict["findings"] if finding["rule"] in EXPECTATION_RULES]
    lines = [finding["what"] for finding in changed if finding["rule"] == REPLACED or "→" in finding["what"]]
    for words in _BEFORE_LINES:
        lines = [text.replace(words, " ") for text in lines]
    return f": {', '.join(lines[:_SHOWN])}" if lines else ""


def name_ungraded_kind(verdict: Mapping[str, Any]) -> str:
    """Return `only docs changed` and the like for a change that needs no strength; empty for any other."""
    reason = verdict.get("strength_reason")
    return str(reason) if not verdict.get("strength") and reason in KINDS else ""


def count_changed(verdict: Mapping[str, Any]) -> int:
    """Return how many expectations changed with the behavior or by request."""
    return sum(finding["rule"] in EXPECTATION_RULES for finding in verdict["findings"])


def name_verdict(value: str, strength: str | None) -> str:
    """`PASS, proved`: a verdict as screens show it."""
    return f"{value}, {_SHOWN_AS.get(strength, strength)}" if strength else value


def render_tests(names: Sequence[str], checks: Collection[str] = ()) -> str:
    """Name tests; a check that names no tests counts as one."""
    return name_some([f"the `{name}` check" if name in checks else quote_name(name) for name in names], _SHOWN)

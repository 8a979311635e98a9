"""A verdict in one line, from its document and receipts alone: the same when made and when read back. Beside a PASS it
says how strong that is, in one of these words.

*proved*: a test fails without the change and passes with it. *expectations changed*: the tests that notice it changed
with it. *nothing broke*: tests notice the changed functions, but see no difference. *not proved*: no test notices them.
*not measured*, with the reason. Docs, comments, tests and settings alone need no word."""

from collections.abc import Collection, Mapping, Sequence
from textwrap import wrap
from typing import Any

from ..value import Value
from ..wording import capitalize, count_things, cut, name_some
from . import verdict as verdicts
from .gate import name_check
from .gate_findings import is_ci_file, is_doc
from .gate_run import BROKEN, FLAKY, GREEN, RED, quote_name
from .verdict import LEVELS, NOT_NEEDED, STRONG, WEAK

Document = Mapping[str, Any]

WIDTH = 100
# The result of a check, after its name and as a verb.
_RESULTS = {GREEN: "ok", RED: "failed", FLAKY: "flaky", BROKEN: "could not run"}
_VERBS = {RED: "fails", BROKEN: "could not run", FLAKY: "is flaky"}
# Notes about what a verdict rests on: they cost nothing, and are always shown.
_ALOUD = (
    "name-nowhere",
    "check-same",
    "check-replaced",
    "check-unread-consent",
    "surroundings-changed",
    "forged-event",
    "settled-by-hand",
    "asked-by-agent",
)
# Named first beside a PASS: tests that are gone or prove nothing.
_NAMED = ("test-dropped", "idle-test")
# The client prefixes the line, and we append the way to the proof.
ROOM_BEFORE_DETAILS = WIDTH - 22
_NOTE_LINES = 2


def render_verdict(verdict: Document, receipts: Mapping[int, Document]) -> str:
    """Return `PASS, proved by test_x. make test: 4 passed, ruff check: ok`, or the verdict and what keeps it from
    PASS."""
    if verdict["verdict"] != verdicts.PASS:
        return cut(f"{verdict['verdict']}. {capitalize(find_reason(verdict))}", WIDTH)
    shown, listed = describe_strength(verdict), describe_notes(verdict)
    notes = "; ".join(listed)
    first, gates = f"PASS{f', {shown}' if shown else ''}.", describe_gates(verdict, receipts)
    whole = f"{first} {', '.join(gates)}"
    if len(whole) + len(notes) + 2 <= ROOM_BEFORE_DETAILS:
        return f"{whole}; {notes}" if notes else whole
    parts = [f"{gate}," for gate in gates[:-1]] + gates[-1:]
    head, colon, lines = first.partition(": ")
    if len(first) > ROOM_BEFORE_DETAILS and colon:
        return _lay_out([f"{head}.", *parts], [lines.removesuffix("."), *_lay_out_notes(listed)])
    return _lay_out([first, *parts], _lay_out_notes(listed))


def _lay_out(parts: Sequence[str], more: Sequence[str]) -> str:
    """Fill lines with the parts; the others get lines of their own."""
    lines = [cut(parts[0], ROOM_BEFORE_DETAILS)]
    for part in parts[1:]:
        if len(lines[-1]) + 1 + len(part) <= ROOM_BEFORE_DETAILS:
            lines[-1] += f" {part}"
        else:
            lines.append(cut(part, ROOM_BEFORE_DETAILS))
    return "\n  ".join([*lines, *(cut(text, WIDTH - 2) for text in more if text)])


def _lay_out_notes(notes: Sequence[str]) -> list[str]:
    """Put notes on one line if they fit, else on lines of their own; a long note gets a second line."""
    joined = "; ".join(notes)
    if len(joined) <= WIDTH - 2:
        return [capitalize(joined)]
    lines = [wrap(capitalize(note), WIDTH - 2, break_on_hyphens=False)[:_NOTE_LINES] for note in notes]
    return [line for several in lines for line in several]


def explain_pass(verdict: Document) -> str:
    """Return why it is a PASS, without the numbers: how strong it is, and what still fails."""
    notes = describe_notes(verdict)
    sentences = [describe_strength(verdict), *(notes or ["all checks pass"])]
    return "; ".join(sentence for sentence in sentences if sentence)


def describe_gates(verdict: Document, receipts: Mapping[int, Document]) -> list[str]:
    """Describe each check; met criteria of tasks are only counted, because there are many. What could not run is among
    the notes."""
    met = [gate for gate in verdict["gates"].values() if gate.get("task") and gate["result"] == GREEN]
    gates = [
        _gate(name, gate, receipts.get(gate.get("receipt") or 0))
        for name, gate in verdict["gates"].items()
        if gate not in met and not gate.get("not_checked")
    ]
    return gates + ([f"criteria: {len(met)} met"] if met else [])


def describe_counts(receipt: Document | None) -> str:
    """Return `4 passed` or `3 passed, 1 failed`; empty if the runner reports no numbers."""
    tests = receipt["tests"] if receipt else None
    if not tests or tests.get("ran") is None:
        return ""
    failed = tests.get("failed_count") or 0
    parts = [f"{tests['ran'] - failed} passed"]
    parts += [f"{failed} failed"] if failed else []
    return ", ".join(parts)


def describe_notes(verdict: Document) -> list[str]:
    """Return what a user should know about a PASS beside its strength: what still fails, which expectations changed."""
    shown = ("failing-before", "flaky")
    before = [finding["what"] for finding in verdict["findings"] if finding["rule"] in shown]
    changed = describe_expectations(verdict)
    if changed and verdict.get("strength") != EXPECTATIONS:
        before.append(changed)
    before += [
        f"not checked: {name} ({_find_reason(verdict, name)})"
        for name, gate in verdict["gates"].items()
        if gate.get("not_checked")
    ]
    for rules in (LITTLE_RULES, _ALOUD):
        before += [finding["what"] for finding in verdict["findings"] if finding["rule"] in rules]
    return before


def describe_looks(verdict: Document) -> str:
    """Return `Worth a look: shop.py:3 counts its calls (and 2 more)`; empty if there is nothing."""
    from .rules import LOOK, is_of_family

    noted = [(finding["rule"], finding["what"]) for finding in verdict["findings"]]
    looks = [what for rule, what in noted if rule in _NAMED]
    looks += [what for rule, what in noted if is_of_family(rule, LOOK)]
    more = f" (and {len(looks) - 1} more)" if looks[1:] else ""
    return f"Worth a look: {cut(looks[0], WIDTH - 40)}{more}" if looks else ""


def _find_reason(verdict: Document, name: str) -> str:
    reasons = [reason for reason in verdict["not_checked"] if reason.startswith(f"{name}: ")]
    return reasons[0].partition(": ")[2] if reasons else "could not run"


def find_reason(verdict: Document) -> str:
    """Return the most important reason: what a run showed, else what is missing."""
    findings = [
        finding["what"] for level in (STRONG, WEAK) for finding in verdict["findings"] if finding["level"] == level
    ]
    red = [f"{name} fails" for name, gate in verdict["gates"].items() if gate["result"] == RED]
    strange = [finding["what"] for finding in verdict["findings"] if finding["level"] not in LEVELS]
    left = [*verdict["not_checked"], *_silent(verdict), *verdict["accepted"]]
    reasons = [*findings, *strange, *red, *left]
    return reasons[0] if reasons else "files changed while the checks ran"


def _silent(verdict: Document) -> list[str]:
    if not verdicts.has_checks(verdict):
        return [_say_unchecked([gate for gate in verdict["gates"].values() if gate.get("task")])]
    return [
        f"{name} {_VERBS.get(gate['result'], 'did not run')}"
        for name, gate in verdict["gates"].items()
        if gate["result"] not in (GREEN, NOT_NEEDED)
    ]


def _say_unchecked(criteria: Sequence[Document]) -> str:
    if not criteria:
        return verdicts.NO_CHECK
    met = sum(criterion["result"] == GREEN for criterion in criteria)
    return f"{verdicts.NO_CHECK}, and {met} of {len(criteria)} criteria are met. Add a check: ulw gates draft"


def _gate(name: str, gate: Document, receipt: Document | None) -> str:
    result = gate["result"]
    if result == NOT_NEEDED:
        return f"{name}: not needed"
    called = name_receipt(receipt) if receipt else name
    shown = describe_counts(receipt) if result in (GREEN, RED) else ""
    return f"{called}: {shown or _RESULTS.get(result, 'did not run')}"


def name_receipt(receipt: Document) -> str:
    """Return the display name of a receipt's check."""
    gate, run = receipt["gate"], receipt["run"]
    return name_check(gate["name"], gate.get("kind", ""), gate["command"], run.get("cwd", "."))


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

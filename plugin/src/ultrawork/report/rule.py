"""One rule of the judge as people read it: what triggers it, what runs, and the effect."""

import re
from typing import Any

from ..core.verdict import rules

# What an effect means for the user.
EFFECTS = {
    rules.FAIL: "FAIL: sent back until it is fixed; UNVERIFIED when the session's limits are reached",
    rules.ONCE: "sent back once, then UNVERIFIED",
    rules.ASK: "sent back once; after that the verdict can be PASS, not proved",
    rules.UNVERIFIED: "UNVERIFIED, not sent back",
    rules.SAID: "a note; the verdict stays the same",
    "": "no message",
}


# What a verdict means, where its word stands for a rule.
VERDICTS = {
    "PASS": "the checks pass, and nothing speaks against the change",
    "FAIL": "a check shows that the change is wrong: the agent is sent back",
    "UNVERIFIED": "the change was shown neither right nor wrong, or the agent was sent back too often",
}
# What each run of the table runs.
_RUNS = {
    rules.NOW: "the checks on the current files",
    rules.BASELINE: "the checks on the baseline",
    rules.OLD: "the old tests and the old check on the current code",
    rules.OLD_CODE: "the current tests on the old code",
    rules.UNDONE: "the tests with changed functions undone",
    rules.PLANTED: "the checks with a test that must fail",
    rules.CLEAN: "the checks in a clean copy of the files",
    rules.TEXT: "nothing; the changed files are read",
}
# Parts of a sentence that may be empty.
_OPTIONAL = ("detail", "lines", "before", "outside", "since")
# Examples for names that only a real change has.
_EXAMPLES = {
    "gate": "test", "check": "make test", "first": "test_total", "test": "test_total", "names": "total()", "failing": ": test_total",
    "fix": "get `test_total` to pass", "became": "`|| true` was added to `pytest`", "mark": "# type: ignore",
    "runner": "pytest", "missing": "total()", "verb": "removed", "where": "shop.py", "paths": "shop.py", "which": "shop.py", "function": "total()", "does": "does",
    "here": "passes here, but fails",
}  # fmt: skip


def _fill(rule: rules.Rule, words: str) -> str:
    """Fill in examples for names: `test fails: test_total`; others become `<where>`."""

    if rule.family in (rules.CHECKS, rules.DEFINITION):
        words = words.replace("{names}", "{failing}")

    def show(match: re.Match[str]) -> str:
        return _EXAMPLES.get(match[1], "" if match[1] in _OPTIONAL else f"<{match[1]}>")

    return re.sub(r"\{(\w+)\}", show, words)


def describe_rule(name: str) -> tuple[dict[str, Any], str] | None:
    """Return a document and a text; None if there is no such rule."""
    rule = rules.RULES.get(name)
    if name in VERDICTS:
        return {"verdict": name, "meaning": VERDICTS[name]}, f"{name}: {VERDICTS[name]}"
    if rule is None:
        return None
    control = rule.control and rule.cell != rules.TEXT
    runs = _RUNS[rule.cell] + (f", compared with {_RUNS[rule.control]}" if control else "")
    lines = [
        f"{rule.id}",
        f"  applies when    {rule.asks}",
        f"  runs            {runs}",
        f"  result          {EFFECTS[rule.effect]}",
    ]
    lines += [f"  message         {_fill(rule, rule.words)}"] if rule.words not in ("", "{what}") else []
    if rule.effect not in ("", rules.SAID):
        lines.append(f"  cleared by      {_fill(rule, rule.clears)}")
    document = {
        "rule": rule.id,
        "family": rule.family,
        "asks": rule.asks,
        "cell": rule.cell,
        "control": rule.control,
        "effect": rule.effect,
        "words": rule.words,
        "clears": rule.clears,
    }
    return document, "\n".join(lines)

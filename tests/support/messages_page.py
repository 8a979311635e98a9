"""The page that shows screens before and after, made from the sentences of the program: `python -m support.messages_page`."""

import json
import os

from ultrawork.core import wording
from ultrawork.core.modes import loops
from ultrawork.core.prompt import arming
from ultrawork.core.prompt.first_word import explain_remark
from ultrawork.core.stop import refusal, rules
from ultrawork.core.verdict.gate import LINT, TEST, Gate
from ultrawork.report import why
from ultrawork.report.rule import describe_rule

from .floor import REPOSITORY

PAGE = f"{REPOSITORY}/docs/reference/messages.md"
# What the same moments printed before, as recorded from the last release.
BEFORE = f"{REPOSITORY}/tests/support/messages_before.json"
_HEAD = """\
# Messages

<!-- Made by python -m support.messages_page from the program's own sentences. Do not edit. -->

What ultrawork prints at each moment, and what it printed before. Each message says what happened, then why, then a
command to run. Inside a client type the `ulw` form; in a terminal type `ultrawork`. [Glossary](glossary.md)
"""


def _gate(name: str, command: str, kind: str = TEST) -> Gate:
    return Gate(name=name, kind=kind, argv=command.split(), command=command, source="Makefile:1", reason="found")  # fmt: skip


_TESTS, _LINT = _gate("test", "make test"), _gate("lint", "ruff check .", LINT)


def _decide(facts: rules.StopFacts) -> str:
    decision = rules.decide_after_checks(facts)
    return wording.capitalize(decision.because) + "."


def _send_back(number: int, details: "list[str]", *, same: bool = False) -> str:
    return refusal.render_refusal(
        number=number,
        limit=8,
        claim="all tests pass",
        fact="make test fails",
        details=details,
        step="get `test_expired_token` to pass",
        same=same,
    )


def list_screens() -> "dict[str, str]":
    """Moment -> what is printed."""
    red = ["make test: exit 2 after 1.8 s, 2 passed, 1 failed", "  FAIL test_expired_token  tests/test_session.py:41  AssertionError: 200 != 401"]  # fmt: skip
    unverified = [
        "failing   make test: test_expired_token, as it did before",
        "passing   ruff check",
        'changed   auth/session.py, 4 lines.  Agent\'s last words: "It should work now."',
    ]
    screens = {
        "Installed": wording.READY,
        "Turned on": arming.tell_on([_TESTS, _LINT]),
        "Turned on, first time in a checkout": arming.name_commands(["make test", "ruff check ."]),
        "Turned on, a linter is missing": arming.tell_on([_TESTS, _LINT], {"lint": "ruff"}),
        "Turned on, no checks": arming.tell_on([]),
        "Turned on without a task": wording.NO_GOAL,
        "Already on": wording.STILL_ON,
        "Goal extended": wording.tell_goal("and sort the names"),
        "A remark, not a task": explain_remark("crashes on empty input", is_on=False),
        "Sent back": _send_back(1, red),
        "Sent back again, same failure": _send_back(2, red, same=True),
        "Allowed to stop, no progress": refusal.render_unverified(unverified, _decide(rules.StopFacts(verdict="FAIL", row=2, refusals=2))),
        "Allowed to stop, limit reached": refusal.render_unverified(unverified[:1], _decide(rules.StopFacts(verdict="FAIL", refusals=8))),
        "Allowed to stop, others edit": refusal.render_unverified(unverified[:1], _decide(rules.StopFacts(verdict="FAIL", refusals=1, others=["a.py"]))),
        "Agent is blocked": refusal.render_blocked("the API key is missing", "", [], "changed   nothing"),
        "Agent disputes a test": refusal.render_blocked("1 + 2 is 3", "test_total", [], "changed   nothing"),
        "Turned off": wording.tell_off(3),
        "Not on": wording.NOT_ON,
        "Forked conversation": wording.FORK,
        "Test released": wording.tell_test_accepted("test_total"),
        "New baseline": wording.NEW,
        "New baseline while on": wording.NEW_WHILE_ON,
        "Slow check in the background": wording.tell_background(["make test"], "about 5 min left", passed=12),
        "Files changed after PASS": wording.tell_moved("PASS"),
        "Command from an agent's client": wording.tell_personal("accept"),
        "Help": wording.HELP,
        "Loop without checks": loops.NO_GATE,
        "Open to-do items": refusal.explain_open_work(["write docs"], [], busy=False, asked=False, again=False, plan_mode=False),
    }  # fmt: skip
    for name in ("check-fails", "fix-unshown"):
        found = describe_rule(name)
        assert found is not None
        screens[f"`ultrawork why {name}`"] = found[1]
    screens["`ulw why`, the actions"] = "\n".join(why.ACTIONS.values())
    return screens


def render_page() -> str:
    with open(BEFORE, encoding="utf-8") as file:
        before = json.load(file)
    lines = [_HEAD]
    for moment, text in list_screens().items():
        lines += [f"## {moment}", ""]
        if before.get(moment, text) != text:
            lines += ["Before:", "", "```text", before[moment], "```", "", "Now:", ""]
        lines += ["```text", text, "```", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    os.makedirs(os.path.dirname(PAGE), exist_ok=True)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(render_page())

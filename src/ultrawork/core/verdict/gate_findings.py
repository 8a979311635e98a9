"""
What the runs of the gates say about a change: decisions over executed facts.

What was complained about or failed before is nobody's doing; changes of documentation alone need no slow gate.
"""

from ..value import Value
from . import goals
from .finding import NOTE, STRONG, WEAK, Finding, render_names
from .gate import LINT, TYPES
from .gate_run import GREEN, RED, GateResult, shorten_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class ChangeFacts(Value):
    """What was asked for and what moved: `changed` are the paths of this session alone."""

    goal: str
    changed: "Sequence[str]" = ()
    outside: str = ""


def judge_red(
    gate: str, kind: str, now: GateResult, base: GateResult | None, change: ChangeFacts
) -> list[Finding]:
    """What a red gate means: red because of this change, or red as before."""
    if now.colour != RED:
        return []
    if base is None or base.colour != RED:
        return [_red(gate, now, _failing(now))]
    if kind in (LINT, TYPES):
        return _red_lint(gate, now, base, change)
    failed, before = _named_failures(now), _named_failures(base)
    if not failed or not before:
        return [_names_unknown(gate, now)]
    mine = [name for name in failed if name not in before or explain_relation(name, now, change)]
    if mine:
        return [_red(gate, now, mine)]
    return [_as_before(gate, now, failed)]


def explain_relation(test: str, now: GateResult, change: ChangeFacts) -> str:
    """Why a test that was red before is this change's business all the same; empty if it is not."""
    if not change.changed:
        return "nothing was changed"
    if goals.is_about_tests(change.goal):
        return "the goal speaks of tests"
    message = now.report.messages.get(test, "") if now.report else ""
    return goals.find_shared_word(test, message, change.goal, change.changed)


def is_red_as_before(findings: "Iterable[Finding]", gate: str) -> bool:
    """Whether all that is known about a red gate is that it was red before, elsewhere."""
    about = [finding.rule for finding in findings if finding.gate == gate]
    return "red-as-before" in about and "gate-red" not in about and "red-unnamed" not in about


def judge_unchanged(change: ChangeFacts) -> Finding | None:
    """
    No change at all is a weak finding, unless none was expected or the work was elsewhere; only said
    where the goal may have been met before.
    """
    expected = goals.find_expectation(change.goal)
    if change.changed or expected == goals.ANSWER:
        return None
    if change.outside or expected == goals.EITHER:
        done = f"; the agent {change.outside}" if change.outside else ""
        return Finding(
            rule="nothing-changed",
            level=NOTE,
            what=f"No file changed{done}",
            clears="look at it there" if done else "look whether it was so before",
            doubt=True,
        )
    return Finding(
        rule="nothing-changed",
        level=WEAK,
        what="No file changed since the start",
        clears="make the change, or end with BLOCKED: why",
    )


def _named_failures(side: GateResult) -> list[str]:
    """All failing tests by name; empty if even one of them has no name."""
    if side.report is None or not side.report.failed:
        return []
    unnamed = (side.report.failed_count or 0) > len(side.report.failed)
    return [] if unnamed else side.report.failed


def _failing(side: GateResult) -> list[str]:
    return side.report.failed if side.report else []


def _red(gate: str, now: GateResult, names: "Sequence[str]") -> Finding:
    what = (
        f"{gate} is red{render_names(names)}"
        if names
        else f"{gate} is red: {now.reason or 'it failed'}"
    )
    return Finding(
        rule="gate-red",
        level=STRONG,
        gate=gate,
        what=what,
        where=_place(now, names),
        receipt=now.receipt,
        clears=f"make {shorten_name(names[0]) if len(names) == 1 else gate} green",
    )


def _names_unknown(gate: str, now: GateResult) -> Finding:
    return Finding(
        rule="red-unnamed",
        level=WEAK,
        gate=gate,
        what=f"{gate} is red, and was at the start; which tests fail is not told",
        receipt=now.receipt,
        clears=f"make {gate} green, or end with BLOCKED: why",
    )


def _as_before(gate: str, now: GateResult, names: "Sequence[str]") -> Finding:
    ran = now.report.ran if now.report else None
    ok = f"{ran - len(names)} ok, " if ran is not None else ""
    return Finding(
        rule="red-as-before",
        level=NOTE,
        gate=gate,
        what=f"{gate} {ok}{len(names)} red as before{render_names(names)}",
        where=_place(now, names),
        receipt=now.receipt,
    )


def _red_lint(gate: str, now: GateResult, base: GateResult, change: ChangeFacts) -> list[Finding]:
    """What was complained about before counts for nobody, what is new only in changed files."""
    if not read_complaints(now.output):
        return [_names_unknown(gate, now)]
    mine = find_new_complaints(now.output, base.output, change.changed)
    if not mine:
        what = f"{gate} is red as before; nothing new in the changed files"
        return [
            Finding(rule="red-as-before", level=NOTE, gate=gate, what=what, receipt=now.receipt)
        ]
    more = f" and {len(mine) - 1} more" if mine[1:] else ""
    return [
        Finding(
            rule="gate-red",
            level=STRONG,
            gate=gate,
            what=f"{gate} is red: {mine[0]}{more}",
            receipt=now.receipt,
            clears=f"mend what {gate} says about the changed files",
        )
    ]


def _place(now: GateResult, names: "Sequence[str]") -> str:
    message = now.report.messages.get(names[0], "") if now.report and names else ""
    place = message.partition("  ")[0]
    return place if ":" in place and " " not in place else ""


_PLACED = r"\s*(-->\s*)?([\w./\\@+-]+\.\w+)(?::|\()\d+(?:[:,]\d+)?\)?:?\s*(?:- )?(.*)$"
_UNDER_HEADING = r"\s+\d+:\d+\s+(\S.*)$"
_HEADING = r"(\S[^:]*[./]\w[\w.-]*)$"


class LintComplaint:
    """`text` has no line number: a complaint that only moved is the same one."""

    __slots__ = ("path", "text")

    def __init__(self, path: str, said: str) -> None:
        self.path = path.removeprefix("./")
        self.text = f"{self.path}: {' '.join(said.split())}".rstrip(": ")


def read_complaints(output: str) -> list[LintComplaint]:
    import re

    found = []
    heading = previous = ""
    for line in output.splitlines():
        placed, under = re.match(_PLACED, line), re.match(_UNDER_HEADING, line)
        title = re.match(_HEADING, line)
        if placed:
            arrow, path, said = placed.groups()
            found.append(LintComplaint(path, previous if arrow else said))
        elif title:
            heading = title[1]
        elif under and heading:
            found.append(LintComplaint(heading, under[1]))
        previous = line
    return found


def find_new_complaints(now: str, base: str, changed: "Iterable[str]") -> list[str]:
    """Complaints about changed files that were not made before."""
    before = [one.text for one in read_complaints(base)]
    files = tuple(changed)
    found = []
    for one in read_complaints(now):
        if one.text in before:
            before.remove(one.text)
        elif _among(one.path, files):
            found.append(one.text)
    return found


def _among(path: str, files: "Iterable[str]") -> bool:
    return any(
        ("/" + path).endswith("/" + one) or ("/" + one).endswith("/" + path) for one in files
    )


SLOW_SECONDS = 30.0
_ENDINGS = (
    ".md", ".rst", ".adoc", ".txt", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".bmp",
)  # fmt: skip
_NAMES = ("license", "licence", "copying", "notice", "authors", "changelog", "contributors")
# Text files that decide what a program does.
_DECIDING = ("requirements", "constraints", "cmakelists", "robots", "manifest")
_PROGRAMS = (".py", ".js", ".ts", ".mjs", ".cjs", ".rs", ".go", ".toml", ".json", ".yml", ".yaml")


def is_doc(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    stem = name.partition(".")[0]
    if stem.startswith(_DECIDING):
        return False
    folders = path.lower().split("/")[:-1]
    documentation = "docs" in folders and not name.endswith(_PROGRAMS)
    return name.endswith(_ENDINGS) or stem in _NAMES or documentation


def has_only_docs(paths: "Sequence[str]") -> bool:
    return bool(paths) and all(is_doc(path) for path in paths)


def explain_not_needed(paths: "Sequence[str]", *, seconds: float | None, base: str | None) -> str:
    """Why a gate need not run; empty if it must: only docs changed, it is slow, base was green."""
    slow = seconds is not None and seconds > SLOW_SECONDS
    return "only docs changed" if slow and base == GREEN and has_only_docs(paths) else ""

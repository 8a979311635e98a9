"""Shared parts of all report readers: the forms of output by which a reader is found and loaded alone, output without
colors and carriage returns, collected names and outcomes, and the name trees, stacks and comparisons that jest, vitest
and mocha have in common."""

import re
from collections.abc import Iterable

from ...core.patterns import compile_late
from ...core.value import Value
from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport

_PYTEST = r"passed|failed|skipped|xfailed|xpassed|errors?|deselected|warnings?|rerun|subtests? \w+"
_TEXTS = {
    "bun": r"^Ran \d+ tests? across \d+ files?\.",
    "cargo": r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored",
    "ctest": r"^\d+% tests passed, \d+ tests? failed out of \d+",
    "dart": r"^\d\d:\d\d \+\d+(?: ~\d+)?(?: -\d+)?: ",
    "deno": r"^(?:ok|FAILED) \| (?:\d+ \w+ (?:\(\d+ steps?\) )?\| )*\d+ \w+",
    "go": r'^(?:ok|FAIL|\?) +\t\S+|^(?:ok|FAIL|\?)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[)|^\{"(?:Time|Action)":',
    "jest": r"^Tests: +(.*\d+ total)$",
    "json_report": r'^\{\s*"(?:num\w+Tests?|stats|results|version|reportFormat|success)"',
    "junit": r"<testsuites?\b[^>]*>",
    "meson": r"^Ok: +\d+",
    "mocha": r"^ +(\d+) passing\b",
    "node": r"^\u2139 tests (\d+)$",
    "prove": r"^Files=\d+, Tests=\d+,",
    "pytest": rf"^(?:=+ )?((?:\d+ (?:{_PYTEST})(?:, )?)+|no tests ran) in [\d.]+s",
    "swift": r"^Test Case '|^. Test run with \d+ tests?",
    "tap": r"^TAP version \d+$|^1\.\.\d+$",
    "unittest": r"^Ran (\d+) tests? in ",
    "vitest": r"^ +Test Files  +\S|^No test files found",
}
FORMS = {name: re.compile(text, re.MULTILINE) for name, text in _TEXTS.items()}


MESSAGE_LIMIT = 160
LINE_LIMIT = 1000
_ESCAPE = compile_late(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_FRAME = compile_late(r"^[ \t]*at (?:.*\()?(?:file://)?([^()\s][^()]*?):(\d+):\d+\)?", re.MULTILINE)
_NOT_OURS = ("node:", "node_modules/", "internal/")


def make_plain(output: str, root: str = "") -> str:
    """Remove escape sequences and make paths below `root` relative, so that runs can be compared."""
    text = output.replace("\r\n", "\n").replace("\r", "\n")
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    folder = root.rstrip("/")
    return text.replace("file://" + folder + "/", "").replace(folder + "/", "") if folder else text


def cut_lines(text: str) -> str:
    """Cut lines to what a name and a message need: patterns are slow on very long lines."""
    if len(text) <= LINE_LIMIT:
        return text
    return "\n".join(
        line if len(line) <= LINE_LIMIT or line.startswith('{"') else line[:LINE_LIMIT] for line in text.split("\n")
    )


def make_one_line(lines: str | list[str]) -> str:
    """Return the first line with content, joined with the next one if it ends in a colon."""
    parts = lines.splitlines() if isinstance(lines, str) else lines
    texts = [" ".join(part.split()) for part in parts if part.strip()]
    if not texts:
        return ""
    text = f"{texts[0]} {texts[1]}" if texts[0].endswith(":") and len(texts) > 1 else texts[0]
    return text if len(text) <= MESSAGE_LIMIT else text[: MESSAGE_LIMIT - 1] + "…"


def join_place(place: str, message: str) -> str:
    return f"{place}  {message}" if place and message else place or message


def find_frame(text: str) -> str:
    """Return `file:line` of the first frame of a JavaScript stack in the project's own code."""
    for path, line in _FRAME.findall(text):
        if not any(mark in path for mark in _NOT_OURS):
            return f"{path}:{line}"
    return ""


def sum_matches(pattern: re.Pattern[str], text: str) -> int:
    """The sum of group 1 over all places where the pattern fits."""
    return sum(int(match.group(1)) for match in pattern.finditer(text))


_WORSE = {SKIPPED: 0, PASSED: 1, FAILED: 2}


class RunnerCounts(Value):
    """The numbers a runner printed."""

    ran: int
    failed: int
    skipped: int


class Collector:
    """Collects test results. A test reported twice keeps its worse outcome and its first message."""

    def __init__(self) -> None:
        self.outcomes: dict[str, str] = {}
        self.messages: dict[str, str] = {}
        self.errored: set[str] = set()
        self.failures = 0
        self._told: dict[str, int] = {}

    def add(self, name: str, outcome: str, message: str = "") -> None:
        known = self.outcomes.get(name)
        if known is None or _WORSE[outcome] > _WORSE[known]:
            self.outcomes[name] = outcome
            self.failures += outcome == FAILED
        self.say(name, message)

    def add_errored(self, name: str, message: str = "") -> None:
        """Add a failure before a test's body ran: it could not be loaded or set up."""
        self.add(name, FAILED, message)
        self.errored.add(name)

    def add_again(self, name: str, outcome: str, message: str = "") -> str:
        """Add a test for runners that report no file: a second test of the same name is another test."""
        count = self._told[name] = self._told.get(name, 0) + 1
        unique = name if count == 1 else f"{name} #{count}"
        self.add(unique, outcome, message)
        return unique

    def rename(self, old: str, new: str) -> None:
        self.outcomes[new] = self.outcomes.pop(old)
        if old in self.messages:
            self.messages[new] = self.messages.pop(old)

    def say(self, name: str, message: str) -> None:
        if message and self.outcomes.get(name) == FAILED:
            self.messages.setdefault(name, message)

    def report(self, counts: RunnerCounts | None = None, *, complete: bool | None = None) -> TestReport:
        if counts is None:
            return TestReport(outcomes=self.outcomes, messages=self.messages, complete=complete, errored=self.errored)
        # A file that could not be loaded has failed, although none of its tests was counted.
        unloaded = max(0, self.failures - counts.failed)
        return TestReport(
            outcomes=self.outcomes,
            messages=self.messages,
            ran=counts.ran + unloaded,
            failed_count=counts.failed + unloaded,
            skipped_count=counts.skipped,
            complete=complete,
            errored=self.errored,
        )


def merge_reports(reports: list[TestReport]) -> TestReport:
    """Merge the reports of several runs behind one command."""
    if len(reports) == 1:
        return reports[0]
    together = Collector()
    for report in reports:
        for name, outcome in report.outcomes.items():
            together.add(name, outcome, report.messages.get(name, ""))
    return TestReport(
        outcomes=together.outcomes,
        messages=together.messages,
        ran=_sum(report.ran for report in reports),
        failed_count=_sum(report.failed_count for report in reports),
        skipped_count=_sum(report.skipped_count for report in reports),
        complete=None if all(report.complete for report in reports) else False,
        errored={name for report in reports for name in report.errored},
    )


def _sum(numbers: Iterable[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


_COMPARED = compile_late(r"^[ \t]*(Expected|Received):? *(.+)$", re.MULTILINE)


class Suites:
    """The suites that are open while an indented tree of names is read."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, depth: int, name: str) -> None:
        self.leave(depth)
        self._open.append((depth, name))

    def leave(self, depth: int) -> None:
        self._open = [suite for suite in self._open if suite[0] < depth]

    def path(self, depth: int) -> list[str]:
        return [name for at, name in self._open if at < depth]


def join_names(*parts: str) -> str:
    return " > ".join(part for part in parts if part)


def find_message(body: str) -> str:
    """Return the message. jest shows a comparison in two lines, which say more than the sentence above."""
    compared = [f"{word} {value.strip()}" for word, value in _COMPARED.findall(body)[:2]]
    message = ", ".join(compared).lower() if len(compared) == 2 else make_one_line(body)
    return join_place(find_frame(body), make_one_line(message))

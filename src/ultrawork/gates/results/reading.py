"""
From the output of a gate to the tests it ran: by the reader of its runner, or by the numbers that a runner
prints last.
"""

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence

from ...core.patterns import compile_late
from ...core.verdict.gate_run import FAILED, TestReport
from .report import cut_lines, make_plain, merge_reports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Each reader with the pattern that tells its runner's handwriting. They are loaded when asked for:
# most runs need one of them, and their patterns take milliseconds to compile.
READERS = {
    "pytest": "SUMMARY",
    "unittest": "RAN",
    "node": "TOTAL",
    "jest": "TOTAL",
    "vitest": "SEEN",
    "mocha": "PASSING",
    "go": "SEEN",
    "cargo": "RESULT",
    "junit": "SEEN",
    "prove": "SEEN",
    "tap": "SEEN",
    "ctest": "SEEN",
    "meson": "SEEN",
    "deno": "SEEN",
    "bun": "SEEN",
    "dart": "SEEN",
    "swift": "SEEN",
}
# What prove shows is TAP as well, of many files under the same numbers.
_INSTEAD = {"prove": "tap"}
_ALSO = {"node": ("tap",), "vitest": ("tap",), "mocha": ("tap",)}
# Those whose pattern stands once, at the end of a session.
_ENDS_ONCE = frozenset(("pytest", "unittest", "node", "jest", "mocha"))
_HIDES_PYTEST = ("", "pytest")
# Where Gradle, Maven, and most others that are told to write JUnit XML put it.
_OWN_FOLDERS = (
    "build/test-results", "target/surefire-reports", "target/failsafe-reports", "test-results",
    "test-reports", "reports", "junit",
)  # fmt: skip
# Seconds that a file system's clock may be behind.
_CLOCK = 0.02
_VERBOSITY = frozenset(("-v", "--verbose", "-q", "--quiet"))
_REFUSED = compile_late(r"error: unrecognized arguments: [^\n]*--junit-?xml")


def make_report_environment(
    runner: str, report_dir: str, present: Mapping[str, str] | None = None
) -> dict[str, str]:
    """
    What to add to a gate's environment to learn the names of its tests; `present` is what it
    has already. Only what cannot change a result: others print their names themselves.
    """
    known = os.environ if present is None else present
    if runner in _HIDES_PYTEST:
        import shlex

        report = shlex.quote(os.path.join(report_dir, "pytest.xml"))
        added = f"--junitxml={report} -o junit_family=xunit1"
        return {"PYTEST_ADDOPTS": f"{known.get('PYTEST_ADDOPTS', '')} {added}".strip()}
    if runner == "go":
        return {"GOFLAGS": f"{known.get('GOFLAGS', '')} -v".strip()}
    return {}


def make_telling_words(runner: str, argv: Sequence[str]) -> list[str]:
    """The words of a command that tells the names of its tests, where it is the runner itself."""
    quiet = runner == "unittest" and "unittest" in argv and _VERBOSITY.isdisjoint(argv)
    return [*argv, "-v"] if quiet else list(argv)


def has_refused_report(output: str) -> bool:
    """The project's pytest has no JUnit reports: the gate must be run without `environment`."""
    return _REFUSED.search(make_plain(output)) is not None


def read_report(
    runner: str,
    output: str,
    report_dir: str | None = None,
    root: str = "",
    *,
    exit_: int | None = None,
) -> TestReport | None:
    """
    The tests of one run, or None if nothing about them is told. `root` is the folder the gate ran
    in: without it the same test has two names in two copies of a project. A suite that tries a test runner may
    print what failed inside: where its `exit_` and its own last words are green, that is no failure of its tests.
    """
    whole = make_plain(output, root)
    text = cut_lines(whole)
    reports = _printed(runner, text, whole)
    written = _written(report_dir, root) if report_dir else None
    if written is not None:
        several = len(_module("pytest").SUMMARY.findall(text)) > 1
        reports["pytest"] = _both(reports["pytest"], written) if several else written
    if exit_ == 0:
        reports = {name: _without_inner(name, one, text) for name, one in reports.items()}
    if reports:
        return merge_reports(list(reports.values()))

    return parse_counts(text, exit_=exit_)


def _without_inner(runner: str, report: TestReport, text: str) -> TestReport:
    module = _module(runner)
    ends = [*getattr(module, READERS[runner]).finditer(text)] if runner in _ENDS_ONCE else []
    last = module.parse(text[ends[-1].start() :]) if len(ends) > 1 else None
    if last is None or last.failed_count or not last.ran:
        return report
    passed = {name: told for name, told in report.outcomes.items() if told != FAILED}
    return TestReport(
        outcomes=passed, ran=last.ran, failed_count=0, skipped_count=last.skipped_count
    )


def _written(folder: str, root: str) -> TestReport | None:
    """What runners wrote into a folder of ours."""
    if not os.path.isdir(folder) or not os.listdir(folder):
        return None
    from . import junit

    return junit.read_folder(folder, root)


def read_own_files(root: str, since: float) -> TestReport | None:
    """What a check wrote by its own settings during a run that began then; older files say nothing of it."""
    found = [place for one in _OWN_FOLDERS if os.path.isdir(place := os.path.join(root, one))]
    if not found:
        return None
    from . import junit

    return junit.read_since(found, root, since - _CLOCK)


def _module(name: str) -> "Any":
    path = f"{__package__}.{name}"
    __import__(path)
    return sys.modules[path]


def _printed(runner: str, text: str, whole: str) -> dict[str, TestReport]:
    own = _readable((runner, *_ALSO.get(runner, ())), text, whole)
    return own or _readable(guess_runners(text), text, whole)


def _readable(runners: Iterable[str], text: str, whole: str) -> dict[str, TestReport]:
    """XML may be one long line; for everything else long lines are cut."""
    known = [name for name in runners if name in READERS]
    reports = {name: _module(name).parse(whole if name == "junit" else text) for name in known}
    return {name: report for name, report in reports.items() if report is not None}


def _both(printed: TestReport, written: TestReport) -> TestReport:
    """Several sessions wrote to one file: it names the tests of the last, the text counts all."""
    names = merge_reports([printed, written])
    return TestReport(
        outcomes=names.outcomes,
        messages=names.messages,
        ran=printed.ran,
        failed_count=printed.failed_count,
        skipped_count=printed.skipped_count,
        errored=names.errored,
    )


def guess_runners(output: str) -> list[str]:
    """The runners whose handwriting this is."""
    text = cut_lines(make_plain(output))
    found = [name for name, seen in READERS.items() if getattr(_module(name), seen).search(text)]
    hidden = {_INSTEAD[name] for name in found if name in _INSTEAD}
    return [name for name in found if name not in hidden]


_COUNT_FORMS = (
    # Maven and Gradle
    r"Tests run: (?P<all>\d+), Failures: (?P<failed>\d+), Errors: (?P<errors>\d+)(?:, Skipped: (?P<skipped>\d+))?(?![^\n]*Time elapsed)",
    r"Tests run: (?P<all>\d+), Failures: (?P<failed>\d+)",
    r"(?P<all>\d+) tests completed, (?P<failed>\d+) failed(?:, (?P<skipped>\d+) skipped)?",
    # PHPUnit
    r"Tests: (?P<all>\d+), Assertions: \d+(?:, Errors: (?P<errors>\d+))?(?:, Failures: (?P<failed>\d+))?[^\n]*?(?:, Skipped: (?P<skipped>\d+))?",
    r"OK \((?P<all>\d+) tests?, \d+ assertions?\)",
    # RSpec, ExUnit, minitest
    r"(?P<all>\d+) examples?, (?P<failed>\d+) failures?(?:, (?P<skipped>\d+) pending)?",
    r"(?P<all>\d+) (?:tests?|runs), \d+ assertions, (?P<failed>\d+) failures, (?P<errors>\d+) errors(?:, (?P<skipped>\d+) skips)?",
    r"(?:\d+ \w+, )*(?P<all>\d+) tests?, (?P<failed>\d+) failures?(?:, \d+ excluded)?(?:, (?P<skipped>\d+) skipped)?",
    # dotnet
    r"Failed: +(?P<failed>\d+), Passed: +(?P<passed>\d+), Skipped: +(?P<skipped>\d+), Total:",
    # ctest, nextest, bun
    r"\d+% tests passed, (?P<failed>\d+) tests? failed out of (?P<all>\d+)",
    r"(?P<all>\d+) tests? run: (?P<passed>\d+) passed[^\n,]*(?:, (?P<failed>\d+) failed)?(?:, (?P<skipped>\d+) skipped)?",
    r"(?P<passed>\d+) pass\n(?: *(?P<skipped>\d+) skip\n)? *(?P<failed>\d+) fail\b",
    # busted, zig, sbt, tasty, cabal, testthat
    r"(?P<passed>\d+) success(?:es)? / (?P<failed>\d+) failures? / (?P<errors>\d+) errors? / (?P<skipped>\d+) pending",
    r"(?P<passed>\d+)/(?P<all>\d+) tests passed(?:; (?P<skipped>\d+) skipped)?(?:; (?P<failed>\d+) failed)?",
    r"(?:Passed|Failed): Total (?P<all>\d+), Failed (?P<failed>\d+), Errors (?P<errors>\d+)",
    r"(?P<failed>\d+) out of (?P<all>\d+) tests failed",
    r"All (?P<all>\d+) tests passed",
    r"\[ FAIL (?P<failed>\d+) \| WARN \d+ \| SKIP (?P<skipped>\d+) \| PASS (?P<passed>\d+) \]",
    r"\d+ of \d+ test suites \((?P<passed>\d+) of (?P<all>\d+) test cases\) passed",
    r"(?P<passed>\d+) passed,? *(?:[,;|] *)?(?P<failed>\d+) failed",
    r"(?P<failed>\d+) failed[,;|] *(?P<passed>\d+) passed",
    r"(?P<passed>\d+) (?:tests? )?passed",
)


def parse_counts(text: str, *, exit_: int | None = None) -> TestReport | None:
    for form in _COUNT_FORMS:
        found = [match.groupdict() for match in re.finditer(form, text)]
        if found:
            told, last = _report_of_counts(found), _report_of_counts(found[-1:])
            ended_green = exit_ == 0 and last.ran and not last.failed_count
            return last if told.failed_count and ended_green else told
    return None


def _report_of_counts(runs: list[dict[str, str | None]]) -> TestReport:
    def total(key: str) -> int:
        return sum(int(run.get(key) or 0) for run in runs)

    failed, skipped = total("failed") + total("errors"), total("skipped")
    ran = total("all") - skipped if "all" in runs[0] else total("passed") + failed
    return TestReport(ran=ran, failed_count=failed, skipped_count=skipped, complete=False)

"""Read the tests from the output of a check: by the reader of its runner, or by the totals that a runner prints
last."""

import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from ...core.toolchains.toolchain import Toolchain, find_toolchains, get_built_in
from ...core.verdict.gate_run import FAILED, TestReport
from .report import FORMS, Collector, cut_lines, join_place, make_one_line, make_plain, merge_reports

# Forms that many runners print or write.
_COMMON = ("json_report", "junit", "tap")
_WHOLE_LINES = ("json_report", "junit")

# Where Gradle, Maven and most others write JUnit XML.
_OWN_FOLDERS = (
    "build/test-results", "target/surefire-reports", "target/failsafe-reports", "test-results",
    "test-reports", "reports", "junit",
)  # fmt: skip
# Seconds that a file system's clock may lag.
_CLOCK = 0.02


def list_readers() -> list[str]:
    """Return the reader modules of this package, each with `parse` and a form in `report`."""
    return sorted({*_COMMON, *(report["reader"] for report in _list_reports() if "reader" in report)})


# What runners of other languages load to report.
_INSIDE = f"{os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}/run/inside"


@cache
def _list_reports() -> list[dict[str, Any]]:
    return list(get_built_in().collect("report").values())


def list_reporting(runner: str, own: Mapping[str, Any]) -> list[Toolchain]:
    """Return the toolchains behind a check that can write a report."""
    return [toolchain for toolchain in find_toolchains(runner, own) if toolchain.report]


def make_report_environment(
    runner: str, report_dir: str, present: Mapping[str, str] | None = None, own: Mapping[str, Any] | None = None
) -> dict[str, str]:
    """Return variables to add to a check's environment so that it reports test names; `present` are those it has. They
    never change a result: other runners print names themselves."""
    known = os.environ if present is None else present
    added: dict[str, str] = {}
    for toolchain in list_reporting(runner, own or {}):
        for name, value in toolchain.report.environment.items() if toolchain.report else ():
            if value.startswith("-"):
                options = value.replace("{report}", shlex.quote(report_dir))
                added[name] = f"{known.get(name, '')} {options}".strip()
            else:
                made = value.replace("{report}", report_dir).replace("{inside}", _INSIDE)
                added[name] = made.replace("{present}", known.get(name, "")).rstrip(os.pathsep)
    return added


def make_telling_words(
    runner: str, argv: Sequence[str], report_dir: str = "", own: Mapping[str, Any] | None = None
) -> list[str]:
    """Return the words that make a command report the names of its tests, if it is the runner itself."""
    words = list(argv)
    for toolchain in list_reporting(runner, own or {}) if runner else ():
        if toolchain.report and toolchain.is_started_by(argv) and set(toolchain.report.unless).isdisjoint(argv):
            words += [word.replace("{report}", report_dir) for word in toolchain.report.arguments]
    return words


def has_refused_report(output: str, runner: str = "", own: Mapping[str, Any] | None = None) -> bool:
    """Return whether the project's runner cannot report this way: the check must run without `environment`."""
    text = make_plain(output)
    patterns = [toolchain.report.refused for toolchain in list_reporting(runner, own or {}) if toolchain.report]
    return any(re.search(pattern, text) for pattern in patterns if pattern)


def read_report(
    runner: str,
    output: str,
    report_dir: str | None = None,
    root: str = "",
    *,
    exit_: int | None = None,
    own: Mapping[str, Any] | None = None,
) -> TestReport | None:
    """
    Return the tests of one run, or None if it reports nothing about them. `root` is the folder the check ran in,
    without which the same test has two names in two copies. A suite that tests a test runner may print failures
    of inner runs: if its `exit_` and its own last words show success, they do not count.
    """
    whole = make_plain(output, root)
    text = cut_lines(whole)
    known = find_toolchains(runner, own or {})
    reports = _printed(runner, known, text, whole)
    written = _written(report_dir, root) if report_dir else None
    # A file without a test says less than what was printed: there, none ran.
    if written is not None and (written.outcomes or not reports):
        name = next((toolchain.report.reader for toolchain in known if toolchain.report), "junit")
        several = name in reports and len(FORMS[name].findall(text)) > 1
        reports[name] = _both(reports[name], written) if several else written
    if exit_ == 0:
        reports = {name: _without_inner(name, test_report, text) for name, test_report in reports.items()}
    if reports:
        return merge_reports(list(reports.values()))

    report = parse_counts(text, _list_counts(known), exit_=exit_)
    return _name_failures(report, text) if report is not None and report.failed_count else report


def _name_failures(report: TestReport, text: str) -> TestReport:
    """Add the names of failures, which runners print even if they only count passes."""
    collector = Collector()
    for form in (form for table in _list_reports() for form in table.get("failures", ())):
        for match in re.finditer(form, text):
            groups = {"place": "", "message": "", **match.groupdict()}
            message = make_one_line(groups["message"] or "")
            collector.add(groups["name"], FAILED, join_place(groups["place"] or "", message))
    return TestReport(
        outcomes=collector.outcomes,
        messages=collector.messages,
        ran=report.ran,
        failed_count=report.failed_count,
        skipped_count=report.skipped_count,
        complete=False,
    )


def _without_inner(reader: str, report: TestReport, text: str) -> TestReport:
    if not any(table.get("ends_once") for table in _list_reports() if table.get("reader") == reader):
        return report
    ends = [*FORMS[reader].finditer(text)]
    last = _module(reader).parse(text[ends[-1].start() :]) if len(ends) > 1 else None
    if last is None or last.failed_count or not last.ran:
        return report
    passed = {name: outcome for name, outcome in report.outcomes.items() if outcome != FAILED}
    return TestReport(outcomes=passed, ran=last.ran, failed_count=0, skipped_count=last.skipped_count)


def _written(folder: str, root: str) -> TestReport | None:
    """Return the report that runners wrote into our folder."""
    if not os.path.isdir(folder) or not os.listdir(folder):
        return None
    reports = [_module("junit").read_folder(folder, root), _module("json_report").read_documents(folder, root)]
    whole = [report for report in reports if report is not None]
    return merge_reports(whole) if whole else None


def read_own_files(root: str, since: float) -> TestReport | None:
    """Return the report that a check wrote by its own settings since `since`; older files are ignored."""
    folders = [place for own_folder in _OWN_FOLDERS if os.path.isdir(place := os.path.join(root, own_folder))]
    if not folders:
        return None
    report: TestReport | None = _module("junit").read_since(folders, root, since - _CLOCK)
    return report


def _module(name: str) -> Any:
    path = f"{__package__}.{name}"
    __import__(path)
    return sys.modules[path]


def _printed(runner: str, known: Sequence[Toolchain], text: str, whole: str) -> dict[str, TestReport]:
    named = [toolchain.report for toolchain in known if toolchain.report and runner]
    wanted = [name for report in named for name in (report.reader, *report.also)]
    return _readable(wanted, text, whole) or _readable(guess_readers(text), text, whole)


def _readable(readers: Iterable[str], text: str, whole: str) -> dict[str, TestReport]:
    """Parse with each reader. XML and JSON may be one long line; for everything else long lines are cut."""
    known = dict.fromkeys("json_report" if name == "json" else name for name in readers)
    reports = {
        name: _module(name).parse(whole if name in _WHOLE_LINES else text) for name in known if name in list_readers()
    }
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


def guess_readers(output: str) -> list[str]:
    """Return the readers whose form matches the output."""
    text = cut_lines(make_plain(output))
    readers = [name for name in list_readers() if FORMS[name].search(text)]
    hidden = {report.get("instead_of") for report in _list_reports() if report.get("reader") in readers}
    return [name for name in readers if name not in hidden]


# Totals that no toolchain file describes.
_ANY_COUNTS = (
    r"(?P<passed>\d+) passed,? *(?:[,;|] *)?(?P<failed>\d+) failed",
    r"(?P<failed>\d+) failed[,;|] *(?P<passed>\d+) passed",
    r"(?P<passed>\d+) (?:tests? )?passed",
)


def _list_counts(known: Sequence[Toolchain]) -> Iterator[str]:
    """Yield the totals of these runners, then of all; the longest say most, so they are tried first."""
    yield from (form for toolchain in known if toolchain.report for form in toolchain.report.counts)
    yield from sorted((form for report in _list_reports() for form in report.get("counts", ())), key=len, reverse=True)
    yield from _ANY_COUNTS


def parse_counts(text: str, forms: Iterable[str], *, exit_: int | None = None) -> TestReport | None:
    for form in forms:
        counts = [match.groupdict() for match in re.finditer(form, text)]
        if counts:
            test_report, last = _report_of_counts(counts), _report_of_counts(counts[-1:])
            ended_green = exit_ == 0 and last.ran and not last.failed_count
            return last if test_report.failed_count and ended_green else test_report
    return None


def _report_of_counts(runs: list[dict[str, str | None]]) -> TestReport:
    def total(key: str) -> int:
        return sum(int(run.get(key) or 0) for run in runs)

    failed, skipped = total("failed") + total("errors"), total("skipped")
    if "ran" in runs[0]:
        failed = total("ran") - total("passed")
    ran = total("all") - skipped if "all" in runs[0] else total("passed") + failed
    return TestReport(ran=ran, failed_count=failed, skipped_count=skipped, complete=False)

"""The same test in two spellings: as its source defines it, and as its runner names it."""

import re
from collections.abc import Sequence

from .gate_run import FAILED, PASSED, SKIPPED, TestReport
from .old_tests import GONE

_JOINTS = ("::", " > ", ".", " ", "/")
# Letters at the end of a name that distinguish it from most others: a file may hold thousands of tests.
_ENDING = 4


def strip_parameters(name: str) -> str:
    """Return the name without parameters and ordinals, which change with a test's data."""
    return re.sub(r" #\d+$", "", name.partition("[")[0])


def is_same(full_name: str, path: str, parts: Sequence[str]) -> bool:
    """Return whether a runner's name means the test `parts` (suites first) of the file `path`."""
    name = strip_parameters(full_name)
    for joint in _JOINTS:
        own = joint.join(parts)
        if name == own:
            return True
        if name.endswith(own) and name[: -len(own)].endswith(_JOINTS):
            return _fits(name[: -len(own)], path)
    return False


def list_names_of(report: TestReport, path: str, parts: Sequence[str]) -> list[str]:
    """Return the names under which a run reports one test of the source: one per parameter set."""
    if not report.by_ending:
        for name in report.outcomes:
            report.by_ending.setdefault(strip_parameters(name)[-_ENDING:], []).append(name)
    ending = parts[-1][-_ENDING:]
    near = report.by_ending.get(ending, []) if len(ending) == _ENDING else report.outcomes
    return [name for name in near if is_same(name, path, parts)]


def read_outcome(report: TestReport | None, path: str, parts: Sequence[str]) -> str | None:
    """Return passed, failed, skipped or gone for one test of the source; None if the run does not report it."""
    if report is None:
        return None
    outcomes = {report.outcomes[name] for name in list_names_of(report, path, parts)}
    for value in (FAILED, PASSED, SKIPPED):
        if value in outcomes:
            return value
    if is_unloaded(report, path):
        return None
    if report.complete:
        return GONE
    named = len(report.failed) == report.failed_count
    return PASSED if named and report.ran and report.skipped_count == 0 else None


def is_unloaded(report: TestReport, path: str) -> bool:
    """Return whether a whole test file failed to load, as runners report it: by path, as a module, or by bare name in
    its own folder."""
    stem = name_module(path).rpartition(".")[2]
    return any(name in (path, name_module(path)) or (name == stem and name in report.errored) for name in report.failed)


def name_module(path: str) -> str:
    """`tests.test_x` for `tests/test_x.py`, as runners name a file that they cannot load."""
    return path.rpartition(".")[0].replace("/", ".")


def _fits(prefix: str, path: str) -> bool:
    """Return whether the text before a test's own name can be its file."""
    place = prefix.rstrip(":> ./")
    dotted = name_module(path)
    if "/" in place or place.endswith(path.rpartition(".")[2]):
        file = place.replace(" > ", "::").partition("::")[0]
        return "." not in file.rpartition("/")[2] or ("/" + path).endswith("/" + file)
    return "." not in place or dotted.endswith(place) or place.endswith(dotted)

"""Read what became of a baseline test that a change touched, from three runs of it, under the name in its source or
that of its runner. `rules.py` has the readings."""

import re
from collections.abc import Sequence

from ..value import Value
from ..wording import cut
from .gate_run import FAILED, PASSED, SKIPPED, TestReport, quote_name

_LINE = 60
_CLOSING = "):;,{ "
COULD_NOT_RUN = "could not run"
GONE = "gone"
ADDED = "added"
REMOVED = "removed"
CHANGED = "changed"
SKIP = "skipped"
UNSKIPPED = "unskipped"


class OldTest(Value):
    """One baseline test and its outcomes: passed, failed, skipped, gone (the run has no such test), or could not run.
    `missing` is the name that the old test could not find. `same_assertion`: the failing assertion, its case and its
    constants are unchanged. `moved_case`: the constants that left it are in a new test that fails without this change.
    `replaced`: at least as many new or changed tests fail without this change. `kept_elsewhere`: a test of the same
    name or body exists. `check` is the command of a check that counts as one test."""

    name: str
    gate: str = ""
    baseline: str = PASSED
    old_on_new: str = PASSED
    new_on_old: str = COULD_NOT_RUN
    now: str = PASSED
    missing: str = ""
    detail: str = ""
    same_assertion: bool = False
    moved_case: bool = False
    replaced: bool = False
    kept_elsewhere: bool = False
    covered: bool = False
    conditional: bool = False
    where: str = ""
    before: str = ""
    after: str = ""
    receipt: int | None = None
    check: str = ""

    @property
    def is_absent(self) -> bool:
        return self.now in (GONE, SKIPPED)

    @property
    def is_removed_with_code(self) -> bool:
        """Return whether it went together with a name that it used: nothing of what stays has a new expectation."""
        adapted = self.baseline == PASSED and self.old_on_new == COULD_NOT_RUN and bool(self.missing)
        return self.now == GONE and adapted

    @property
    def words(self) -> dict[str, str]:
        return {
            "test": f"`{self.check}`" if self.check else quote_name(self.name),
            "name": quote_name(self.name),
            "verb": {SKIPPED: "skipped", GONE: "removed"}.get(self.now, "changed"),
            "lines": _show_lines(self),
            "missing": self.missing or "a name it uses",
            "detail": f" ({self.detail})" if self.detail else "",
        }


def _show_lines(test: OldTest) -> str:
    if not test.before and not test.after:
        return ""
    if test.before and test.after:
        return f": {' → '.join(find_difference(test.before, test.after))}"
    return f": {cut(test.before or test.after, _LINE)}"


def _find_open_list(text: str) -> int:
    """Return where a list or mapping begins that is open at the end of a text; 0 if there is none."""
    open_places: list[int] = []
    for place, sign in enumerate(text):
        if sign in "[{(":
            open_places.append(place)
        elif sign in "]})" and open_places:
            open_places.pop()
    return next((place for place in open_places if text[place] in "[{"), 0)


def find_difference(before: str, after: str) -> tuple[str, str]:
    """Return what differs in two lines, from the start of a word or an argument on: `5` and `6` of `assert a == 5`."""
    same = next(
        (place for place, pair in enumerate(zip(before, after, strict=False)) if len(set(pair)) > 1),
        min(len(before), len(after)),
    )
    start = max(before.rfind(opening, 0, same) for opening in " (") + 1
    start = _find_open_list(before[:start]) or start
    was, now = before[start:], after[start:]
    while was[-1:] and was[-1:] == now[-1:] and was[-1] in _CLOSING:
        was, now = was[:-1], now[:-1]
    return (cut(was, _LINE), cut(now, _LINE)) if was and now else (cut(before, _LINE), cut(after, _LINE))


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

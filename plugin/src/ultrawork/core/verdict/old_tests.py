"""Read what became of a baseline test that a change touched, from three runs of it. `rules.py` has the readings."""

from ..value import Value
from ..wording import cut
from .gate_run import PASSED, SKIPPED, quote_name

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

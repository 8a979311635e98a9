"""Read a check that fails now: a failure, a fix that is not shown, or failing before and still.

A test that passed on the baseline, or was not there, fails because of this change. One that failed there too costs
nothing, unless the goal wants it to pass, or the goal is a fix, nothing is proved and the test runs the changed code.
"""

from collections.abc import Sequence

from ..value import Value, fresh
from .finding import render_names
from .gate_run import shorten_name


class FailingTests(Value):
    """Tests of one check that fail now for the same reason; no `names` if the check names none. `wanted`: the goal
    wants them to pass. `reaches`: whether they run the changed code; None if unknown."""

    gate: str
    names: Sequence[str] = fresh(list)
    failed_on_baseline: bool = False
    wanted: bool = False
    is_fix: bool = False
    proved: bool = False
    reaches: bool | None = False
    reason: str = ""
    where: str = ""
    receipt: int | None = None
    label: str = ""

    @property
    def counts_against(self) -> bool:
        """Whether the change broke them, or should have fixed them."""
        return not self.failed_on_baseline or self.wanted

    @property
    def is_unproved_fix(self) -> bool:
        return self.is_fix and not self.proved

    @property
    def words(self) -> dict[str, str]:
        check = self.label or self.gate
        own = shorten_name(self.names[0]) if self.names else ""
        description = render_names(self.names) or (f": {self.reason}" if self.reason else "")
        return {
            "check": check,
            "names": description,
            "failing": description or f": {check}",
            "fix": f"get `{own if len(self.names) == 1 else check}` to pass",
            "before": ", as it did before" if self.failed_on_baseline else "",
        }

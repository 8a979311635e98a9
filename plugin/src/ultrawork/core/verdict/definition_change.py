"""
Read a check whose command, target, script or settings changed: it runs as it is, and as it was.

The result under the old definition is the result. Where that passes, the change of the definition hides nothing.
"""

from ..value import Value
from .finding import render_names
from .gate_run import BROKEN, FLAKY, GREEN, RED, GateResult, TestReport

_LINE, _COMMA = "\n", ", "


class DefinitionChange(Value):
    """A changed definition. `before` and `after` are the two definitions, `as_it_was` the result of the old one on the
    new code. `failed_alike`: it fails there only as it failed on the baseline. `program_left`: its program left the
    manifest, so it can no longer run."""

    gate: str
    before: str
    after: str
    now: GateResult
    as_it_was: GateResult | None
    failed_alike: bool = False
    program_left: bool = False
    baseline: TestReport | None = None
    where: str = ""

    @property
    def receipt(self) -> int | None:
        return self.as_it_was.receipt if self.as_it_was else None

    @property
    def words(self) -> dict[str, str]:
        run = self.as_it_was
        failed = run.report.failed if run and run.report else []
        return {
            "gate": self.gate,
            "became": describe_difference(self.before, self.after),
            "names": render_names(failed),
            "command": self.before.partition(_LINE)[0],
            "why": run.reason or "it could not run as it was"
            if run
            else "it could not run as it was",
        }


def is_passing_both_ways(change: DefinitionChange) -> bool:
    return _colour(change) in (GREEN, FLAKY)


def is_failing_as_before(change: DefinitionChange) -> bool:
    """A new definition that passes where the old one fails hides that failure, also an old one."""
    return (
        _colour(change) == RED and change.failed_alike and change.now.colour not in (GREEN, FLAKY)
    )


def is_failing_as_it_was(change: DefinitionChange) -> bool:
    return _colour(change) == RED


def is_exchanged(change: DefinitionChange) -> bool:
    return change.program_left and _runs_as_many(change)


def _colour(change: DefinitionChange) -> str:
    return change.as_it_was.colour if change.as_it_was else BROKEN


def _runs_as_many(change: DefinitionChange) -> bool:
    now, baseline = change.now, change.baseline
    if now.colour != GREEN or now.report is None or baseline is None:
        return False
    ran, before = now.report.ran, baseline.ran
    return ran is not None and before is not None and ran >= before > 0


def describe_difference(before: str, after: str) -> str:
    """Name only what differs: a definition may be long, with a script or a table of options."""
    if not after:
        return f"`{before.partition(_LINE)[0]}` was removed"
    if _LINE not in before + after:
        return f"`{before}` became `{after}`"
    olds, news = (text.replace(_LINE, _COMMA).split(_COMMA) for text in (before, after))
    gone = _COMMA.join(one for one in olds if one not in news)
    came = _COMMA.join(one for one in news if one not in olds)
    if gone and came:
        return f"`{gone}` became `{came}`"
    return f"`{gone or came}` was {'removed' if gone else 'added'}"

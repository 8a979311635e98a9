"""Read a check whose command, target, script or settings changed: it runs as it is, and as it was.

The result under the old definition is the result. Where that passes, the change of the definition hides nothing."""

from ..value import Value
from .finding import render_names
from .gate_run import GREEN, GateResult, TestReport

_LINE, _COMMA = "\n", ", "


class DefinitionChange(Value):
    """A changed definition. `before` and `after` are the two definitions, `as_it_was` the result of the old one on the
    new code. `failed_alike`: it fails there only as it failed on the baseline. `program_left`: its program left the
    manifest, so it can no longer run. `never_ran`: it is not a test check, and its old form ran neither at the start
    nor now. `guessed`: no script or target contains its old command."""

    gate: str
    before: str
    after: str
    now: GateResult
    as_it_was: GateResult
    failed_alike: bool = False
    program_left: bool = False
    never_ran: bool = False
    guessed: bool = False
    baseline: TestReport | None = None
    where: str = ""
    label: str = ""

    @property
    def runs_as_many(self) -> bool:
        now, before = self.now, self.baseline.ran if self.baseline else None
        ran = now.report.ran if now.colour == GREEN and now.report else None
        return ran is not None and before is not None and ran >= before > 0

    @property
    def receipt(self) -> int | None:
        return self.as_it_was.receipt

    @property
    def words(self) -> dict[str, str]:
        run = self.as_it_was
        return {
            "gate": self.gate,
            "check": self.label or self.gate,
            "became": describe_difference(self.before, self.after),
            "names": render_names(run.failed),
            "why": run.reason or "it could not run as it was",
        }


def describe_difference(before: str, after: str) -> str:
    """Name only what differs: a definition may be long, with a script or a table of options."""
    if not after:
        return f"`{before.partition(_LINE)[0]}` was removed"
    if _LINE not in before + after:
        return _describe_line(before, after)
    old_words, new_words = (text.replace(_LINE, _COMMA).split(_COMMA) for text in (before, after))
    gone = _COMMA.join(word for word in old_words if word not in new_words)
    came = _COMMA.join(word for word in new_words if word not in old_words)
    if gone and came:
        return _describe_line(gone.strip(), came.strip())
    return f"`{(gone or came).strip()}` was {'removed' if gone else 'added'}"


def _describe_line(before: str, after: str) -> str:
    """Name what differs in one line: only the words that were added or removed, if all others stayed."""
    for find_words in (str.split, _find_unquoted):
        old_words, new_words = find_words(before), find_words(after)
        if added := _find_inserted(old_words, new_words):
            return f"`{added}` was added to `{before}`"
        if removed := _find_inserted(new_words, old_words):
            return f"`{removed}` was removed from `{before}`"
    return f"`{before}` became `{after}`"


def _find_unquoted(text: str) -> list[str]:
    """Return the words of a setting (`"addopts": "-ra -q"`), without the quotes at the ends of its value."""
    return text.replace('"', " ").split()


def _find_inserted(short: list[str], long: list[str]) -> str:
    """Return the words in one place that `long` has more than `short`; empty if that is not the whole difference."""
    more = len(long) - len(short)
    for at in range(len(short) + 1) if more > 0 and len(short) > 1 else ():
        if long[:at] + long[at + more :] == short:
            return " ".join(long[at : at + more])
    return ""

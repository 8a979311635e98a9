"""How the files stand at a stop: the verdict of the gates, just made or stored, in the words that tell it."""

from ...core.verdict import verdict as verdicts
from ...core.verdict.finding import STRONG, WEAK
from ...core.verdict.gate_run import GREEN, RED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ...gates.judge.outcome import VerifyOutcome

NOT_RUN = "not-run"
OPEN_ITEMS = "open-items"
_LEVELS = (STRONG, WEAK)


class StopVerdict:
    """
    `slow` are gates that this stop could not wait for, `items` what is open in the agent's own list;
    `details` is empty where nothing was run.
    """

    __slots__ = ("details", "document", "items", "line", "reasons", "slow")

    def __init__(
        self,
        document: "dict[str, Any]",
        *,
        line: str = "",
        details: "list[str] | None" = None,
        slow: "dict[str, str] | None" = None,
        items: "list[str] | None" = None,
        reasons: "Sequence[str]" = (),
    ) -> None:
        self.document = document
        self.line = line
        self.details = details or []
        self.slow = slow or {}
        self.items = items or []
        self.reasons = reasons

    @property
    def verdict(self) -> str:
        return verdicts.read_value(self.document)

    @property
    def tree(self) -> str:
        return str(self.document["tree"])

    @property
    def ran(self) -> bool:
        """Whether a check has run on these files."""
        return any(gate.get("receipt") for gate in self.document["gates"].values())

    @property
    def findings(self) -> "list[dict[str, Any]]":
        """What stands open, the strong ones first."""
        found = self.document["findings"]
        return [one for level in _LEVELS for one in found if one["level"] == level]

    @property
    def weak(self) -> list[str]:
        """The names of what is held against it once each."""
        found = [one for one in self.findings if one["level"] == WEAK]
        names = [f"{one['rule']}:{one.get('gate') or one.get('where')}" for one in found]
        names += [f"{NOT_RUN}:{name}" for name in self.slow if f"{NOT_RUN}:{name}" not in names]
        return names + ([OPEN_ITEMS] if self.items else [])

    @property
    def not_run(self) -> list[str]:
        """Gates that only the agent may start."""
        return [one["gate"] for one in self.findings if one["rule"] == NOT_RUN]

    @property
    def fact(self) -> str:
        """What is held against it, as short as it can be said."""
        red = [f"{name} is red" for name, one in self._gates() if one["result"] == RED]
        return red[0] if red and self.verdict == verdicts.FAIL else self.because

    @property
    def because(self) -> str:
        """What matters most, in one sentence."""
        reasons = [
            *(one["what"] for one in self.findings if one["level"] == STRONG),
            *(f"{name} {why}" for name, why in self.slow.items()),
            *(one["what"] for one in self.findings if one["gate"] not in self.slow),
            *(f"{len(self.items)} of your own items are open: {one}" for one in self.items[:1]),
            *self.document["not_checked"],
            *self.reasons,
        ]
        if reasons:
            return str(reasons[0])
        if self.verdict == verdicts.PASS:
            return "all checks are green"
        return "files change while I check" if self.document["gates"] else "no check here"

    @property
    def step(self) -> str:
        """The next step, as something to do."""
        strong = [one["clears"] for one in self.findings if one["level"] == STRONG]
        if not strong and self.slow:
            return "run `ultrawork verify`"
        clears = [one["clears"] for one in self.findings]
        if clears:
            return str(clears[0]).partition(", or end with")[0]
        return "finish those items or take them off the list" if self.items else "add a check"

    @property
    def green(self) -> list[str]:
        return [name for name, one in self._gates() if one["result"] == GREEN]

    def _gates(self) -> "list[tuple[str, dict[str, Any]]]":
        return list(self.document["gates"].items())


def make_verdict(outcome: "VerifyOutcome", **known: "Any") -> StopVerdict:
    return StopVerdict(
        outcome.document,
        line=outcome.line,
        details=outcome.details(),
        reasons=outcome.verdict.because,
        **known,
    )

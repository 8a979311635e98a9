"""
Where we differ from the earlier program, and why: `differences.toml`.

`[cases]` gives the reason of one case. A `[[rules]]` entry gives it for every case of an area, and of a
function where `fn` names one, whose input and expected result hold what `input` and `expect` look for;
with `absent = true` the function is one that we have not: what stands in its place (`instead`) answers.
"""

import json
import re
import tomllib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .cases import Case

REASON = re.compile(r"(law [1-8]|document (00\d|on \w+)|design|defect): .{20,}")


class Rule:
    __slots__ = ("absent", "area", "expect", "fn", "input", "reason")

    def __init__(self, raw: "dict[str, object]") -> None:
        self.area = str(raw["area"])
        self.fn = str(raw.get("fn", ""))
        self.input = re.compile(str(raw.get("input", "")), re.DOTALL)
        self.expect = re.compile(str(raw.get("expect", "")), re.DOTALL)
        self.reason = str(raw["reason"])
        self.absent = raw.get("absent") is True

    def covers(self, case: "Case") -> bool:
        return (
            case.area == self.area
            and (not self.fn or re.fullmatch(self.fn, case.fn) is not None)
            and self.input.search(_plain(case.input)) is not None
            and self.expect.search(_plain(case.expect)) is not None
        )

    @property
    def name(self) -> str:
        return f"{self.area} {self.fn} {self.input.pattern} {self.expect.pattern}".strip()


class Table:
    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            raw = tomllib.load(file)
        self.cases: dict[str, str] = raw.get("cases", {})
        self.rules = [Rule(one) for one in raw.get("rules", [])]

    def absent(self, case: "Case") -> "Rule | None":
        return next((one for one in self.rules if one.absent and one.covers(case)), None)

    def reason(self, case: "Case") -> str:
        """Why we differ in this case; empty if nothing says so."""
        if case.id in self.cases:
            return self.cases[case.id]
        rule = self.rule(case)
        if rule is not None:
            return rule.reason
        return f"doubtful in the data: {case.note or 'no note'}" if case.doubtful else ""

    def rule(self, case: "Case") -> "Rule | None":
        return next((one for one in self.rules if one.covers(case)), None)

    def without_reason(self) -> list[str]:
        """Entries whose reason does not name the law, the document or the defect behind it."""
        bad = [name for name, why in self.cases.items() if not REASON.fullmatch(why)]
        return [*bad, *(one.name for one in self.rules if not REASON.fullmatch(one.reason))]


def _plain(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)

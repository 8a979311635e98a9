"""
Compose skills in layers: one execution, any number of enhancements, at most one guarantee.

A request that names several gets one answer: what runs, what is added, what keeps it running until it is proved, and
what was dropped, with the reason.
"""

from ..modes import modes
from ..value import Value, fresh
from ..verdict_values import PASS
from ..wording import count_things

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

EXECUTION, ENHANCEMENT, GUARANTEE = "execution", "enhancement", "guarantee"
DEFAULT = "default"
ROOM = 600
# Each part: its layer, and its text for the model.
PARTS = {
    DEFAULT: (EXECUTION, "do the work yourself"),
    "planner": (EXECUTION, "plan only: change nothing"),
    "orchestrate": (EXECUTION, "delegate the work to agents and relay between them"),
    modes.TEAM: (EXECUTION, "stages with agents: plan, prd, exec, verify, fix"),
    modes.AUTOPILOT: (EXECUTION, "from the idea to checked code, stage by stage"),
    modes.ULTRAPILOT: (EXECUTION, "parallel workers, each with files of its own"),
    modes.PIPELINE: (EXECUTION, "agents in a row, each with the report of the one before"),
    modes.SWARM: (EXECUTION, "workers that claim from one list"),
    modes.ULTRAWORK: (ENHANCEMENT, "run in parallel whatever can"),
    "tdd": (ENHANCEMENT, "first a test that fails, then the code that makes it pass"),
    "git-master": (ENHANCEMENT, "small commits, each with one purpose and passing checks"),
    "frontend-ui-ux": (ENHANCEMENT, "look at what a person sees, in every state and width"),
    "security-review": (ENHANCEMENT, "read each change for what an attacker could do with it"),
    modes.RALPH: (GUARANTEE, "do not stop before the checks pass on the final files"),
    modes.ULTRAQA: (GUARANTEE, "check and fix in rounds, at most five"),
}
ALIASES = {
    "ulw": modes.ULTRAWORK, "build": DEFAULT, "plan": "planner", "planning": "planner",
    "test-first": "tdd", "git": "git-master", "frontend": "frontend-ui-ux", "security": "security-review",
}  # fmt: skip
# Which one stays if only one can: the first of these that is named.
ORDER = (
    modes.RALPH, modes.AUTOPILOT, modes.ULTRAPILOT, modes.TEAM, modes.ULTRAWORK, modes.SWARM, modes.PIPELINE,
    modes.ULTRAQA,
)  # fmt: skip
# Executions that already include such a part.
HOLDS = {modes.AUTOPILOT: (modes.ULTRAQA,), modes.TEAM: (modes.ULTRAQA,)}


class Composition(Value):
    """`left_out` are pairs of a name and the reason why it gave way."""

    execution: str = DEFAULT
    enhancements: list[str] = fresh(list)
    guarantee: str = ""
    left_out: list[tuple[str, str]] = fresh(list)

    @property
    def parts(self) -> list[str]:
        return [self.execution, *self.enhancements, *filter(None, [self.guarantee])]

    @property
    def modes(self) -> tuple[str, ...]:
        """Return the parts that are modes, in order."""
        return tuple(mode for mode in ORDER if mode in self.parts)

    def document(self) -> "dict[str, object]":
        return {
            "execution": self.execution,
            "enhancements": self.enhancements,
            "guarantee": self.guarantee or None,
            "modes": list(self.modes),
            "left_out": [{"name": name, "why": why} for name, why in self.left_out],
        }


def compose(names: "Iterable[str]") -> Composition:
    """Compose names in any order; refuse unknown ones by name."""
    known = dict.fromkeys(_require_known(name) for name in names)
    made = Composition()
    _execute(made, _of(known, EXECUTION))
    made.enhancements = _of(known, ENHANCEMENT)
    _guarantee(made, _of(known, GUARANTEE))
    return made


def is_known(name: str) -> bool:
    return _plain(name) in PARTS


def _plain(name: str) -> str:
    plain = name.strip().lower().lstrip("/").removeprefix("ultrawork:")
    return ALIASES.get(plain, plain)


def _require_known(name: str) -> str:
    from .. import check
    from ..errors import UsageError

    part = _plain(name)
    if part not in PARTS:
        close = check.find_nearest(part, [*PARTS, *ALIASES])
        meant = f"did you mean {close}?" if close else f"known: {', '.join(PARTS)}"
        raise UsageError(f"no mode or skill is called {check.quote(name)}; {meant}")
    return part


def _of(known: "Iterable[str]", layer: str) -> list[str]:
    """Return the parts of one layer: modes by rank, then the rest in table order."""
    ranks = [*ORDER, *(name for name in PARTS if name not in ORDER)]
    return sorted((name for name in known if PARTS[name][0] == layer), key=ranks.index)


def _execute(made: Composition, wanted: list[str]) -> None:
    chosen = [name for name in wanted if name != DEFAULT]
    over = next((name for name in chosen if modes.OVER.get(name) in chosen), "")
    made.execution = over or (chosen[0] if chosen else DEFAULT)
    for name in chosen:
        if name != made.execution:
            made.left_out.append((name, _gave_way(made.execution, name)))


def _gave_way(stays: str, goes: str) -> str:
    if modes.OVER.get(stays) == goes:
        return f"{stays} replaces {goes}"
    if stays in modes.EXCLUSIVE and goes in modes.EXCLUSIVE:
        return f"{stays} and {goes} both need the whole worktree"
    return f"{stays} already runs the work"


def _guarantee(made: Composition, wanted: list[str]) -> None:
    for name in wanted:
        if name in HOLDS.get(made.execution, ()):
            made.left_out.append((name, f"{made.execution} has it as a stage of its own"))
        elif made.guarantee:
            made.left_out.append((name, f"{made.guarantee} and {name} drive a session in different ways"))
        else:
            made.guarantee = name


def render_block(made: Composition) -> str:
    """Return one short text for the model, whatever was named."""
    lines = [f"Composed of {' + '.join(made.parts)}:"]
    lines += [f"- {name}: {PARTS[name][1]}." for name in made.parts]
    left = ", ".join(name for name, _ in made.left_out)
    lines += [f"Left out: {left}."] if left else []
    while len("\n".join(lines).encode()) > ROOM:
        lines.pop(-2 if left else -1)
    return "\n".join(lines)


KEPT, BROKEN, UNCHECKED = "kept", "not kept", "not checked"


def judge_parts(
    composed: "Mapping[str, Any]", verdict: "Mapping[str, Any]", rounds: "Mapping[str, int]"
) -> "list[dict[str, str]]":
    """
    Return each part with its layer and outcome, by what the verdict shows and not by claims. `rounds` are those
    of modes that count any.
    """
    names = [str(composed.get("execution") or DEFAULT), *(composed.get("enhancements") or ())]
    names += filter(None, [composed.get("guarantee")])
    return [_judge_part(name, verdict, rounds.get(name, 0)) for name in names if name in PARTS]


def _judge_part(name: str, verdict: "Mapping[str, Any]", rounds: int) -> "dict[str, str]":
    layer = PARTS[name][0]
    judge = _judge_guarantee if layer == GUARANTEE else _JUDGES.get(name)
    if judge is None:
        return {"layer": layer, "name": name, "state": UNCHECKED, "what": PARTS[name][1]}
    kept, detail = judge(verdict, rounds)
    return {"layer": layer, "name": name, "state": KEPT if kept else BROKEN, "what": detail}


def _judge_guarantee(verdict: "Mapping[str, Any]", rounds: int) -> tuple[bool, str]:
    counted = f", {count_things(rounds, 'round')}" if rounds else ""
    if verdict.get("verdict") == PASS:
        return True, f"the checks pass on the final files{counted}"
    return (False, f"it ended {verdict.get('ending') or verdict.get('verdict') or 'unproved'}{counted}")


def _judge_tdd(verdict: "Mapping[str, Any]", _rounds: int) -> tuple[bool, str]:
    from ..verdict.summary import PROVED, describe_strength

    detail = describe_strength(verdict) or "no test is known to fail without the change"
    return verdict.get("strength") == PROVED, detail


def _judge_commits(verdict: "Mapping[str, Any]", _rounds: int) -> tuple[bool, str]:
    commit = str(verdict.get("commit") or "")
    return bool(commit), f"committed as {commit[:7]}" if commit else "the files are not committed"


_JUDGES: "dict[str, Callable[[Mapping[str, Any], int], tuple[bool, str]]]" = {
    "tdd": _judge_tdd,
    "git-master": _judge_commits,
}

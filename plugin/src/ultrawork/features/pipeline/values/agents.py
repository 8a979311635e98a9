"""The agents that a stage can name: 004's names mapped to existing agents, and the project's own."""

from collections.abc import Mapping
from typing import NoReturn

from ....core.check import find_nearest, quote
from ....core.course import roles
from ....core.course.roles import SUFFIXES, strip_prefix
from ....core.errors import UsageError
from ....core.value import Value

MODELS = ("haiku", "sonnet", "opus", "inherit")
REVIEWER = roles.REVIEWER
LOW, MEDIUM, HIGH = "low", "medium", "high"
# Agents that only read: explorers, planners, judges. All others are workers.
_READ = {
    roles.EXPLORER: (
        "explore", "explorer", "analyst", "architect", "document-specialist", "researcher", "scientist",
        "dependency-expert", "ux-researcher", "information-architect", "product-analyst",
        "product-manager", "quality-strategist", "vision", "api-designer", "axiom-requirement-analyst",
        "axiom-product-designer", "axiom-review-aggregator", "axiom-system-architect",
        "axiom-context-manager",
    ),
    roles.PLANNER: ("planner",),
    roles.VERIFIER: ("verifier",),
    REVIEWER: (
        "reviewer", "critic", "code-reviewer", "style-reviewer", "quality-reviewer", "api-reviewer",
        "security-reviewer", "performance-reviewer", "accessibility-auditor", "axiom-ux-director",
        "axiom-product-director", "axiom-domain-expert", "axiom-tech-lead", "axiom-critic",
    ),
}  # fmt: skip
_WRITE = (
    "worker", "executor", "deep-executor", "debugger", "build-fixer", "designer", "qa-tester",
    "test-engineer", "tdd-guide", "writer", "git-master", "database-expert", "devops-engineer",
    "i18n-specialist", "axiom-evolution-engine", "axiom-prd-crafter", "axiom-sub-prd-writer",
    "axiom-worker",
)  # fmt: skip
TABLE = {**{name: agent for agent, names in _READ.items() for name in names}, **dict.fromkeys(_WRITE, roles.WORKER)}
_LINES = {
    "explore": "Find what the task touches: files, functions, tests and checks, each with path and line.",
    "analyst": "State what the task asks for, what it leaves open, and how to see that it is done.",
    "architect": "State what should change where and what must stay; choose the smallest sound change.",
    "planner": "Turn the task into a short ordered list of steps, with the files of each. No JSON.",
    "critic": "Find what is wrong or missing in the proposals of earlier stages; say what must change.",
    "security-reviewer": "Find vulnerabilities: input, secrets, permissions, paths, injection; say how to exploit each.",
    "code-reviewer": "Find defects in the code that the task concerns; worst first.",
    "executor": "Make the change that the task and earlier stages call for, with its test.",
    "build-fixer": "Make the build and the checks pass with the smallest change; do not redesign.",
    "debugger": "Find the cause of the failure and fix it there, not where the symptom appears.",
    "tdd-guide": "Write the tests: what the task asks for is covered by a test that fails without it.",
    "test-engineer": "Write the tests: what the task asks for is covered by a test that fails without it.",
    "qa-tester": "Use the result as a user would, run the checks, and fix what fails.",
    "document-specialist": "Read the documentation of the project and its dependencies, and report what bears on the task.",
    "writer": "Write the text that the task asks for, from the findings of earlier stages.",
    "verifier": "Judge whether the task is done by what you read, not by what earlier stages claim.",
}


class StageAgent(Value):
    """An agent of a stage. `kind` is the client's type; `tier` is empty if the agent defines its own model; `page` is
    its file."""

    name: str
    kind: str
    reads: bool
    tier: str = ""
    line: str = ""
    page: str = ""


def resolve(name: str, own: Mapping[str, StageAgent], tiers: Mapping[str, str] | None = None) -> StageAgent:
    """Return an agent by name; a project's own takes precedence. An error names the nearest."""
    if name in own:
        return own[name]
    plain, tier = _parted(strip_prefix(name))
    kind = TABLE.get(plain)
    if kind is None:
        _refuse(name, own)
    chosen_tier = tier or (tiers or {}).get(plain) or MEDIUM
    line = _LINES.get(plain, f"You are the {plain.replace('-', ' ')} of this pipeline.")
    return StageAgent(plain, kind, reads=kind != roles.WORKER, tier=chosen_tier, line=line)


def _parted(name: str) -> tuple[str, str]:
    """`executor-low` is executor on the low tier."""
    for suffix, tier in SUFFIXES.items():
        if name.endswith(suffix) and name[: -len(suffix)] in TABLE:
            return name[: -len(suffix)], tier
    return name, ""


def _refuse(name: str, own: Mapping[str, StageAgent]) -> NoReturn:
    known = [*own, *TABLE]
    agent, _, model = name.rpartition(":")
    if agent in known and model in MODELS:
        raise UsageError(f"{agent} has two models. Write {name}, or another single model")
    if agent in known:
        close = find_nearest(model, MODELS)
        hint = f"did you mean {close}?" if close else f"known: {', '.join(MODELS)}"
        raise UsageError(f"{agent} has no model {quote(model)}; {hint}")
    close = find_nearest(name, known)
    hint = f"did you mean {close}?" if close else "docs/how-to/pipelines.md lists them"
    raise UsageError(f"no agent {quote(name)} here; {hint}")

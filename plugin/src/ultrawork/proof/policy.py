"""What a project requires of a proof, and whether a proof meets it. All of it comes from the baseline branch: what a
branch says about its own keys and checks does not count before it is merged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..core import settings
from ..core.errors import UsageError
from ..core.verdict.gate_run import FLAKY, GREEN, RED
from ..core.verdict.summary import PROVED
from ..core.verdict.verdict import FAIL, NOT_NEEDED, PASS, QUICK
from ..store.settings import read_project_table
from .statement import Document


@dataclass(frozen=True, slots=True)
class ProofPolicy:
    """`signers` is the file of allowed keys, `who` the names in it that may sign (all if empty)."""

    require: str
    signers: str
    who: tuple[str, ...] = ()
    cover: tuple[str, ...] = ()
    gates: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""

    def may_sign(self, name: str) -> bool:
        return not self.who or name in self.who


def read_policy(files: Mapping[str, bytes | None]) -> ProofPolicy:
    """Read the policy from the settings files in a tree. The environment has no influence."""

    def read(name: str) -> str | None:
        data = files.get(name)
        return None if data is None else data.decode("utf-8", "replace")

    source, table = read_project_table(read)
    known = {key: value for key, value in table.items() if key not in settings.OWN_SECTIONS}
    options = settings.resolve([(source, settings.flatten(known, source))])
    gates = table.get(settings.GATES, {})
    if not isinstance(gates, dict):
        raise UsageError(f"{source}: gates is not a section; write [gates] and name = command")
    return ProofPolicy(
        require=options["proof.require"].value,
        signers=options["proof.signers"].value,
        who=tuple(options["proof.who"].value),
        cover=tuple(options["proof.cover"].value),
        gates=gates,
        source=source,
    )


@dataclass(frozen=True, slots=True)
class Definition:
    """A check as a tree defines it: what pinning compares, as a digest."""

    name: str
    command: str
    digest: str
    required: bool
    conditional: bool


def list_doubts(predicate: Document, policy: ProofPolicy, definitions: Mapping[str, Definition]) -> list[str]:
    """Return why a genuine PASS does not meet the policy; empty if it does. `definitions` are the baseline's checks."""
    if predicate["verdict"] != PASS:
        return [f"the proof's verdict is {predicate['verdict']}"]
    doubts = [*_list_open(predicate), *_list_check_doubts(predicate, definitions)]
    if policy.require == PROVED and predicate["strength"] != PROVED:
        strength = predicate["strength"] or "no strength"
        doubts.append(f'it is {strength}, but {policy.source} sets require = "proved"')
    return doubts


def _list_open(predicate: Document) -> list[str]:
    """Return contradictions in a PASS, which this program would not have made."""
    contradictions = [
        f"its verdict is PASS, but it has an open finding: {finding}" for finding in predicate["open"][:1]
    ]
    if predicate["mode"] == QUICK:
        contradictions.append("verify --quick made it, which runs each check only once")
    if predicate["accepted"]:
        contradictions.append("it has accepted findings, so it is not a PASS")
    return contradictions


def _list_check_doubts(predicate: Document, definitions: Mapping[str, Definition]) -> list[str]:
    checks = {check["name"]: check for check in predicate["checks"]}
    required = [check for check in checks.values() if check["required"]]
    doubts = [] if any(_is_run(check) for check in required) else ["no check ran"]
    doubts += [
        f"{check['name']} is {check['result']}" + ("" if check["receipt"] else " and has no receipt")
        for check in required
        if not _counts(check, predicate["failingBefore"])
    ]
    for name, wanted in definitions.items():
        doubts += _compare_check(checks.get(name), wanted)
    return doubts


def _compare_check(check: Document | None, wanted: Definition) -> Sequence[str]:
    if check is None:
        return [f"{wanted.name} (`{wanted.command}`) did not run"] if wanted.required else []
    if check["definition"].get("sha256") != wanted.digest:
        return [f"{wanted.name} has another definition than in the baseline (`{wanted.command}`)"]
    if check["result"] == NOT_NEEDED and not wanted.conditional:
        return [f"{wanted.name} did not run"]
    if wanted.required and not check["required"]:
        return [f"{wanted.name} is required in the baseline"]
    return []


def _is_run(check: Document) -> bool:
    return check["result"] in (GREEN, FLAKY, RED) and check["receipt"] is not None


def _counts(check: Document, failing_before: Sequence[str]) -> bool:
    if check["result"] == NOT_NEEDED:
        return True
    passing = check["result"] in (GREEN, FLAKY) or (check["result"] == RED and failing_before)
    return bool(passing) and check["receipt"] is not None


def choose_newest(predicates: Sequence[Document]) -> Document | None:
    """Return the one decided last. At the same moment, prefer one that fails over one that passes."""
    order = {FAIL: 1, PASS: -1}
    return max(
        predicates, key=lambda predicate: (str(predicate["decided"]), order.get(predicate["verdict"], 0)), default=None
    )

"""Checks that need not run again: the same files, platform and tools, by a proof that counts. Every doubt runs."""

from collections.abc import Mapping

from ..core.verdict.gate_run import GREEN
from ..core.verdict.verdict import PASS
from ..gates.run.seals import read_versions
from .baseline import find_definitions
from .checking import ProofAnswer
from .publishing import describe_platform


def list_covered(answer: ProofAnswer, place: str, environ: Mapping[str, str]) -> list[str]:
    """
    The checks that the baseline's policy names in `[proof] cover` and that the proof shows passing on this platform
    with these tools.
    """
    predicate, baseline = answer.predicate, answer.baseline
    if answer.value != PASS or predicate is None or predicate["platform"] != describe_platform():
        return []
    gates = find_definitions(baseline.git, baseline.tree, baseline.policy.gates)
    return [
        check["name"]
        for check in predicate["checks"]
        if check["name"] in baseline.policy.cover
        and check["name"] in gates
        and check["result"] == GREEN
        and check["tools"]
        and check["tools"] == read_versions(gates[check["name"]], place, environ)
    ]

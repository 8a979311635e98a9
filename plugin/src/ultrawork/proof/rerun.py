"""Run the checks of a commit again in a clean copy, and compare with its proof."""

import os
from collections.abc import Callable, Mapping
from tempfile import TemporaryDirectory

from ..core.verdict.summary import PROVED, name_verdict
from ..core.verdict.verdict import PASS, UNVERIFIED
from ..gates.context import PERSON
from ..gates.session import verification
from ..gates.trees import scratch
from ..store.store import Store
from ..system.git import Git
from .checking import BAD, LOOK, ProofAnswer
from .statement import Document


def run_again(
    store: Store,
    environ: Mapping[str, str],
    place: str,
    answer: ProofAnswer,
    *,
    seconds: float,
    progress: Callable[[str, float | None], None] | None = None,
) -> Document:
    """
    Run the commit's checks in a worktree of its own, with what the checkout has installed, and judge the change
    against the baseline. What comes of that is the answer; the proof is compared with it.
    """
    verdict = _run(store, environ, place, answer, seconds, progress)
    compare_runs(answer, verdict)
    return verdict


def _run(  # noqa: PLR0917 (as `run_again` has them)
    store: Store,
    environ: Mapping[str, str],
    place: str,
    answer: ProofAnswer,
    seconds: float,
    progress: Callable[[str, float | None], None] | None,
) -> Document:
    git = Git(place, environ)
    commit = git.commit(answer.ref) or answer.ref
    # Outside our scratch folders, whose copies the judge treats as its own.
    with TemporaryDirectory(prefix="ultrawork-", ignore_cleanup_errors=True) as folder:
        copy = f"{os.path.realpath(folder)}/{os.path.basename(place) or 'root'}"
        git.worktree_add(copy, commit)
        try:
            variables = scratch.link(place, copy, environ)
            outcome = verification.run(
                store,
                {**environ, **variables},
                copy,
                by=PERSON,
                seconds=seconds,
                base=answer.baseline.commit,
                own=True,
                fresh=True,
                progress=progress,
            )
        finally:
            git.worktree_remove(copy)
    return outcome.document


def compare_runs(answer: ProofAnswer, verdict: Document) -> None:
    """Compare; the local run decides, and the rows show whether the proof agrees."""
    value, strength = str(verdict["verdict"]), verdict.get("strength")
    predicate = answer.predicate
    _compare_checks(answer, verdict)
    there = name_verdict(predicate["verdict"], predicate["strength"]) if predicate else "no proof"
    here = name_verdict(value, strength)
    if predicate is None:
        answer.add("rerun", f"{here}; there is no proof to compare with", LOOK)
    elif predicate["verdict"] == value:
        answer.add("rerun", f"same: {here}")
    else:
        answer.add("rerun", f'differs: the proof reports "{there}", but this run reports "{here}"', BAD)
    wanting = list_wanting(answer, verdict) if value == PASS else []
    for doubt in wanting:
        answer.add("doubt", doubt, BAD)
    answer.value = UNVERIFIED if wanting or (value == PASS and answer.lost.undone) else value
    answer.next_step = answer.next_step if answer.lost.undone else _advise(answer, verdict)
    answer.predicate = predicate if predicate and predicate["verdict"] == value else _describe_run(verdict)


def list_wanting(answer: ProofAnswer, verdict: Document) -> list[str]:
    """Return what the baseline requires and a PASS of this run does not provide."""
    baseline, strength = answer.baseline, verdict.get("strength")
    gaps = [
        f"{definition.name} (`{definition.command}`) of {baseline.name} did not run here"
        for definition in baseline.definitions.values()
        if definition.required and not definition.conditional and definition.name not in verdict["gates"]
    ]
    if baseline.policy.require == PROVED and strength != PROVED:
        gaps.append(f'here it is {strength or "without a strength"}, and require = "proved"')
    return gaps


def _compare_checks(answer: ProofAnswer, verdict: Document) -> None:
    there = {check["name"]: check["result"] for check in answer.predicate["checks"]} if answer.predicate else {}
    for name, gate in verdict["gates"].items():
        here = str(gate["result"])
        if name not in there:
            answer.add("rerun", f"{name}: {here}")
        elif there[name] == here:
            answer.add("rerun", f"{name}: same, {here}")
        else:
            answer.add("rerun", f"{name}: differs, {there[name]} in the proof, {here} here", BAD)


def _advise(answer: ProofAnswer, verdict: Document) -> str:
    if answer.value == PASS:
        return ""
    clears = [finding["clears"] for finding in verdict["findings"] if finding["level"] != "note"]
    return clears[0] if clears else f"ultrawork verify --base {answer.baseline.name}"


def _describe_run(verdict: Document) -> Document:
    """Return enough of a proof's form to show what ran here."""
    return {
        "verdict": verdict["verdict"],
        "strength": verdict.get("strength"),
        "noticedBy": verdict["noticed_by"] or [],
        "checks": [
            {"name": name, "result": str(gate["result"]), "tests": None, "command": ""}
            for name, gate in verdict["gates"].items()
        ],
    }

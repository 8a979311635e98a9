"""
Check offline whether a commit is proved: from its tree, the note of that tree, and what the baseline branch allows.

Every doubt ends as UNVERIFIED with a reason: a block that is damaged, unsigned, signed by an unknown key, about other
files, or made with other checks than the baseline's. Only the newest block of an allowed signer counts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core.errors import UsageError
from ..core.verdict.summary import name_verdict, render_tests
from ..core.verdict.verdict import FAIL, PASS, UNVERIFIED
from ..core.wording import count_things, cut, join_lines
from ..gates.trees import tree as trees
from ..gates.trees.scratch import ScratchFolder
from ..store.store import Store
from .baseline import Baseline, open_baseline
from .envelope import Block, Note, make_signed_bytes, parse_note
from .inputs import TreeInputs
from .lost import LostTests, advise_undone, describe_lost, find_lost_tests
from .notes import ProofNotes
from .policy import choose_newest, list_doubts
from .signature import SshKeygen
from .statement import VERDICT, Document, find_tree, list_schema_faults

OK, LOOK, BAD = "ok", "look", "bad"
_MOST_BLOCKS = 50
_WIDTH = 200


@dataclass(frozen=True, slots=True)
class CheckOrder:
    """`trust` is a list of allowed signers that replaces the baseline's."""

    ref: str = "HEAD"
    baseline: str | None = None
    merge: str | None = None
    trust: bytes | None = None


@dataclass(frozen=True, slots=True)
class ProofRow:
    name: str
    text: str
    state: str = OK
    where: str = ""


@dataclass(slots=True)
class ProofAnswer:
    """`predicate` is the proof that counts, None without one; `holds` says what it was made for."""

    ref: str
    tree: str
    baseline: Baseline
    lost: LostTests
    value: str = UNVERIFIED
    rows: list[ProofRow] = field(default_factory=list)
    predicate: Document | None = None
    signer: str = ""
    only_documents: bool = False
    merge_same: bool | None = None
    next_step: str = ""

    @property
    def strength(self) -> str | None:
        return self.predicate["strength"] if self.predicate and self.value == PASS else None

    def add(self, name: str, text: str, state: str = OK, where: str = "") -> None:
        self.rows.append(ProofRow(name, cut(join_lines(text), _WIDTH), state, where))

    def document(self) -> dict[str, Any]:
        rows = [{"name": row.name, "state": row.state, "text": row.text} for row in self.rows]
        return {
            "verdict": self.value,
            "strength": self.strength,
            "ref": self.ref,
            "tree": self.tree,
            "baseline": self.baseline.name,
            "signer": self.signer or None,
            "only_documents_changed": self.only_documents,
            "merge_has_same_files": self.merge_same,
            "lost": self.lost.document(),
            "rows": rows,
            "proof": self.predicate,
            "next": self.next_step,
        }


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A block, and why it cannot be trusted; `tree` is what it is about."""

    predicate: Document
    tree: str
    signer: str
    why_not: str


class ProofReader:
    """Reads the notes of one repository by the rules of its baseline branch."""

    def __init__(self, store: Store, environ: Mapping[str, str], place: str) -> None:
        self._store = store
        self._environ = environ
        self._place = place
        self.notes = ProofNotes(place, environ)
        self.git = self.notes.git

    def check(self, order: CheckOrder) -> ProofAnswer:
        """Check a commit without network and without running anything of the project."""
        tree = self.git.tree_id(order.ref)
        if tree is None:
            raise UsageError(f"{order.ref} is not a commit or file here; fetch it, or name another one")
        baseline = open_baseline(self.git, order.baseline)
        recorded = trees.get_recorded(tree, self._place, self._store.home.cache, self._environ)
        lost = find_lost_tests(self.git, baseline.commit, baseline.name, recorded, order.ref)
        answer = ProofAnswer(order.ref, tree, baseline, lost)
        self._add_proof(answer, order)
        _add_lost(answer)
        self._add_merge(answer, order.merge)
        return answer

    def _add_proof(self, answer: ProofAnswer, order: CheckOrder) -> None:
        allowed = answer.baseline.signers if order.trust is None else order.trust
        candidates, faults = self.find_candidates(answer, allowed)
        trusted = [candidate for candidate in candidates if not candidate.why_not]
        newest = choose_newest([candidate.predicate for candidate in trusted])
        if newest is None:
            _explain_missing(answer, [candidate.why_not for candidate in candidates], faults)
            return
        chosen = next(candidate for candidate in trusted if candidate.predicate is newest)
        answer.predicate, answer.signer = newest, chosen.signer
        answer.only_documents = chosen.tree != answer.tree
        _judge(answer, faults)

    def find_candidates(self, answer: ProofAnswer, allowed: bytes) -> tuple[list[_Candidate], tuple[str, ...]]:
        """Return the blocks of this tree. If none counts, return those of a tree that differs only in documents."""
        note = parse_note(self.notes.read(answer.tree))
        answers = self._examine(answer, note, allowed, None)
        if any(not candidate.why_not for candidate in answers):
            return answers, note.faults
        inputs = TreeInputs(self.git, answer.tree)
        beside = parse_note(self.notes.read(inputs.key))
        known = {block.digest for block in note.blocks}
        others = Note(tuple(block for block in beside.blocks if block.digest not in known), ())
        return answers + self._examine(answer, others, allowed, inputs), note.faults

    def _examine(self, answer: ProofAnswer, note: Note, allowed: bytes, inputs: TreeInputs | None) -> list[_Candidate]:
        candidates = []
        with ScratchFolder(self._store.home.cache) as folder:
            keygen = SshKeygen(self._environ, folder)
            for block in note.blocks[:_MOST_BLOCKS]:
                faults = list_schema_faults(block.statement)
                if block.statement.get("predicateType") != VERDICT and not faults:
                    continue  # repeated for other tools
                if faults:
                    candidates.append(_Candidate({}, "", "", f"not a valid statement: {faults[0]}"))
                    continue
                signer, why_not = _find_signer(answer.baseline, keygen, block, allowed)
                why_not = why_not or _compare_files(answer, block.statement, inputs)
                tree = find_tree(block.statement)
                candidates.append(_Candidate(block.statement["predicate"], tree, signer, why_not))
        return candidates

    def _add_merge(self, answer: ProofAnswer, merge: str | None) -> None:
        if merge is None:
            return
        tree = self.git.tree_id(merge)
        if tree is None:
            raise UsageError(f"--merge {merge} is not a commit here; fetch it, or omit it")
        answer.merge_same = tree == answer.tree
        if answer.merge_same:
            answer.add("merge", f"the merge has the same files as {answer.ref[:12]}")
        else:
            text = f"the merge has other files (tree {tree[:12]}), so this covers only the head"
            answer.add("merge", text, LOOK)


def _find_signer(baseline: Baseline, keygen: SshKeygen, block: Block, allowed: bytes) -> tuple[str, str]:
    """Return who signed, and why that does not count."""
    if not block.signatures:
        return "", "not signed"
    data = make_signed_bytes(block.payload)
    names = (keygen.find_signer(data, signature, allowed) for signature in block.signatures[:3])
    signer = next(filter(None, names), "")
    if not signer:
        return "", "signed by a key that is not allowed, or changed after it was signed"
    if not baseline.policy.may_sign(signer):
        return signer, f"signed by {signer}, who is not listed in [proof] who"
    return signer, ""


def _compare_files(answer: ProofAnswer, statement: Document, inputs: TreeInputs | None) -> str:
    """Return why a statement is not about the requested files; empty if it is."""
    if find_tree(statement) == answer.tree:
        return ""
    if inputs is None:
        return "about other files"
    for check in statement["predicate"]["checks"]:
        wanted = inputs.fingerprint(check["command"], check["definition"].get("sha256", ""))
        if check["inputs"].get("sha256") != wanted:
            return f"about other files: the inputs of {check['name']} have changed"
    return ""


def _explain_missing(answer: ProofAnswer, reasons: Iterable[str], faults: tuple[str, ...]) -> None:
    causes = [*dict.fromkeys((*reasons, *faults))]
    if not causes:
        answer.add("proof", f"none for tree {answer.tree[:12]}", BAD)
    else:
        answer.add("proof", f"none is valid: {'; '.join(causes[:3])}", BAD)
    if not answer.baseline.signers.strip():
        text = f"{answer.baseline.name} has no {answer.baseline.policy.signers}: no one may sign"
        answer.add("signers", text, BAD)
    answer.next_step = (
        f"ultrawork verify --base {answer.baseline.name} && ultrawork evidence publish, or check with --rerun"
    )


def _judge(answer: ProofAnswer, faults: tuple[str, ...]) -> None:
    predicate, baseline = answer.predicate, answer.baseline
    assert predicate is not None
    doubts = list_doubts(predicate, baseline.policy, baseline.definitions)
    measured = baseline.had_tree(predicate["base"]["gitTree"]) if "gitTree" in predicate["base"] else False
    if measured is False:
        doubts.append(f"its baseline is not in the history of {baseline.name}")
    answer.value = FAIL if predicate["verdict"] == FAIL else UNVERIFIED if doubts else PASS
    answer.add("proof", _describe_proof(predicate), OK if predicate["verdict"] == PASS else BAD)
    for doubt in doubts:
        answer.add("doubt", doubt, BAD)
    answer.add("signed", f"by {answer.signer}, allowed by {baseline.name}")
    if answer.only_documents:
        answer.add("files", "only docs changed since, so it is still valid")
    answer.add("checks", _describe_checks(predicate))
    for doubt in predicate["expectationsChanged"]:
        answer.add("changed", f"expectation changed: {doubt.get('what', '')}", LOOK, doubt.get("where", ""))
    for doubt in predicate["failingBefore"]:
        answer.add("before", doubt, LOOK)
    if measured is None:
        answer.add("base", f"a shallow clone cannot show whether {baseline.name} contains its baseline", LOOK)
    if faults:
        answer.add("note", f"{count_things(len(faults), 'damaged line')} ignored: {faults[0]}", LOOK)
    if doubts:
        answer.next_step = (
            f"ultrawork verify --base {baseline.name} && ultrawork evidence publish, or check with --rerun"
        )


def _describe_proof(predicate: Document) -> str:
    name = name_verdict(predicate["verdict"], predicate["strength"])
    proved = predicate["noticedBy"] and predicate["strength"] == "proved"
    by = f" by {render_tests(predicate['noticedBy'])}" if proved else ""
    platform = f"{predicate['platform'].get('system', '')} {predicate['platform'].get('machine', '')}".strip()
    return f"{name}{by}; decided {predicate['decided'][:16].replace('T', ' ')} UTC on {platform}"


def _describe_checks(predicate: Document) -> str:
    words = {"green": "passes", "red": "fails", "flaky": "is flaky", "broken": "could not run"}
    return ", ".join(
        f"{check['name']} {words.get(check['result'], check['result'])}{_count(check.get('tests'))}"
        for check in predicate["checks"]
    )


def _count(tests: object) -> str:
    ran = tests.get("ran") if isinstance(tests, dict) else None
    return f" ({count_things(ran, 'test')})" if isinstance(ran, int) and ran else ""


def _add_lost(answer: ProofAnswer) -> None:
    """Add the first row: what a merge would remove from the main branch."""
    lost = answer.lost
    if not lost.tests:
        known = f"no test of {lost.baseline} was removed or weakened"
        unknown = f"a shallow clone cannot show whether tests of {lost.baseline} were removed"
        proof_row = ProofRow("lost", unknown, LOOK) if lost.shallow else ProofRow("lost", known)
        answer.rows.insert(0, proof_row)
        return
    state = BAD if lost.undone else LOOK
    rows = [ProofRow("lost", line.strip(), state) for line in describe_lost(lost)]
    answer.rows[:0] = rows
    if lost.undone:
        answer.value = FAIL if answer.value == FAIL else UNVERIFIED
        answer.next_step = advise_undone(lost)


def render_proof(answer: ProofAnswer) -> str:
    """Return the answer for the screen."""
    name = name_verdict(answer.value, answer.strength)
    lines = [f"{name} for {answer.ref} (tree {answer.tree[:12]}), against {answer.baseline.name}"]
    lines += [f"{row.name:<9}{row.text}" for row in answer.rows]
    return "\n".join([*lines, *([f"{'next':<9}{answer.next_step}"] if answer.next_step else [])])

"""Check a given proof against the current files."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...core.errors import UsageError
from ...core.verdict import verdict as verdicts
from ...core.wording import unescape_markdown
from ...store.codec import loads
from ...store.store import Store
from . import pinning, verification

LIMIT = 1_000_000
SECONDS = 3600.0
# Fewer digits could match by accident.
_SHORTEST = 7
_HEAD = r"\*\*ultrawork: (PASS|FAIL|UNVERIFIED)(?:, [a-z ]+)?\*\* for tree `([\w-]+)`"
_ROW = r"^\| ([^|`]+?) \| [^|]* \| `"
_RECEIPT = r"`#\d+` (\S+) (green|red|flaky|broken) `sha256:"


@dataclass(frozen=True, slots=True)
class Proof:
    """What a proof says: its tree, its verdict, its checks by name."""

    verdict: str
    tree: str
    gates: dict[str, str]


@dataclass(slots=True)
class ProofCheck:
    lines: list[str] = field(default_factory=list)
    same: bool = True

    def add_row(self, name: str, there: str, here: str, *, same: bool) -> None:
        self.same = self.same and same
        text = f"same: {here}" if same else f"differs: {there} in the proof, {here} here"
        self.lines.append(f"{name:<8} {text}")

    def document(self) -> dict[str, Any]:
        return {"same": self.same, "lines": self.lines}


def read(path: str) -> str:
    try:
        with open(path, "rb") as file:
            data = file.read(LIMIT + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    if len(data) > LIMIT:
        raise UsageError(f"{path} is larger than 1 MB, so it cannot be a proof; give another file")
    return data.decode("utf-8", "replace")


def parse(text: str) -> Proof:
    """Return a verdict's JSON, or the Markdown of a pull request."""
    return _from_json(text) if text.lstrip().startswith("{") else _from_markdown(text)


def _from_json(text: str) -> Proof:
    try:
        output = loads(text)
    except ValueError:
        raise UsageError("the proof is not valid JSON; give the output of ultrawork evidence --json") from None
    document = output.get("data", output)
    gates = document.get("gates") if isinstance(document, dict) else None
    if not isinstance(gates, dict) or document.get("schema") != verdicts.SCHEMA:
        raise UsageError("the proof is not a verdict of ultrawork; give the output of ultrawork evidence --json")
    results = {name: str(gate.get("result")) for name, gate in gates.items() if isinstance(gate, dict)}
    return Proof(verdicts.read_value(document), str(document.get("tree")), results)


def _from_markdown(text: str) -> Proof:
    head = re.search(_HEAD, text)
    if head is None:
        raise UsageError("the text contains no proof; give the output of ultrawork evidence --markdown")
    names = re.findall(_ROW, text, re.MULTILINE)
    results = dict(reversed(re.findall(_RECEIPT, text)))
    return Proof(head[1], head[2], {unescape_markdown(name): results[name] for name in names if name in results})


def check(store: Store, environ: Mapping[str, str], place: str, text: str, *, rerun: bool) -> ProofCheck:
    """Check the tree, and with `rerun` also run the checks again here."""
    proof = parse(text)
    checked = ProofCheck()
    here = pinning.take_tree(place, store, environ)
    same = len(proof.tree) >= _SHORTEST and here.startswith(proof.tree)
    checked.add_row("tree", proof.tree[:12], here[:12], same=same)
    checked.lines.append(f"{'verdict':<8} {proof.verdict}, as in the proof")
    if rerun:
        outcome = verification.run(store, environ, place, by="person", seconds=SECONDS, fresh=True)
        for name, result in proof.gates.items():
            now = outcome.document["gates"].get(name, {}).get("result") or "not found"
            checked.add_row(name, result, now, same=now == result)
        checked.add_row("verdict", proof.verdict, outcome.value, same=outcome.value == proof.verdict)
    return checked

"""Checking somebody's proof against the files at hand."""

from ..core import verdict as verdicts
from ..core.errors import UsageError
from ..store.fast import loads
from . import pinning, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..store.state import Store

LIMIT = 1_000_000
SECONDS = 3600.0
_SHORTEST = 7


class Proof:
    """What a proof says: the tree it is for, its verdict, its gates by name."""

    __slots__ = ("gates", "tree", "verdict")

    def __init__(self, verdict: str, tree: str, gates: dict[str, str]) -> None:
        self.verdict = verdict
        self.tree = tree
        self.gates = gates


class Checked:
    __slots__ = ("lines", "same")

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.same = True

    def row(self, name: str, there: str, here: str, *, same: bool) -> None:
        self.same = self.same and same
        told = f"same: {here}" if same else f"differs: the proof says {there}, here {here}"
        self.lines.append(f"{name:<8} {told}")

    def document(self) -> "dict[str, Any]":
        return {"same": self.same, "lines": self.lines}


def read(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(LIMIT).decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None


def parse(text: str) -> Proof:
    """A verdict's JSON, or the Markdown of a pull request."""
    if text.lstrip().startswith("{"):
        return _from_json(text)
    return _from_markdown(text)


def _from_json(text: str) -> Proof:
    try:
        document = loads(text)
    except ValueError:
        raise UsageError(
            "the proof is not JSON; give the output of ultrawork evidence --json"
        ) from None
    document = document.get("data", document)
    if not isinstance(document, dict) or document.get("schema") != verdicts.SCHEMA:
        raise UsageError("the proof is no verdict of ultrawork; give ultrawork evidence --json")
    gates = {name: str(gate.get("result")) for name, gate in document.get("gates", {}).items()}
    return Proof(verdicts.read(document), str(document.get("tree")), gates)


def _from_markdown(text: str) -> Proof:
    import re

    head = re.search(r"\*\*ultrawork: (PASS|FAIL|UNVERIFIED)\*\* for tree `([\w-]+)`", text)
    if head is None:
        raise UsageError("the text holds no proof; give what ultrawork evidence --markdown printed")
    found = re.findall(r"`#\d+` (\S+) (green|red|flaky|broken) `sha256:", text)
    gates: dict[str, str] = {}
    for name, result in found:
        gates.setdefault(name, result)
    return Proof(head.group(1), head.group(2), gates)


def check(
    store: "Store", environ: "Mapping[str, str]", place: str, text: str, *, rerun: bool
) -> Checked:
    proof = parse(text)
    checked = Checked()
    here = pinning.tree_now(place, store, environ)
    long_enough = len(proof.tree) >= _SHORTEST
    checked.row(
        "tree", proof.tree[:12], here[:12], same=long_enough and here.startswith(proof.tree)
    )
    checked.lines.append(f"verdict  {proof.verdict}, as the proof says")
    if rerun:
        outcome = start.verify(store, environ, place, by="person", seconds=SECONDS, fresh=True)
        for name, result in proof.gates.items():
            now = outcome.document["gates"].get(name, {}).get("result") or "not found"
            checked.row(name, result, now, same=now == result)
    return checked

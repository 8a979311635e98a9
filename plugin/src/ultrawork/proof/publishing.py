"""Publish the verdict of a committed tree as signed blocks in a git note."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.errors import Conflict, NotFound, UsageError
from ..core.verdict.verdict import PASS
from ..gates.trees.scratch import ScratchFolder
from ..store import receipts
from ..store.codec import digest, dumps
from ..store.paths import read_version
from ..store.store import Store
from ..system.git import Git
from .baseline import Baseline, digest_definition, find_definitions, open_baseline, read_tree_policy
from .envelope import encode_block, make_payload, make_signed_bytes
from .inputs import TreeInputs
from .notes import ProofNotes, Pushed
from .signature import UNSIGNED_HINT, SigningKey, SshKeygen, find_key
from .statement import Document, list_schema_faults, make_statements

_NOTHING = digest("")


@dataclass(frozen=True, slots=True)
class PublishOrder:
    """What the user asks for: which commit, which remote, which key."""

    ref: str = "HEAD"
    remote: str | None = None
    push: bool = True
    key: str | None = None
    signed: bool = True


@dataclass(frozen=True, slots=True)
class Published:
    """`fresh` is False if the note already had the same blocks."""

    tree: str
    statements: list[Document]
    signed: bool
    fresh: bool
    pushed: Pushed | None
    on_baseline: bool | None

    @property
    def verdict(self) -> Document:
        predicate: Document = self.statements[0]["predicate"]
        return predicate


def publish(store: Store, environ: Mapping[str, str], place: str, order: PublishOrder) -> Published:
    notes = ProofNotes(place, environ)
    git = notes.git
    tree = find_commit_tree(git, order.ref)
    baseline = _find_baseline(git)
    verdict, used = find_verdict(store, tree, order.ref, baseline)
    inputs = TreeInputs(git, tree)
    statements = make_statements(
        verdict,
        _list_checks(git, tree, verdict, used, inputs),
        _merge_outcomes(verdict, used),
        platform=describe_platform(),
        version=read_version(),
        hidden=_list_hidden(place, environ),
    )
    faults = [fault for statement in statements for fault in list_schema_faults(statement)]
    if faults:
        raise Conflict(f"the verdict cannot be published: {faults[0]}; run ultrawork verify --fresh")
    key = find_key(git, environ, order.key) if order.signed else None
    lines = _make_lines(store, environ, statements, key)
    fresh = notes.add([tree, inputs.key], lines)
    remote = notes.choose_remote(order.remote) if order.push else None
    pushed = notes.push(remote) if remote else None
    on_baseline = baseline.had_tree(verdict["base"]) if baseline else None
    return Published(tree, statements, key is not None, fresh, pushed, on_baseline)


def find_commit_tree(git: Git, ref: str) -> str:
    tree = git.tree_id(ref)
    if tree is None:
        raise UsageError(f"{ref} is not a commit here; list them with git log")
    return tree


def find_verdict(
    store: Store, tree: str, ref: str, baseline: Baseline | None
) -> tuple[Document, dict[int, receipts.StoredReceipt]]:
    """
    Return the newest untampered verdict on exactly these files, and its receipts. Prefer one measured against the
    main branch to one measured against an agent's last step.
    """
    known = receipts.list_verdicts(store.database, tree)
    if baseline is not None:
        known.sort(key=lambda verdict: baseline.had_tree(verdict["base"]) is False)
    for document in known:
        session = document["session"]
        numbers = [gate["receipt"] for gate in document["gates"].values() if gate["receipt"]]
        if all(receipts.is_genuine(store.database, session, number) for number in numbers):
            stored_receipts = {number: receipts.find(store.database, session, number) for number in numbers}
            return document, {number: stored for number, stored in stored_receipts.items() if stored is not None}
    raise NotFound(f"no verdict for the files of {ref} (tree {tree[:12]}). Commit them and run ultrawork verify")


def _list_checks(
    git: Git, tree: str, verdict: Document, used: Mapping[int, receipts.StoredReceipt], inputs: TreeInputs
) -> list[Document]:
    gates = find_definitions(git, tree, read_tree_policy(git, tree).gates)
    checks = []
    for name, state in verdict["gates"].items():
        receipt = used.get(state["receipt"])
        document: dict[str, Any] = receipt.document if receipt else {}
        gate = gates.get(name)
        command = gate.command if gate else document.get("gate", {}).get("command", "")
        definition = digest_definition(gate) if gate else _NOTHING
        checks.append(
            {
                "name": name,
                "kind": gate.kind if gate else document.get("gate", {}).get("kind", ""),
                "command": command,
                "result": str(state["result"]),
                "required": state.get("required", True),
                "definition": {"sha256": definition},
                "inputs": {"sha256": inputs.fingerprint(command, definition)},
                "tools": document.get("tools", {}),
                "by": document.get("run", {}).get("by", ""),
                "tests": _count_tests(document.get("tests")),
                "receipt": {"sha256": digest(dumps(document))} if document else None,
            }
        )
    return checks


def _count_tests(tests: Document | None) -> Document | None:
    if tests is None:
        return None
    return {"ran": tests.get("ran"), "failed": tests.get("failed_count"), "skipped": tests.get("skipped")}


def _merge_outcomes(verdict: Document, used: Mapping[int, receipts.StoredReceipt]) -> dict[str, str]:
    """Return the result of each test; if two checks run a test of the same name, the worse one."""
    merge_outcomes: dict[str, str] = {}
    for gate in verdict["gates"].values():
        receipt = used.get(gate["receipt"])
        outcomes = (receipt.report or {}).get("outcomes", {}) if receipt else {}
        for name, outcome in outcomes.items():
            merge_outcomes[name] = outcome if merge_outcomes.get(name) != "failed" else "failed"
    return merge_outcomes


def describe_platform() -> dict[str, str]:
    uname = os.uname()
    return {"system": uname.sysname, "machine": uname.machine}


def _list_hidden(place: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Return paths of this machine that a name or message may contain, longest first."""
    home = environ.get("HOME", "").rstrip("/")
    paths = {place: ".", os.path.realpath(place): "."}
    if len(home) > 1:
        paths |= {home: "~", os.path.realpath(home): "~"}
    return dict(sorted(paths.items(), key=lambda pair: -len(pair[0])))


def _make_lines(
    store: Store, environ: Mapping[str, str], statements: Sequence[Document], key: SigningKey | None
) -> list[str]:
    payloads = [make_payload(statement) for statement in statements]
    if key is None:
        return [encode_block(payload, ()) for payload in payloads]
    with ScratchFolder(store.home.cache) as folder:
        keygen = SshKeygen(environ, folder)
        signed = [keygen.sign(key, make_signed_bytes(payload)) for payload in payloads]
    return [encode_block(payload, [by]) for payload, by in zip(payloads, signed, strict=True)]


def _find_baseline(git: Git) -> Baseline | None:
    try:
        return open_baseline(git, None)
    except UsageError:
        return None


def describe_published(published: Published) -> list[str]:
    """Return what publishing did, and what remains to be done."""
    from ..core.verdict.summary import name_verdict

    verdict = published.verdict
    name = name_verdict(verdict["verdict"], verdict["strength"])
    state = "published" if published.fresh else "already published"
    lines = [f"{state}: {name} for tree {published.tree[:12]}"]
    if published.pushed is None:
        lines.append("stored only in this repository, not pushed")
    else:
        lines.append(f"pushed to {published.pushed.remote}")
    if not published.signed:
        lines.append(f"unsigned, so others cannot trust it. To sign: {UNSIGNED_HINT}")
    if verdict["verdict"] == PASS and published.on_baseline is False:
        lines.append(
            "its baseline is not on the main branch, so checks refuse it. Run ultrawork verify --base origin/main, then publish again"
        )
    return lines

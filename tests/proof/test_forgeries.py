"""Forged and mistaken proofs: none is accepted. Each row changes one thing of a proof that is."""

import base64
import json
import os
import subprocess
from copy import deepcopy

import pytest

from support.floor import PATH
from ultrawork.core.verdict.verdict import PASS
from ultrawork.proof.checking import CheckOrder, ProofReader
from ultrawork.proof.envelope import encode_block, make_payload, make_signed_bytes, parse_note
from ultrawork.proof.notes import REF
from ultrawork.store.paths import find_home
from ultrawork.store.store import Store

OTHER = "1" * 40


class Forger:
    """Makes blocks out of the genuine one, signs them with any key, and asks for an answer."""

    def __init__(self, team):
        self.bob, self.alice = team.bob, team.alice
        self.store = Store(find_home(self.bob.environ), actor="person", clock=lambda: 0.0)
        self.reader = ProofReader(self.store, self.bob.environ, self.bob.place)
        self.tree = self.bob.tree("fix")
        self.genuine = self.reader.notes.read(self.tree)
        blocks = parse_note(self.genuine).blocks
        self.block = next(one for one in blocks if "verdict" in one.statement["predicate"])
        self.result = next(one for one in blocks if "result" in one.statement["predicate"])
        self.mallory = team.make_person("mallory")
        self.trust = None

    def sign(self, payload, key=None, namespace="ultrawork", data=None):
        argv = ["ssh-keygen", "-Y", "sign", "-q", "-n", namespace, "-f", key or self.alice.key]
        told = make_signed_bytes(payload) if data is None else data
        done = subprocess.run(argv, input=told, capture_output=True, check=True, env={"PATH": PATH, "HOME": "/"})
        return done.stdout

    def change(self, **changes):
        """The genuine statement with other values in its predicate."""
        statement = deepcopy(self.block.statement)
        statement["predicate"].update(changes)
        return statement

    def line(self, statement, **how):
        payload = make_payload(statement)
        return encode_block(payload, [self.sign(payload, **how)])

    def ask(self, *lines):
        text = "".join(f"{one}\n" for one in lines)
        git = self.reader.git
        blob = git.ask(["hash-object", "-w", "--stdin"], text.encode()).decode().strip()
        git.ask(["notes", f"--ref={REF}", "add", "-f", "-C", blob, self.tree])
        order = CheckOrder("fix", "origin/main", trust=self.trust)
        return self.reader.check(order)


@pytest.fixture(scope="module")
def shared(proved, tmp_path_factory):
    found = Forger(proved.copy(str(tmp_path_factory.mktemp("forged"))))
    # Under the key of what checks depend on lies the genuine proof: here only the tree's own note counts.
    found.reader.git.answer(["update-ref", "-d", REF])
    return found


@pytest.fixture
def forger(shared):
    shared.trust = None
    return shared


def as_checks(forger, **changes):
    checks = deepcopy(forger.block.statement["predicate"]["checks"])
    checks[0].update(changes)
    return checks


def flip(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def envelope(line, **changes):
    return json.dumps({**json.loads(line), **changes})


def resubject(forger, subject):
    statement = deepcopy(forger.block.statement)
    statement["subject"] = subject
    return statement


def retype(forger, **changes):
    return {**deepcopy(forger.block.statement), **changes}


def borrowed(forger, payload):
    """The signature of the genuine block beside another payload."""
    return encode_block(payload, forger.block.signatures)


def with_key(forger, public, options=""):
    with open(public, encoding="utf-8") as file:
        kind, key, _ = file.read().split(" ", 2)
    return f"mallory@example.org {options} {kind} {key}\n".encode()


def genuine_line(forger):
    return encode_block(forger.block.payload, forger.block.signatures)


# What a forger or a mistaken writer puts into the note, by what is wrong with it.
FORGERIES = {
    # the signature
    "unsigned": lambda f: [encode_block(f.block.payload, [])],
    "signed by a stranger": lambda f: [f.line(f.block.statement, key=f.mallory.key)],
    "signed for commits": lambda f: [f.line(f.block.statement, namespace="git")],
    "signed for files": lambda f: [f.line(f.block.statement, namespace="file")],
    "signature of bare payload": lambda f: [
        encode_block(f.block.payload, [f.sign(f.block.payload, data=f.block.payload)])
    ],
    "signature of another payload": lambda f: [
        borrowed(f, make_payload(f.change(strength="proved", decided="2027-01-01T00:00:00Z")))
    ],
    "signature flipped": lambda f: [
        encode_block(f.block.payload, [flip(f.block.signatures[0], 120)])
    ],
    "signature empty": lambda f: [encode_block(f.block.payload, [b""])],
    "signature cut": lambda f: [encode_block(f.block.payload, [f.block.signatures[0][:-40]])],
    "signature is words": lambda f: [encode_block(f.block.payload, [b"alice@example.org"])],
    "signature huge": lambda f: [
        encode_block(f.block.payload, [f.block.signatures[0] + b"\n" * 70_000])
    ],
    "signature not base64": lambda f: [envelope(genuine_line(f), signatures=[{"sig": "*"}])],
    "signature no list": lambda f: [envelope(genuine_line(f), signatures="yes")],
    "signature of the test result": lambda f: [encode_block(f.block.payload, f.result.signatures)],
    # the envelope
    "payload type of another kind": lambda f: [
        envelope(genuine_line(f), payloadType="application/json")
    ],
    "payload one byte longer": lambda f: [borrowed(f, f.block.payload + b" ")],
    "payload spaced differently": lambda f: [
        borrowed(f, json.dumps(f.block.statement).encode())
    ],
    "field of its own": lambda f: [envelope(genuine_line(f), trusted=True)],
    "key twice": lambda f: [
        encode_block(twice, [f.sign(twice)])
        for twice in [f.block.payload.replace(b'{"verdict"', b'{"verdict":"FAIL","verdict"', 1)]
    ],
    "not JSON": lambda _: ["PASS"],
    "half a line": lambda f: [genuine_line(f)[:-30]],
    "payload a list": lambda f: [encode_block(b"[]", [f.sign(b"[]")])],
    "payload NaN": lambda f: [encode_block(b'{"a":NaN}', [f.sign(b'{"a":NaN}')])],
    "payload too deep": lambda f: [
        encode_block(deep, [f.sign(deep)]) for deep in [b'{"a":' + b"[" * 90_000]
    ],
    "note too large": lambda _: [" " * 8_000_001],
    "nothing": lambda _: ["{}"],
    # the subject
    "note of another tree": lambda f: [
        f.line(resubject(f, [{"digest": {"gitTree": OTHER}}]))
    ],
    "two subjects": lambda f: [
        f.line(
            resubject(f, [{"digest": {"gitTree": f.tree}}, {"digest": {"gitTree": OTHER}}])
        )
    ],
    "commit for a tree": lambda f: [f.line(resubject(f, [{"digest": {"gitCommit": f.tree}}]))],
    "short tree": lambda f: [f.line(resubject(f, [{"digest": {"gitTree": f.tree[:12]}}]))],
    "no subject": lambda f: [f.line(resubject(f, []))],
    "tree in capitals": lambda f: [
        f.line(resubject(f, [{"digest": {"gitTree": f.tree.upper()}}]))
    ],
    # the statement
    "statement of version 0.1": lambda f: [
        f.line(retype(f, _type="https://in-toto.io/Statement/v0.1"))
    ],
    "only a test result": lambda f: [encode_block(f.result.payload, f.result.signatures)],
    "a type that nobody knows": lambda f: [f.line(retype(f, predicateType="urn:x"))],
    "predicate missing": lambda f: [
        f.line({k: v for k, v in f.block.statement.items() if k != "predicate"})
    ],
    "verdict a word": lambda f: [f.line(f.change(verdict="PASSED"))],
    "verdict a list": lambda f: [f.line(f.change(verdict=["PASS"]))],
    "decided never": lambda f: [f.line(f.change(decided="never"))],
    "checks a text": lambda f: [f.line(f.change(checks="test"))],
    "a check twice": lambda f: [f.line(f.change(checks=as_checks(f) * 2))],
    # what it says
    "it says FAIL": lambda f: [f.line(f.change(verdict="FAIL"))],
    "it says UNVERIFIED": lambda f: [f.line(f.change(verdict="UNVERIFIED"))],
    "PASS with an open finding": lambda f: [f.line(f.change(open=["test_x was deleted"]))],
    "PASS by quick": lambda f: [f.line(f.change(mode="quick"))],
    "PASS by acceptance": lambda f: [f.line(f.change(accepted=["as it is"]))],
    "no check": lambda f: [f.line(f.change(checks=[]))],
    "check failing": lambda f: [f.line(f.change(checks=as_checks(f, result="red")))],
    "check not run": lambda f: [f.line(f.change(checks=as_checks(f, result="not needed")))],
    "check could not run": lambda f: [f.line(f.change(checks=as_checks(f, result="broken")))],
    "check without a receipt": lambda f: [f.line(f.change(checks=as_checks(f, receipt=None)))],
    "check optional": lambda f: [f.line(f.change(checks=as_checks(f, required=False)))],
    "check renamed": lambda f: [f.line(f.change(checks=as_checks(f, name="test2")))],
    "check gutted": lambda f: [
        f.line(f.change(checks=as_checks(f, definition={"sha256": "0" * 64})))
    ],
    "measured against nothing": lambda f: [f.line(f.change(base={"gitTree": OTHER}))],
    "measured against itself": lambda f: [f.line(f.change(base={"gitTree": f.tree}))],
    # more than one block
    "a later failure of a colleague": lambda f: [
        genuine_line(f),
        f.line(f.change(verdict="FAIL", decided="2999-01-01T00:00:00Z"), key=f.bob.key),
    ],
    "a failure of the same moment": lambda f: [
        genuine_line(f), f.line(f.change(verdict="FAIL"), key=f.bob.key),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_no_forgery_or_mistake_is_accepted(forger, name):
    answer = forger.ask(*FORGERIES[name](forger))
    assert answer.value != PASS, answer.rows
    assert any(row.state == "bad" for row in answer.rows)
    assert answer.next_step


def test_there_are_more_than_forty_of_them():
    assert len(FORGERIES) >= 40


def test_the_genuine_proof_is_accepted_beside_damaged_and_foreign_lines(forger):
    lines = [genuine_line(forger), "PASS", *FORGERIES["signed by a stranger"](forger)]
    answer = forger.ask(*lines, *lines)
    assert answer.value == PASS
    assert answer.signer == "alice@example.org"
    assert any("damaged line" in row.text for row in answer.rows)


def test_a_stranger_cannot_pull_a_proof_down(forger):
    failing = forger.change(verdict="FAIL", decided="2999-01-01T00:00:00Z")
    stranger = forger.line(failing, key=forger.mallory.key)
    assert forger.ask(genuine_line(forger), stranger).value == PASS


def test_a_trust_file_replaces_the_keys_of_the_baseline(forger):
    forger.trust = with_key(forger, f"{forger.mallory.key}.pub")
    assert forger.ask(genuine_line(forger)).value != PASS
    answer = forger.ask(*FORGERIES["signed by a stranger"](forger))
    assert (answer.value, answer.signer) == (PASS, "mallory@example.org")


@pytest.mark.parametrize("options", ['namespaces="git"', 'valid-before="20200101"'])
def test_a_key_for_another_purpose_or_time_is_not_trusted(forger, options):
    forger.trust = with_key(forger, f"{forger.mallory.key}.pub", options)
    assert forger.ask(*FORGERIES["signed by a stranger"](forger)).value != PASS


def test_one_line_may_name_several_people(forger):
    line = with_key(forger, f"{forger.mallory.key}.pub")
    forger.trust = line.replace(b"mallory@example.org", b"carol@example.org,mallory@example.org")
    answer = forger.ask(*FORGERIES["signed by a stranger"](forger))
    assert (answer.value, answer.signer) == (PASS, "carol@example.org")


def test_an_empty_list_of_signers_trusts_no_one(forger):
    forger.trust = b""
    assert forger.ask(genuine_line(forger)).value != PASS


def test_no_value_of_a_machine_is_in_a_note(forger):
    text = forger.genuine.decode()
    payloads = [base64.b64decode(json.loads(line)["payload"]) for line in text.splitlines()]
    told = b"\n".join(payloads).decode()
    for value in (forger.alice.root, os.uname().nodename, "alice", "/home", "/tmp"):
        assert value not in told


def test_the_same_statement_signed_by_any_allowed_person_is_accepted(forger):
    for person in (forger.alice, forger.bob):
        assert forger.ask(forger.line(forger.block.statement, key=person.key)).value == PASS

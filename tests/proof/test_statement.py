"""Statements against the published specifications: in-toto Statement v1, ResourceDescriptor, DigestSet, test-result v0.1."""

from copy import deepcopy

import pytest

from ultrawork.proof.statement import RESULTS, STATEMENT, TEST_RESULT, VERDICT, list_schema_faults, make_statements

TREE, BASE = "a" * 40, "b" * 40
SHA = "c" * 64
# The example of https://github.com/in-toto/attestation/blob/main/spec/predicates/test-result.md, shortened.
PUBLISHED = {
    "_type": "https://in-toto.io/Statement/v1",
    "subject": [{"digest": {"gitCommit": "d20ace7968ba43c0219f62d71334c1095bab1602"}}],
    "predicateType": "https://in-toto.io/attestation/test-result/v0.1",
    "predicate": {
        "result": "PASSED",
        "configuration": [
            {
                "name": ".github/workflows/ci.yml",
                "downloadLocation": "https://github.com/in-toto/in-toto/blob/d20a/.github/workflows/ci.yml",
                "digest": {"gitBlob": "ebe4add40f63c3c98bc9b32ff1e736f04120b023"},
            }
        ],
        "url": "https://github.com/in-toto/in-toto/actions/runs/4425592351",
        "passedTests": ["build (3.7, ubuntu-latest, py)", "build (3.x, ubuntu-latest, lint)"],
        "warnedTests": [],
        "failedTests": [],
    },
}


def finding(rule, level="note", what="x", where=""):
    return {"rule": rule, "level": level, "what": what, "where": where, "gate": "test",
            "receipt": 1, "clears": "fix it"}  # fmt: skip


def make_verdict(value="PASS", result="green", findings=(), **more):
    return {
        "schema": "ultrawork.verdict/1", "verdict": value, "strength": "proved",
        "decided": "2026-11-18T00:15:44Z", "base": BASE, "tree": TREE,
        "gates": {"test": {"result": result, "receipt": 1}}, "noticed_by": ["test_x"],
        "findings": list(findings), "not_checked": [], "accepted": [], "mode": "strict", **more,
    }  # fmt: skip


CHECK = {
    "name": "test", "kind": "TEST", "command": "make test", "result": "green", "required": True,
    "definition": {"sha256": SHA}, "inputs": {"sha256": SHA}, "tools": {"make": "4.3"},
    "by": "person", "tests": {"ran": 2, "failed": 0, "skipped": 0}, "receipt": {"sha256": SHA},
}  # fmt: skip


def make(verdict, outcomes=None, hidden=None, **check):
    return make_statements(
        verdict,
        [{**CHECK, **check}],
        {"test_x": "passed", "test_y": "passed"} if outcomes is None else outcomes,
        platform={"system": "Linux", "machine": "x86_64"},
        version="0.2.0",
        hidden=hidden or {},
    )


def result_of(statements):
    told = [one["predicate"]["result"] for one in statements if one["predicateType"] == TEST_RESULT]
    return told[0] if told else None


def test_the_published_example_is_valid():
    assert list_schema_faults(PUBLISHED) == []


@pytest.mark.parametrize(
    ("verdict", "outcomes", "wanted"),
    [
        (make_verdict(), None, "PASSED"),
        (make_verdict(findings=[finding("expectation-changed")]), None, "WARNED"),
        (make_verdict(findings=[finding("failing-before")]), None, "WARNED"),
        (make_verdict(findings=[finding("failing-before")], result="red"),
         {"test_x": "passed", "test_z": "failed"}, "WARNED"),
        (make_verdict("FAIL", "red"), {"test_x": "failed"}, "FAILED"),
        (make_verdict("UNVERIFIED"), None, None),
        # It says PASS and contradicts itself.
        (make_verdict(findings=[finding("test-removed", "strong")]), None, None),
        (make_verdict(result="red"), None, None),
        ({**make_verdict(), "schema": "x"}, None, None),
    ],
)  # fmt: skip
def test_every_verdict_becomes_valid_statements_and_only_a_pass_is_passed(verdict, outcomes, wanted):
    statements = make(verdict, outcomes)
    assert [list_schema_faults(one) for one in statements] == [[]] * len(statements)
    assert all(one["_type"] == STATEMENT for one in statements)
    assert statements[0]["predicateType"] == VERDICT
    assert result_of(statements) == wanted
    passed = statements[0]["predicate"]["verdict"] == "PASS"
    assert passed == (wanted in ("PASSED", "WARNED"))
    assert set(RESULTS) == {"PASSED", "WARNED", "FAILED"}


def test_a_test_that_failed_before_is_a_warning_and_not_a_failure():
    statements = make(
        make_verdict(findings=[finding("failing-before")], result="red"), {"test_x": "passed", "test_z": "failed"}
    )
    told = statements[1]["predicate"]
    assert (told["passedTests"], told["warnedTests"]) == (["test_x"], ["test_z"])
    assert "failedTests" not in told


def test_texts_of_the_machine_are_replaced_wherever_they_stand():
    verdict = make_verdict(findings=[finding("expectation-changed", what="/home/a/app/x.py: 1")])
    statements = make(verdict, {"/home/a/app/t.py::x": "passed"}, {"/home/a/app": ".", "/home/a": "~"})
    assert "/home/a" not in str(statements)
    assert statements[1]["predicate"]["passedTests"] == ["./t.py::x"]


def test_a_suite_of_many_tests_leaves_their_names_out():
    outcomes = {f"test_{number}": "passed" for number in range(3000)}
    assert "passedTests" not in make(make_verdict(), outcomes)[1]["predicate"]


def put(document, path, value):
    found = deepcopy(document)
    *above, last = path
    inner = found
    for step in above:
        inner = inner[step]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return found


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["_type"], "https://in-toto.io/Statement/v0.1"),
        (["_type"], ...),
        (["subject"], []),
        (["subject"], {}),
        (["subject"], ...),
        (["subject", 0], {"name": "x"}),
        (["subject", 0, "digest"], {}),
        (["subject", 0, "digest", "gitCommit"], "D20ACE"),
        (["subject", 0, "digest", "gitCommit"], 7),
        (["predicateType"], ...),
        (["predicateType"], "urn:x"),
        (["predicate"], ...),
        (["predicate"], []),
        (["predicate", "result"], "UNVERIFIED"),
        (["predicate", "result"], ...),
        (["predicate", "configuration"], ...),
        (["predicate", "configuration"], {}),
        (["predicate", "configuration", 0], {"name": "x"}),
        (["predicate", "configuration", 0, "name"], 7),
        (["predicate", "configuration", 0, "annotations"], "x"),
        (["predicate", "url"], 7),
        (["predicate", "passedTests"], "x"),
        (["predicate", "failedTests"], [7]),
        (["predicate", "warnedTests"], None),
    ],
)
def test_whatever_the_specification_forbids_is_a_fault(path, value):
    assert list_schema_faults(put(PUBLISHED, path, value))


@pytest.mark.parametrize("path", [["extension"], ["predicate", "extension"], ["subject", 0, "mediaType"]])
def test_fields_that_it_does_not_name_are_allowed(path):
    assert list_schema_faults(put(PUBLISHED, path, "x")) == []

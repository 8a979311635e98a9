"""A verdict as in-toto Statements, version 1: one that other tools understand (`test-result/v0.1`) and our own.

The subject is a git tree, not a commit: the proof survives squash, rebase and amend. A statement holds no path, name
or value of a machine. UNVERIFIED does not exist in `test-result`, so then there is only our own statement."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.verdict.gate_run import FAILED, FLAKY, PASSED
from ..core.verdict.summary import EXPECTATION_RULES
from ..core.verdict.verdict import ALL_VERDICTS, FAIL, NOTE, PASS, UNVERIFIED, read_value

Document = dict[str, Any]

STATEMENT = "https://in-toto.io/Statement/v1"
TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"
VERDICT = "urn:ultrawork:verdict:v1"
RESULTS = ("PASSED", "WARNED", "FAILED")
# More names would make the note too large to fetch; the field is optional.
MOST_NAMES = 2_000
_LONGEST = 300
_HEX = frozenset("0123456789abcdef")
_KNOWN_DIGESTS = {"gitTree": (40, 64), "gitCommit": (40, 64), "gitBlob": (40, 64), "sha256": (64,)}


def make_statements(
    verdict: Document,
    checks: Sequence[Document],
    outcomes: Mapping[str, str],
    *,
    platform: Mapping[str, str],
    version: str,
    hidden: Mapping[str, str],
) -> list[Document]:
    """Return the statements of a stored verdict. `checks` are its checks with definitions and receipts, `outcomes` the
    result of each test by name; `hidden` are texts of this machine, each with its replacement."""
    value = read_value(verdict)
    own = _make_verdict(verdict, value, checks, platform=platform, version=version)
    predicates = [(VERDICT, own)]
    if value != UNVERIFIED:
        predicates.append((TEST_RESULT, _make_test_result(own, checks, outcomes)))
    subject = [{"digest": {"gitTree": verdict["tree"]}}]
    return [
        {"_type": STATEMENT, "subject": subject, "predicateType": kind, "predicate": _hide(predicate, hidden)}
        for kind, predicate in predicates
    ]


def _make_verdict(
    verdict: Document, value: str, checks: Sequence[Document], *, platform: Mapping[str, str], version: str
) -> Document:
    findings = verdict["findings"]
    changed = [finding for finding in findings if finding["rule"] in EXPECTATION_RULES]
    return {
        "verdict": value,
        "strength": verdict.get("strength") if value == PASS else None,
        "mode": verdict.get("mode") or "",
        "decided": verdict["decided"],
        "base": {"gitTree": verdict["base"]},
        "noticedBy": list(verdict["noticed_by"] or ()),
        "expectationsChanged": [{"what": finding["what"][:_LONGEST], "where": finding["where"]} for finding in changed],
        "failingBefore": [finding["what"][:_LONGEST] for finding in findings if finding["rule"] == "failing-before"],
        "open": [finding["what"][:_LONGEST] for finding in findings if finding["level"] != NOTE],
        "notChecked": [text[:_LONGEST] for text in verdict["not_checked"]],
        "accepted": [text[:_LONGEST] for text in verdict["accepted"]],
        "checks": list(checks),
        "platform": dict(platform),
        "program": {"name": "ultrawork", "version": version},
    }


def _make_test_result(own: Document, checks: Sequence[Document], outcomes: Mapping[str, str]) -> Document:
    passed = sorted(name for name, outcome in outcomes.items() if outcome == PASSED)
    failed = sorted(name for name, outcome in outcomes.items() if outcome == FAILED)
    failing_before = own["verdict"] == PASS and bool(failed)
    doubts = own["expectationsChanged"] or own["failingBefore"] or failing_before
    flaky = any(check["result"] == FLAKY for check in checks)
    result = "FAILED" if own["verdict"] == FAIL else "WARNED" if doubts or flaky else "PASSED"
    predicate: Document = {
        "result": result,
        "configuration": [
            {"name": check["name"], "digest": check["definition"], "annotations": {"command": check["command"]}}
            for check in checks
        ],
    }
    if len(passed) <= MOST_NAMES:
        predicate["passedTests"] = passed
    # Tests that fail under a PASS failed before the change: they are a warning, not its failure.
    predicate["warnedTests" if failing_before else "failedTests"] = failed[:MOST_NAMES]
    return predicate


def _hide(value: Any, hidden: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for text, instead in hidden.items():
            value = value.replace(text, instead)
        return value
    if isinstance(value, dict):
        return {key: _hide(part, hidden) for key, part in value.items()}
    return [_hide(part, hidden) for part in value] if isinstance(value, list) else value


# --- the published schema --------------------------------------------------------------------------


def list_schema_faults(statement: object) -> list[str]:
    """Return what keeps a document from being an in-toto Statement v1 with a known predicate. Unspecified fields are
    allowed, as its parsing rules say."""
    if not isinstance(statement, dict):
        return ["it is not a JSON object"]
    kind, predicate = statement.get("predicateType"), statement.get("predicate")
    faults = [] if statement.get("_type") == STATEMENT else ["_type is not in-toto Statement v1"]
    faults += _list_subject_faults(statement.get("subject"))
    if not isinstance(predicate, dict):
        return [*faults, "predicate is not an object"]
    if kind == TEST_RESULT:
        return faults + _list_result_faults(predicate)
    if kind == VERDICT:
        return faults + _list_verdict_faults(predicate)
    return [*faults, "predicateType is not one that we know"]


def _list_subject_faults(subject: object) -> list[str]:
    if not isinstance(subject, list) or not subject:
        return ["subject is not a list of resources"]
    return [
        f"subject {at} has no valid digest"
        for at, resource in enumerate(subject)
        if not isinstance(resource, dict) or not _is_digest_set(resource.get("digest"))
    ]


def _is_digest_set(value: object) -> bool:
    if not isinstance(value, dict) or not value:
        return False
    return all(_is_digest(name, text) for name, text in value.items())


def _is_digest(name: object, value: object) -> bool:
    if not isinstance(value, str) or not value:
        return False
    lengths = _KNOWN_DIGESTS.get(str(name))
    return lengths is None or (len(value) in lengths and _HEX.issuperset(value))


def _is_descriptor(value: object) -> bool:
    """A ResourceDescriptor has at least one of `uri`, `digest` and `content`."""
    if not isinstance(value, dict) or not {"uri", "digest", "content"} & value.keys():
        return False
    texts = ("name", "uri", "content", "downloadLocation", "mediaType")
    if not all(isinstance(value.get(key, ""), str) for key in texts):
        return False
    return isinstance(value.get("annotations", {}), dict) and ("digest" not in value or _is_digest_set(value["digest"]))


def _list_result_faults(predicate: Document) -> list[str]:
    configuration = predicate.get("configuration")
    conditions = {
        "result is not PASSED, WARNED or FAILED": predicate.get("result") in RESULTS,
        "configuration is not a list of resources": isinstance(configuration, list)
        and all(map(_is_descriptor, configuration)),
        "url is not a text": isinstance(predicate.get("url", ""), str),
    }
    for key in ("passedTests", "warnedTests", "failedTests"):
        conditions[f"{key} is not a list of texts"] = _is_texts(predicate.get(key, []))
    return _list_wrong(conditions)


def _list_verdict_faults(predicate: Document) -> list[str]:
    from ..core.times import parse_iso

    texts = ("noticedBy", "failingBefore", "open", "notChecked", "accepted")
    decided, checks = predicate.get("decided"), predicate.get("checks")
    conditions = {
        "verdict is not one that we know": predicate.get("verdict") in ALL_VERDICTS,
        "strength is not a text": isinstance(predicate.get("strength") or "", str),
        "mode is not a text": isinstance(predicate.get("mode"), str),
        "decided is not a time": isinstance(decided, str) and parse_iso(decided) is not None,
        "base has no digest": _is_digest_set(predicate.get("base")),
        "platform is not a table of texts": _is_text_table(predicate.get("platform")),
        "program is not a table of texts": _is_text_table(predicate.get("program")),
        "expectationsChanged is not a list": isinstance(predicate.get("expectationsChanged"), list)
        and all(map(_is_text_table, predicate["expectationsChanged"])),
        "checks is not a list of checks": isinstance(checks, list)
        and all(map(_is_check, checks))
        and len({check["name"] for check in checks}) == len(checks),
    }
    for key in texts:
        conditions[f"{key} is not a list of texts"] = _is_texts(predicate.get(key))
    return _list_wrong(conditions)


def _is_check(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    texts = all(isinstance(value.get(key), str) for key in ("name", "kind", "command", "result"))
    digests = all(_is_digest_set(value.get(key)) for key in ("definition", "inputs"))
    receipt = value.get("receipt")
    return (
        texts
        and digests
        and isinstance(value.get("required"), bool)
        and _is_text_table(value.get("tools"))
        and (receipt is None or _is_digest_set(receipt))
    )


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _is_text_table(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


def _list_wrong(conditions: Mapping[str, bool]) -> list[str]:
    return [fault for fault, holds in conditions.items() if not holds]


def find_tree(statement: Document) -> str:
    """The one tree that a valid statement is about; empty where it names none, or several things."""
    subject: Iterable[Document] = statement["subject"]
    trees = [resource["digest"].get("gitTree", "") for resource in subject]
    return trees[0] if len(trees) == 1 else ""

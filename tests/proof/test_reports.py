"""SARIF and JUnit XML of a verdict, and a check's own JUnit file that counts."""

import json

import pytest

from support.team import Team
from ultrawork.gates.results.junit import parse
from ultrawork.proof.reports import make_junit, make_sarif

VERDICT = {
    "verdict": "UNVERIFIED", "strength": None, "tree": "a" * 40,
    "findings": [
        {"rule": "test-removed", "level": "strong", "what": "test_x is gone", "clears": "put it back",
         "where": "tests/test_x.py:12", "gate": "test", "receipt": 1},
        {"rule": "worth-a-look", "level": "note", "what": "a TODO", "clears": "nothing to do",
         "where": "", "gate": None, "receipt": None},
        {"rule": "test-removed", "level": "weak", "what": "test_y is gone", "clears": "put it back",
         "where": "tests/test_y.py", "gate": "test", "receipt": 1},
    ],
}  # fmt: skip


def test_sarif_has_each_rule_once_and_each_finding_at_its_place():
    sarif = make_sarif(VERDICT, "0.2.0")
    assert (sarif["version"], len(sarif["runs"])) == ("2.1.0", 1)
    run = sarif["runs"][0]
    rules = [one["id"] for one in run["tool"]["driver"]["rules"]]
    assert rules == ["test-removed", "worth-a-look"]
    assert [one["level"] for one in run["results"]] == ["error", "note", "warning"]
    assert [rules[one["ruleIndex"]] for one in run["results"]] == [one["ruleId"] for one in run["results"]]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "tests/test_x.py"
    assert place["region"] == {"startLine": 12}
    assert "locations" not in run["results"][1]
    assert all(one["message"]["text"] for one in run["results"])


def receipt(name, result):
    return {"gate": {"name": name, "command": f"make {name}"}, "run": {"seconds": 1.5}, "result": result}


def test_junit_is_read_back_with_the_same_outcomes():
    outcomes = {"a::x": "passed", 'b "quoted" <&>': "failed", "c": "skipped"}
    report = {"outcomes": outcomes, "messages": {'b "quoted" <&>': "1 != 2\nmore \x1b[31m"}}
    text = make_junit([(receipt("test", "red"), report), (receipt("lint", "green"), {})])
    found = parse(text)
    assert found is not None
    assert sorted(found.outcomes.values()) == ["failed", "passed", "passed", "skipped"]
    assert any(name.endswith("make lint") for name in found.outcomes)


@pytest.fixture
def writes_junit(tmp_path):
    """A project whose check prints nothing of its tests and writes the usual report file."""
    report = (
        '<testsuite name="s" tests="2"><testcase classname="app" name="one"/>'
        '<testcase classname="app" name="two">%s</testcase></testsuite>'
    )
    files = {
        "ultrawork.toml": '[gates]\ntest = "sh check.sh"\n',
        "check.sh": (
            f"mkdir -p build/test-results\ncat >build/test-results/TEST-app.xml <<'END'\n{report % ''}\nEND\n"
        ),
        ".gitignore": "build\n",
        "app.txt": "right\n",
    }
    return Team(str(tmp_path), files).alice


@pytest.mark.slow
def test_a_checks_own_report_file_counts_if_this_run_wrote_it(writes_junit):
    alice = writes_junit
    alice.commit("Change", {"app.txt": "right indeed\n"})
    told = alice.ultrawork("verify", "--quick", "--base", "origin/main", "--json")
    number = told.data["gates"]["test"]["receipt"]
    tests = alice.ultrawork("evidence", "show", str(number), "--json").data["tests"]
    assert (tests["ran"], tests["failed"]) == (2, [])
    path = f"{alice.root}/out.xml"
    alice.ultrawork("evidence", "show", "--junit", path, "--sarif", f"{alice.root}/out.sarif")
    with open(path, encoding="utf-8") as file:
        assert len(parse(file.read()).outcomes) == 2
    with open(f"{alice.root}/out.sarif", encoding="utf-8") as file:
        assert json.load(file)["version"] == "2.1.0"
    # An old file that the run did not write says nothing.
    alice.commit("Silent", {"check.sh": "exit 0\n"})
    told = alice.ultrawork("verify", "--quick", "--base", "HEAD", "--json")
    number = told.data["gates"]["test"]["receipt"]
    assert alice.ultrawork("evidence", "show", str(number), "--json").data["tests"] is None

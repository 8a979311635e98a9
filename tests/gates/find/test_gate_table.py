"""The [gates] table: what a person may write, and what is said about a slip."""

import pytest

from ultrawork.core.errors import UsageError
from ultrawork.core.verdict.gate import BUILD, FUNCTIONALITY, LINT, TEST, TYPES
from ultrawork.gates.find.gate_table import guess_kind, parse_table


def only(value, name="e2e"):
    return parse_table({name: value}).gates[0]


def test_a_string_runs_through_the_shell():
    gate = only("make test | tee log", "test")
    assert gate.argv == ("sh", "-c", "make test | tee log")
    assert (gate.command, gate.kind, gate.source) == ("make test | tee log", TEST, "ultrawork.toml")


def test_a_list_runs_as_it_is():
    gate = only(["npm", "run", "my test"])
    assert gate.argv == ("npm", "run", "my test")
    assert gate.command == "npm run 'my test'"


def test_a_table_may_say_everything():
    gate = only(
        {
            "run": "npm run e2e",
            "in": "./web/",
            "when": ["web/**"],
            "needs": ["tcp:localhost:5432", "docker", "env:API_KEY"],
            "env": {"NODE_ENV": "test", "RETRIES": 2},
            "timeout": "20m",
            "required": False,
        }
    )
    assert (gate.where, gate.timeout, gate.required) == ("web", 1200.0, False)
    assert gate.needs == ("tcp:localhost:5432", "docker", "env:API_KEY")
    assert (gate.when, gate.env) == (("web/**",), {"NODE_ENV": "test", "RETRIES": "2"})


def test_what_is_not_said_has_plain_defaults():
    gate = only({"run": "x"})
    assert (gate.where, gate.timeout, gate.required, gate.env, gate.when) == (".", None, True, {}, ())


def test_false_switches_a_name_off():
    found = parse_table({"types": False, "test": "make test"})
    assert found.off == {"types"}
    assert found.names() == {"types", "test"}


def test_no_table_is_nothing_written():
    assert parse_table(None).names() == set()


def test_the_origin_is_named():
    gate = parse_table({"test": "x"}, "pyproject.toml").gates[0]
    assert (gate.source, gate.files, gate.reason) == (
        "pyproject.toml",
        ("pyproject.toml",),
        "written in pyproject.toml",
    )


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("test", TEST),
        ("tests", TEST),
        ("test-slow", TEST),
        ("web/test", TEST),
        ("lint", LINT),
        ("lint:css", LINT),
        ("types", TYPES),
        ("typecheck", TYPES),
        ("build", BUILD),
        ("e2e", FUNCTIONALITY),
        ("contest", FUNCTIONALITY),
    ],
)
def test_the_name_tells_what_a_gate_checks(name, kind):
    assert guess_kind(name) == kind


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"run": "x", "tiemout": 3}, 'gate e2e in ultrawork.toml has no key "tiemout"; did you mean timeout?'),
        (
            {"run": "x", "qqq": 3},
            'gate e2e in ultrawork.toml has no key "qqq"; known: run, in, when, needs, env, timeout, required',
        ),
        ({"in": "web"}, 'run of gate e2e in ultrawork.toml is "None"; write run = "make test", or false for never'),
        ({"run": []}, 'run of gate e2e in ultrawork.toml is "[]"; write run = "make test", or false for never'),
        (True, 'run of gate e2e in ultrawork.toml is "True"; write run = "make test", or false for never'),
        (["a", 1], 'run of gate e2e in ultrawork.toml is "[\'a\', 1]"; write run = ["…", "…"]'),
        ("  ", "the command of gate e2e is empty; add a few words"),
        (
            {"run": "x", "in": "../y"},
            'in of gate e2e in ultrawork.toml is "../y"; write a folder of this project, such as in = "web"',
        ),
        (
            {"run": "x", "in": "/y"},
            'in of gate e2e in ultrawork.toml is "/y"; write a folder of this project, such as in = "web"',
        ),
        (
            {"run": "x", "in": 3},
            'in of gate e2e in ultrawork.toml is "3"; write a folder of this project, such as in = "web"',
        ),
        ({"run": "x", "needs": [1]}, 'needs of gate e2e in ultrawork.toml is "[1]"; write needs = ["…", "…"]'),
        ({"run": "x", "env": ["A"]}, 'env of gate e2e in ultrawork.toml is "[\'A\']"; write env = { NAME = "value" }'),
        (
            {"run": "x", "env": {"A=B": "1"}},
            "env of gate e2e in ultrawork.toml is \"{'A=B': '1'}\"; write env = { NAME = \"value\" }",
        ),
        ({"run": "x", "timeout": "soon"}, '"soon" is not a timeout of gate e2e: write it as 90s, 2m or 1h'),
        ({"run": "x", "required": "no"}, 'required of gate e2e in ultrawork.toml is "no"; write true or false'),
    ],
)
def test_a_slip_is_answered_with_what_to_write(value, message):
    with pytest.raises(UsageError) as caught:
        parse_table({"e2e": value})
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["", "a b", "x" * 65, "a\nb", "ä"])
def test_a_name_that_cannot_be_shown_is_refused(name):
    with pytest.raises(UsageError, match="is not a valid name for a check"):
        parse_table({name: "x"})


def test_gates_that_are_no_table_are_refused():
    with pytest.raises(UsageError, match=r"gates in ultrawork.toml is not a table"):
        parse_table(["make test"])

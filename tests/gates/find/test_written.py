"""Gates that a person wrote: they replace what would be found under their name."""

MAKE = {"Makefile": "test:\n\tpytest\nlint:\n\truff check .\ntypecheck:\n\tmypy .\n"}
MONOREPO = {**MAKE, "web/package.json": '{"scripts": {"test": "jest", "lint": "eslint ."}}'}


def test_a_written_gate_replaces_the_found_one_of_its_name(project):
    lines = project(MAKE).lines({"test": "make -s unit"})
    assert lines == [
        "test: make -s unit | ultrawork.toml | ",
        "lint: make lint | Makefile:3 | ",
        "types: make typecheck | Makefile:5 | ",
    ]


def test_false_switches_a_gate_off(project):
    assert [gate.name for gate in project(MAKE).gates({"lint": False})] == ["test", "types"]


def test_a_written_name_stands_for_every_folder(project):
    gates = project(MONOREPO).gates({"test": "make test", "lint": False}, ["web/a.js"])
    assert [gate.name for gate in gates] == ["test"]


def test_a_name_with_a_folder_stands_for_that_folder(project):
    gates = project(MONOREPO).gates({"web/lint": False}, ["web/a.js", "b.py"])
    assert [gate.name for gate in gates] == ["web/test", "test", "lint", "types"]


def test_a_written_gate_is_followed_to_its_runner_and_definition(project):
    here = project(MAKE)
    gate = here.gates({"test": "make test"})[0]
    assert (gate.runner, gate.files) == ("pytest", ("ultrawork.toml", "Makefile"))
    assert gate.definition == "make test\ntest: pytest"


def test_a_written_gate_is_followed_in_its_folder(project):
    assert project(MONOREPO).gates({"e2e": {"run": "npm test", "in": "web"}})[0].runner == "jest"


def test_when_keeps_a_gate_for_certain_paths(project):
    config = {"e2e": {"run": "x", "when": ["web/**"]}, "test": False, "lint": False, "types": False}
    here = project(MAKE)
    assert [gate.name for gate in here.gates(config, ["web/src/a.ts"])] == ["e2e"]
    assert here.gates(config, ["api/a.py"]) == []
    assert [gate.name for gate in here.gates(config)] == ["e2e"]

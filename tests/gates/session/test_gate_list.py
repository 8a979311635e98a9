"""The list of gates that people see, and allow from."""

from ultrawork.gates.session import preparation

WORKFLOW = """\
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - run: make test
      - run: black --check .
      - run: mypy --python-version ${{ inputs.version }} .
"""


def read(stage):
    return preparation.read(stage.store(), stage.environ, stage.place)


def test_each_gate_says_whether_ci_runs_it_and_what_ci_also_runs_is_offered(stage_of, shop):
    makefile = shop["Makefile"] + "lint:\n\tflake8\n"
    found = read(stage_of({**shop, "Makefile": makefile, ".github/workflows/ci.yml": WORKFLOW}))
    assert found.text().splitlines()[:9] == [
        "test     make test",
        "         Makefile:1: target test in Makefile; CI runs it (.github/workflows/ci.yml:6); never run here yet",
        "lint     make lint",
        "         Makefile:3: target lint in Makefile; not seen in CI; never run here yet",
        "not used: python3 -m unittest (make test already runs it)",
        "",
        "CI also runs these. To make one a check, add its line under [gates] in ultrawork.toml:",
        '  lint-black = "black --check ."  # .github/workflows/ci.yml:7',
        "CI also runs mypy --python-version ${{ inputs.version }} .: needs inputs.version",
    ]
    document = found.document()
    assert [gate["ci"] for gate in document["gates"]] == [".github/workflows/ci.yml:6", None]
    assert document["ci_files"] == [".github/workflows/ci.yml"]
    assert document["ci_also_runs"][0] == {
        "command": "black --check .",
        "source": ".github/workflows/ci.yml:7",
        "line": 'lint-black = "black --check ."',
        "why": "",
    }


def test_nothing_is_said_about_ci_where_there_is_none(stage):
    text = read(stage).text()
    assert "CI" not in text.partition("\n\n")[0]
    assert "CI also runs" not in text


def test_gates_of_folders_below_are_listed_and_can_be_allowed(stage_of, shop):
    found = read(stage_of({**shop, "web/package.json": '{"scripts": {"test": "mocha"}}'}))
    assert "also, for changes in their folders:\n  web/test: npm test" in found.text()
    assert [gate.name for gate in found.gates] == ["test"]
    assert [gate.name for gate in found.list_all()] == ["test", "web/test"]
    assert [one["only_for_changes_in"] for one in found.document()["gates"]] == [None, "web"]


def test_only_an_agent_is_told_how_to_end_its_turn(stage_of, shop):
    stage = stage_of(shop, goal="fix the total")
    outcome = stage.verify()
    assert "end with BLOCKED" in outcome.describe()
    told = outcome.describe(for_agent=False)
    assert "BLOCKED" not in told
    assert "Next: make the change" in told


def test_a_glance_looks_at_a_few_folders_and_says_how_many_more_there_are(stage_of, shop):
    folders = {f"p{n}/package.json": '{"scripts": {"test": "mocha"}}' for n in range(12)}
    stage = stage_of({**shop, **folders})
    glance = read(stage)
    assert "and those of 4 more folders: ultrawork gates --json" in glance.text()
    whole = preparation.read(stage.store(), stage.environ, stage.place, whole=True)
    assert (len(glance.below), len(whole.below), whole.further) == (8, 12, 0)


def test_nothing_is_said_of_the_time_of_a_gate_whose_program_is_not_there(stage_of, shop):
    stage = stage_of({**shop, "ultrawork.toml": '[gates]\ntest = "there-is-no-such-program"\n'})
    stage.verify(quick=True)
    line = read(stage).text().splitlines()[1]
    assert "usually" not in line
    assert "never run" not in line

"""CI files and task definitions as a source: what they run is the truth about which checks there are."""

import json

import pytest

GITHUB = ".github/workflows/ci.yml"
PYPROJECT = "[project]\nname = 'x'\n[tool.pytest.ini_options]\ntestpaths = ['tests']\n"
TOOLS = "[tool.ruff]\nline-length = 100\n[tool.mypy]\nstrict = true\n"


def package(scripts=None, **more):
    return json.dumps({"name": "x", "scripts": scripts or {}, **more}, indent=2)


def workflow(*runs, on="[push, pull_request]", job=""):
    steps = "".join(f"      - run: {run}\n" for run in runs)
    return f"on: {on}\njobs:\n  test:\n    runs-on: ubuntu-latest\n{job}    steps:\n      - uses: actions/checkout@v4\n{steps}"


WHOLE = """\
name: tests
on:
  push:
    branches: [main]
  pull_request:
permissions: {}
env:
  MYPY_TARGET: .
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Install
        run: pip install -e '.[dev]' black
      - run: |
          black --check .
          mypy $MYPY_TARGET --no-color-output
      - uses: pre-commit/action@v3.0.1
  tests:
    runs-on: ${{ matrix.os }}
    strategy:
      matrix:
        os: [ubuntu-latest, windows-latest]
        suite: [unit, doc]
        include:
          - {os: ubuntu-latest, suite: typing}
    services:
      db:
        image: postgres:16
        ports: ["5432:5432"]
    steps:
      - run: pytest tests/${{ matrix.suite }} --cov=x
      - run: ./scripts/check-links.sh
        working-directory: docs
      - run: pytest --token ${{ secrets.TOKEN }}
      - run: twine upload dist/*
        if: startsWith(github.ref, 'refs/tags/')
"""


def test_a_workflow_is_read_whole(project):
    here = project(
        {
            "pyproject.toml": PYPROJECT + TOOLS,
            GITHUB: WHOLE,
            "docs/scripts/check-links.sh": "#!/bin/sh\n",
            "x/__init__.py": "",
            "y/__init__.py": "",
        }
    )
    assert here.lines() == ["test: pytest | pyproject.toml | pytest", "types: mypy . | pyproject.toml | "]
    assert here.gate("types").reason == f"mypy as {GITHUB} runs it"
    assert GITHUB in here.gate("types").files
    assert here.in_ci() == {"test": f"{GITHUB}:33", "types": f"{GITHUB}:17"}
    assert here.offers() == [
        'lint-black = "black --check ."',
        'lint-pre-commit = "pre-commit run --all-files"',
        'check-links = { run = "./scripts/check-links.sh", in = "docs", needs = ["tcp:localhost:5432"] }',
    ]
    assert "ruff check .: is configured, but no script or CI file runs it" in here.left_out()


READERS = [
    ("github, one event", {GITHUB: workflow("typos-check", "make lint", on="push")}, ["make lint"]),
    ("github, a pull request", {GITHUB: workflow("make lint", on="{pull_request: {}}")}, ["make lint"]),
    ("github, tags alone", {GITHUB: workflow("make lint", on="{push: {tags: ['v*']}}")}, []),
    ("github, a clock", {GITHUB: workflow("make lint", on="{schedule: [{cron: '0 0 * * *'}]} # push")}, []),
    ("github, elsewhere", {GITHUB: workflow("make lint").replace("ubuntu", "windows")}, []),
    ("github, another shell", {GITHUB: workflow("make lint\n        shell: pwsh")}, []),
    ("github, forgiven", {GITHUB: workflow("make lint || true")}, []),
    ("github, it mends", {GITHUB: workflow("ruff check --fix .", "black .")}, []),
    (
        "github, values of a matrix",
        {GITHUB: workflow("nox -s ${{ matrix.s }}", job="    strategy: {matrix: {s: [lint, types]}}\n")},
        ["nox -s lint", "nox -s types"],
    ),
    (
        "github, a local action and a reusable workflow",
        {
            GITHUB: "on: push\njobs:\n  a:\n    steps:\n      - uses: ./.github/actions/check\n"
            "  b:\n    uses: ./.github/workflows/called.yml\n",
            ".github/actions/check/action.yml": "runs:\n  using: composite\n  steps:\n    - run: make lint\n      shell: bash\n",
            ".github/workflows/called.yml": "on: workflow_call\njobs:\n  c:\n    steps:\n      - run: make spec\n",
        },
        ["make lint", "make spec"],
    ),
    (
        "github, the folder of a step",
        {GITHUB: workflow("cd web && npm run lint", "npm run check\n        working-directory: web"), "web/x": ""},
        ["web: npm run lint", "web: npm run check"],
    ),
    (
        "gitlab",
        {
            ".gitlab-ci.yml": "stages: [a, b]\nvariables: {WHERE: src}\n.base: &base\n  image: x\n  before_script: [pip install x]\n"
            "lint:\n  <<: *base\n  script:\n    - ruff check $WHERE\n    - make spec\n"
            "test:\n  extends: .base\n  script: pytest\n  rules:\n    - if: $CI_COMMIT_TAG\n      when: never\n    - when: on_success\n"
            "release:\n  script: make check\n  only: [tags]\nby hand:\n  script: make verify\n  when: manual\n"
        },
        ["ruff check src", "make spec", "pytest"],
    ),
    (
        "circle",
        {
            ".circleci/config.yml": "version: 2.1\ncommands:\n  check:\n    steps:\n      - run: make lint\n"
            "jobs:\n  test:\n    docker: [{image: cimg/python:3.12}, {image: redis:7}]\n    steps:\n      - checkout\n      - check\n"
            "      - run:\n          name: Tests\n          command: |\n            make spec\n  nightly:\n    steps: [{run: make verify}]\n"
            "workflows:\n  main:\n    jobs: [test]\n  night:\n    triggers: [{schedule: {cron: '0 0 * * *'}}]\n    jobs: [nightly]\n"
        },
        ["make lint beside tcp:localhost:6379", "make spec beside tcp:localhost:6379"],
    ),
    (
        "azure",
        {
            "azure-pipelines.yml": "trigger: [main]\nstages:\n  - stage: Build\n    jobs:\n      - job: Linux\n        strategy:\n"
            "          matrix:\n            one: {session: lint}\n        steps:\n          - script: make $(session)\n"
            "          - template: ci/steps.yml\n          - pwsh: make verify\n",
            "ci/steps.yml": "steps:\n  - bash: make spec\n    workingDirectory: web\n",
            "web/x": "",
        },
        ["make lint", "web: make spec"],
    ),
    ("what only tells", {GITHUB: workflow("tox run --notest", "pytest --collect-only", "ruff --version")}, []),
    ("a number before an arrow", {GITHUB: workflow("mypy src 2>&1 | tee log")}, ["mypy src"]),
    ("travis", {".travis.yml": "language: python\nscript:\n  - make lint\n  - make spec\n"}, ["make lint", "make spec"]),
    ("travis, what it runs by itself", {".travis.yml": "language: go\n"}, ["go test ./..."]),
]  # fmt: skip


@pytest.mark.parametrize(("files", "commands"), [r[1:] for r in READERS], ids=[r[0] for r in READERS])
def test_what_a_plain_push_runs(project, files, commands):
    from ultrawork.gates.find.ci.truth import read_ci
    from ultrawork.gates.find.folder import ProjectFolder

    found = read_ci(ProjectFolder(project(files).files))
    told = [
        ("" if one.where == "." else f"{one.where}: ")
        + one.text
        + (f" beside {', '.join(one.needs)}" if one.needs else "")
        for one in found
    ]
    assert told == commands


TRUTH = [
    (
        "tsc is installed, and scripts name other checks",
        {
            "package.json": package({"test": "mocha"}, devDependencies={"typescript": "^5"}),
            "tsconfig.json": "{}",
        },
        ["test: npm test | package.json:4 | mocha"],
    ),
    (
        "tsc is run by CI, with a project of its own",
        {
            "package.json": package({"test": "mocha"}, devDependencies={"typescript": "^5"}),
            "tsconfig.json": "{}",
            GITHUB: workflow("npm test", "npx tsc -p tsconfig.ci.json"),
        },
        [
            "test: npm test | package.json:4 | mocha",
            "types: node_modules/.bin/tsc -p tsconfig.ci.json --noEmit | tsconfig.json | ",
        ],
    ),
    (
        "neither script nor CI: what is configured is all there is",
        {"pyproject.toml": PYPROJECT + TOOLS, "x/__init__.py": ""},
        [
            "test: pytest | pyproject.toml | pytest",
            "lint: ruff check . | pyproject.toml | ",
            "types: mypy x | pyproject.toml | ",
        ],
    ),
    (
        "a file of CI that cannot be read takes nothing away",
        {"pyproject.toml": PYPROJECT + TOOLS, GITHUB: "on: push\njobs:\n\ttest: 1\n", "x/__init__.py": ""},
        [
            "test: pytest | pyproject.toml | pytest",
            "lint: ruff check . | pyproject.toml | ",
            "types: mypy x | pyproject.toml | ",
        ],
    ),
    (
        "a hook before commits runs it",
        {
            "pyproject.toml": PYPROJECT + TOOLS,
            GITHUB: workflow("pytest"),
            ".pre-commit-config.yaml": "repos:\n  - repo: https://example.org/ruff\n    rev: v1\n    hooks:\n      - id: ruff\n        args: [--fix]\n",
        },
        ["test: pytest | pyproject.toml | pytest", "lint: ruff check . | pyproject.toml | "],
    ),
    (
        "CI's words, as programs are started here",
        {
            "pyproject.toml": PYPROJECT + TOOLS,
            GITHUB: workflow("ruff check --output-format=github src", "mypy ."),
            ".venv/bin/python": "",
            ".venv/bin/pytest": "",
            ".venv/bin/ruff": "",
            ".venv/bin/mypy": "",
        },
        [
            "test: .venv/bin/pytest | pyproject.toml | pytest",
            "lint: .venv/bin/ruff check src | pyproject.toml | ",
            "types: .venv/bin/mypy . | pyproject.toml | ",
        ],
    ),
    (
        "CI's words in a script of the project",
        {
            "pyproject.toml": PYPROJECT + TOOLS,
            GITHUB: workflow("scripts/check"),
            "scripts/check": '#!/bin/sh -e\nexport PREFIX=""\nif [ -d venv ]; then PREFIX="venv/bin/"; fi\n'
            'export FILES="x tests"\n${PREFIX}ruff check $FILES\n${PREFIX}mypy $FILES\n',
        },
        [
            "test: pytest | pyproject.toml | pytest",
            "lint: ruff check x tests | pyproject.toml | ",
            "types: mypy x tests | pyproject.toml | ",
        ],
    ),
    (
        "classic tests that CI gives to pytest",
        {
            "setup.py": "",
            "tests/__init__.py": "",
            "tests/test_x.py": "import unittest\n",
            GITHUB: workflow("pytest"),
        },
        ["test: pytest | tests/test_x.py | pytest"],
    ),
    (
        "tests that only CI knows",
        {"run-tests.sh": "#!/bin/sh\n", GITHUB: workflow("./run-tests.sh --all")},
        [f"test: ./run-tests.sh --all | {GITHUB}:7 | "],
    ),
    (
        "tests that CI runs beside a service are no gate by themselves",
        {"ci/run-tests.sh": "", GITHUB: workflow("./ci/run-tests.sh", job="    services: {db: {image: 'redis:7'}}\n")},
        [],
    ),
    ("tests with a secret", {"ci/run-tests.sh": "", GITHUB: workflow("./ci/run-tests.sh ${{ secrets.KEY }}")}, []),
    ("tests that CI builds first", {GITHUB: workflow("cmake --build build", "./build/run-tests")}, []),
    ("tests that reach further", {"e2e-tests.sh": "", GITHUB: workflow("./e2e-tests.sh")}, []),
    (
        "files that are tests by their name alone, beside a way of CI that cannot be gone here yet",
        {"Makefile.am": "", "tests/a_test.sh": "#!/bin/sh\n", GITHUB: workflow("./configure", "make check")},
        [],
    ),
    ("make before ./configure", {"Makefile.am": "", GITHUB: workflow("./configure", "make test")}, []),
]  # fmt: skip


@pytest.mark.parametrize(("files", "gates"), [row[1:] for row in TRUTH], ids=[r[0] for r in TRUTH])
def test_what_is_a_gate(project, files, gates):
    assert project(files).lines() == gates


POE = "[tool.poe.tasks]\nlint = 'ruff check src'\ntypes.cmd = 'mypy src'\nall = ['lint', 'types']\n"
HATCH = "[tool.hatch.envs.lint.scripts]\nstyle = 'ruff check {args:src}'\nall = ['style', 'black --check src']\n"
PDM = "[tool.pdm.scripts]\nlint = {composite = ['style']}\nstyle = {cmd = ['ruff', 'check', 'src']}\n"
TASKFILE = "version: '3'\ntasks:\n  lint:\n    deps: [style]\n    cmds:\n      - task: types\n  style: ruff check src\n  types:\n    cmds: [mypy src]\n"
THROUGH = [
    ("poe", {"pyproject.toml": POE}, "uv run poe all", {"ruff", "mypy"}),
    ("hatch", {"pyproject.toml": HATCH}, "hatch run lint:all", {"ruff", "black"}),
    ("pdm", {"pyproject.toml": PDM}, "pdm run lint", {"ruff"}),
    ("task", {"Taskfile.yml": TASKFILE}, "task lint", {"ruff", "mypy"}),
    ("lefthook", {"lefthook.yml": "pre-commit:\n  commands:\n    l: {run: eslint .}\n"}, "lefthook run pre-commit", {"eslint"}),
    ("just", {"justfile": "lint:\n    ruff check src\n"}, "just lint", {"ruff"}),
    ("tox", {"tox.ini": "[testenv:lint]\ncommands = ruff check src\n[testenv:types]\ncommands = mypy src\n"}, "tox run -e lint,types", {"ruff", "mypy"}),
    ("nox", {"noxfile.py": "import nox\n@nox.session\ndef lint(session):\n    session.run('ruff', 'check', 'src')\n"}, "nox -s lint", {"ruff"}),
]  # fmt: skip


@pytest.mark.parametrize(("files", "command", "tools"), [r[1:] for r in THROUGH], ids=[r[0] for r in THROUGH])
def test_task_runners_are_seen_through(project, files, command, tools):
    from ultrawork.gates.find.ci.truth import read_ci
    from ultrawork.gates.find.folder import ProjectFolder

    files = {**files, GITHUB: workflow(command)}
    (found,) = read_ci(ProjectFolder(project(files).files))
    assert found.tools_at(".") == tools


def test_hooks_that_ci_runs_stand_for_their_tools(project):
    here = project(
        {
            "pyproject.toml": PYPROJECT + TOOLS,
            GITHUB: workflow("pre-commit run --all-files"),
            ".pre-commit-config.yaml": "repos:\n- hooks:\n  - id: ruff-check\n",
        }
    )
    assert here.in_ci() == {"lint": f"{GITHUB}:7"}


def test_what_only_ci_can_give_is_told_without_a_line(project):
    here = project(
        {"Makefile": "test:\n\tpytest\n", GITHUB: workflow("make test", "mypy --python-version ${{ inputs.v }}")}
    )
    assert here.offers() == ["mypy --python-version ${{ inputs.v }}: needs inputs.v"]


def test_a_gate_that_is_not_seen_in_ci_has_no_place_there(project):
    here = project({"Makefile": "test:\n\tpytest\nlint:\n\truff check .\n", GITHUB: workflow("make test")})
    assert here.in_ci() == {"test": f"{GITHUB}:7"}


def test_offered_lines_are_toml_and_become_gates(project):
    import tomllib

    here = project(
        {"Makefile": "test:\n\tpytest\n", GITHUB: workflow("make test", "shellcheck bin/*.sh", "black --check 'a b'")}
    )
    lines = here.offers()
    config = tomllib.loads("\n".join(lines))
    assert {gate.name: gate.command for gate in here.gates(config)} == {
        "lint-shellcheck": "shellcheck bin/*.sh",
        "lint-black": "black --check 'a b'",
        "test": "make test",
    }
    assert here.survey(config).ci.offers == []


def test_a_bare_list_of_requirements_in_a_folder_of_tests_is_no_project(project):
    test = "def test_a():\n    assert True\n"
    here = project({"pyproject.toml": PYPROJECT, "tests/requirements.txt": "pytest\n", "tests/test_a.py": test})
    assert here.lines(changed=["tests/test_a.py"]) == ["test: pytest | pyproject.toml | pytest"]


def test_a_list_of_requirements_elsewhere_still_is_one(project):
    test = "def test_a():\n    assert True\n"
    here = project({"pyproject.toml": PYPROJECT, "web/requirements.txt": "pytest\n", "web/test_a.py": test})
    assert [gate.name for gate in here.gates(changed=["web/a.py"])] == ["web/test"]


def test_every_gate_that_a_change_may_bring_is_in_the_list(project):
    here = project(
        {
            "Makefile": "test:\n\tpytest\n",
            "web/package.json": package({"test": "mocha"}),
            "libs/deep/api/go.mod": "module x\n",
        }
    )
    survey = here.survey()
    listed = {gate.name for gate in [*survey.gates, *survey.below]}
    brought = {gate.name for path in ("a.py", "web/a.js", "libs/deep/api/a.go") for gate in here.gates(changed=[path])}
    assert brought == listed == {"test", "web/test", "libs/deep/api/test"}
    assert [gate.name for gate in survey.gates] == ["test"]

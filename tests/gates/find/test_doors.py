"""make and just: one door for tests, linters that it plainly runs are not listed again."""

import pytest

PYTEST = "[tool.pytest.ini_options]\naddopts = '-q'\n"
RUFF = "[tool.ruff]\nline-length = 100\n"

# Name of the row, files, gates, things left out.
ROWS = [
    ("a target test is the gate", {"Makefile": "test:\n\tpytest -q\n"}, ["test: make test | Makefile:1 | pytest"], []),
    (
        "check is preferred where it runs the tests",
        {"Makefile": "check: lint test\nlint:\n\truff check .\ntest:\n\tpytest\n"},
        ["test: make check | Makefile:1 | pytest"],
        ["make test: make check already runs it", "make lint: make check already runs it"],
    ),
    (
        "check that only lints is the linter",
        {"Makefile": "test:\n\tgo test ./...\n\ncheck:\n\tgolangci-lint run\n"},
        ["test: make test | Makefile:1 | go", "lint: make check | Makefile:4 | "],
        [],
    ),
    (
        "check that only looks at types is that gate",
        {"Makefile": "check:\n\tmypy .\n"},
        ["types: make check | Makefile:1 | "],
        [],
    ),
    (
        "check of form and types is one gate",
        {"Makefile": "check:\n\truff check .\n\tmypy .\n"},
        ["lint: make check | Makefile:1 | "],
        [],
    ),
    (
        "an unknown check gives way to test",
        {"Makefile": "check:\n\t./ci.sh\ntest:\n\t./run.sh\n"},
        ["test: make test | Makefile:3 | "],
        [],
    ),
    (
        "an unknown check alone is the tests",
        {"Makefile": "all:\n\tcc x.c\ncheck: all\n\t./run.sh\n"},
        ["test: make check | Makefile:3 | "],
        [],
    ),
    (
        "GNUmakefile goes before Makefile",
        {"GNUmakefile": "test:\n\tjest\n", "Makefile": "test:\n\tmocha\n"},
        ["test: make test | GNUmakefile:1 | jest"],
        [],
    ),
    (
        "variables are put in",
        {"Makefile": "PY ?= python3\nRUN := $(PY) -m\ntest: ; $(RUN) unittest\n"},
        ["test: make test | Makefile:3 | unittest"],
        [],
    ),
    (
        "a call of make is followed",
        {"Makefile": "test:\n\t$(MAKE) unit\nunit:\n\tcargo test --all\n"},
        ["test: make test | Makefile:1 | cargo"],
        [],
    ),
    (
        "another folder's make is followed",
        {"Makefile": "test:\n\tmake -C web test\n", "web/Makefile": "test:\n\tvitest run\n"},
        ["test: make test | Makefile:1 | vitest"],
        [],
    ),
    (
        "make to npm to the runner",
        {
            "Makefile": ".PHONY: test\ntest: ## all tests\n\t@npm test\n",
            "package.json": '{"scripts": {"test": "npm run unit", "unit": "c8 mocha -r ts-node"}}',
        },
        ["test: make test | Makefile:2 | mocha"],
        ["npm test: make test already runs it"],
    ),
    (
        "cd is followed",
        {"Makefile": "test:\n\tcd web && yarn test\n", "web/package.json": '{"scripts": {"test": "jest"}}'},
        ["test: make test | Makefile:1 | jest"],
        [],
    ),
    (
        "several runners are no one runner",
        {"Makefile": "test:\n\tpytest\n\tnpx jest\n"},
        ["test: make test | Makefile:1 | "],
        [],
    ),
    (
        "a linter of its own stays where the tests do not run it",
        {"Makefile": "test:\n\tpytest\nlint:\n\tflake8 src\n", "pyproject.toml": RUFF},
        ["test: make test | Makefile:1 | pytest", "lint: make lint | Makefile:3 | "],
        ["ruff check .: make lint is used instead"],
    ),
    (
        "types that lint runs are not listed again",
        {"Makefile": "lint:\n\truff check .\n\tmypy .\n", "pyproject.toml": RUFF + "[tool.mypy]\n"},
        ["lint: make lint | Makefile:1 | "],
        ["mypy .: make lint already runs it"],
    ),
    (
        "a linter whose failure is forgiven is not covered",
        {"Makefile": "test:\n\t-ruff check .\n\tpytest\n", "pyproject.toml": RUFF},
        ["test: make test | Makefile:1 | pytest", "lint: ruff check . | pyproject.toml | "],
        [],
    ),
    (
        "a linter that rewrites files is no gate",
        {"Makefile": "lint:\n\truff check --fix .\n", "pyproject.toml": RUFF},
        ["lint: ruff check . | pyproject.toml | "],
        ["make lint: rewrites files"],
    ),
    ("types have a target", {"Makefile": "typecheck:\n\tmypy src\n"}, ["types: make typecheck | Makefile:1 | "], []),
    (
        "a build stands in where nothing else checks",
        {"Makefile": "build:\n\tgo build ./...\n"},
        ["build: make build | Makefile:1 | "],
        [],
    ),
    (
        "a build is no gate beside tests",
        {"Makefile": "build:\n\tgo build ./...\ntest:\n\tgo test ./...\n"},
        ["test: make test | Makefile:3 | go"],
        [],
    ),
    (
        "a target that watches is no gate",
        {"Makefile": "test:\n\tvitest --watch\n"},
        [],
        ["make test: watches files and never ends"],
    ),
    (
        "a target that only prints is no gate",
        {"Makefile": 'test:\n\t@echo "nothing yet"\n'},
        [],
        ["make test: only prints and checks nothing"],
    ),
    (
        "names with reach are only noted",
        {"Makefile": "test:\n\tpytest\ntest-e2e:\n\tpytest e2e\ndeploy:\n\tscp x y\nbench:\n\t./b\n"},
        ["test: make test | Makefile:1 | pytest"],
        [
            "make test-e2e: a check named e2e runs only if ultrawork.toml lists it",
            "make deploy: a check named deploy runs only if ultrawork.toml lists it",
            "make bench: a check named bench runs only if ultrawork.toml lists it",
        ],
    ),
    (
        "includes are read",
        {"Makefile": "include mk/test.mk\n", "mk/test.mk": "\ntest:\n\tpytest\n"},
        ["test: make test | mk/test.mk:2 | pytest"],
        [],
    ),
    (
        "prerequisites that are files leave it a gate",
        {"Makefile": "test: build/run-tests\n"},
        ["test: make test | Makefile:1 | "],
        [],
    ),
    (
        "automake before configure says what is missing",
        {"Makefile.am": "check_PROGRAMS = x\n"},
        [],
        ["make check: Makefile.am exists, but ./configure has not run"],
    ),
    (
        "tox behind make shows its runner",
        {"setup.py": "", "Makefile": "test:\n\ttox -e py\n", "tox.ini": "[testenv]\ncommands = pytest {posargs}\n"},
        ["test: make test | Makefile:1 | pytest"],
        ["pytest: make test already runs it"],
    ),
    (
        "a justfile",
        {"justfile": "set shell := ['bash', '-c']\n\n# all of them\ntest *args:\n  cargo nextest run {{args}}\n"},
        ["test: just test | justfile:4 | nextest"],
        [],
    ),
    (
        "just recipes depend on others",
        {"Justfile": "py := 'python3'\ncheck: lint (unit 'a')\nlint:\n  ruff check\n@unit x='':\n  {{py}} -m pytest\n"},
        ["test: just check | Justfile:2 | pytest"],
        ["just lint: just check already runs it"],
    ),
    (
        "a recipe that asks for arguments is no gate",
        {"justfile": "test name:\n  pytest {{name}}\n", "pyproject.toml": PYTEST + "[project]\nname = 'x'\n"},
        ["test: pytest | pyproject.toml | pytest"],
        ["just test: needs arguments"],
    ),
    (
        "the goal that a makefile names is followed",
        {"Makefile": ".DEFAULT_GOAL := unit\nall:\n\tcc x.c\nunit:\n\tpytest\n", "justfile": "test:\n  make\n"},
        ["test: just test | justfile:1 | pytest"],
        [],
    ),
    (
        "the first target is followed where no goal is named",
        {"Makefile": "unit:\n\tpytest\nall:\n\tcc x.c\n", "justfile": "test:\n  make\n"},
        ["test: just test | justfile:1 | pytest"],
        [],
    ),
    (
        "a target whose script is not there is no gate",
        {
            "Makefile": "test:\n\tpython3 tests/lib/test_build.py\n",
            "conftest.py": "",
            "test_a.py": "def test_a(): pass\n",
        },
        ["test: pytest | test_a.py | pytest"],
        ["make test: starts tests/lib/test_build.py, which does not exist"],
    ),
    (
        "a makefile that is too large",
        {"Makefile": "test:\n\tpytest\n" + "#" * 600_000},
        [],
        ["Makefile: cannot be read, or is larger than 500 kB"],
    ),
    ("prettier that writes is no linter", {"Makefile": "lint:\n\tprettier -w .\n"}, [], ["make lint: rewrites files"]),
    (
        "a formatter that only looks is one",
        {"Makefile": "lint:\n\tblack --check .\n"},
        ["lint: make lint | Makefile:1 | "],
        [],
    ),
    (
        "what runs in a container is not followed",
        {"Makefile": "test:\n\tdocker run image pytest\n"},
        ["test: make test | Makefile:1 | "],
        [],
    ),
    (
        "a check behind an unknown program is seen",
        {"Makefile": "test:\n\tmise exec -- pytest -q\n"},
        ["test: make test | Makefile:1 | pytest"],
        [],
    ),
    (
        "make goes before just",
        {"Makefile": "test:\n\tpytest\n", "justfile": "test:\n  pytest\n"},
        ["test: make test | Makefile:1 | pytest"],
        ["just test: make test already runs it"],
    ),
]


@pytest.mark.parametrize(("files", "gates", "left_out"), [row[1:] for row in ROWS], ids=[r[0] for r in ROWS])
def test_found(project, files, gates, left_out):
    here = project(files)
    assert here.lines() == gates
    assert [line for line in left_out if line not in here.left_out()] == []


def test_definition_holds_the_bodies_of_prerequisites_with_variables_put_in(project):
    gate = project({"Makefile": "ARGS = -q\ntest: lint\n\t@pytest $(ARGS) > $@.log\nlint:\n\t-ruff check .\n"}).gate()
    assert gate.definition == "test: lint\n\tpytest -q > test.log\nlint: ruff check . || true"


def test_definition_follows_make_into_package_scripts_and_runner_options(project):
    gate = project(
        {
            "Makefile": "test:\n\tnpm test\n",
            "package.json": '{"scripts": {"test": "jest", "pretest": "eslint ."}, "jest": {"bail": 1}}',
        }
    ).gate()
    assert gate.definition.split("\n") == [
        "test: npm test",
        "test: pretest",
        "\tjest",
        "pretest: eslint .",
        '[package.json jest] {"bail": 1}',
    ]
    assert gate.files == ("Makefile", "package.json")


def test_definition_holds_settings_that_change_what_red_means(project):
    gate = project(
        {"Makefile": "MAKEFLAGS += -i\nexport PYTEST_ADDOPTS = -k x\n.IGNORE: test\ntest:\n\tpytest\n"}
    ).gate()
    assert gate.definition.split("\n")[1:] == ["MAKEFLAGS += -i", "export PYTEST_ADDOPTS = -k x", ".IGNORE: test"]


def test_a_new_target_beside_it_leaves_the_definition_alone(project):
    before = project({"Makefile": "test:\n\tpytest\n"}).gate().definition
    assert project({"Makefile": "test:\n\tpytest\n\nclean:\n\trm -rf x\n"}).gate().definition == before


def test_a_program_that_is_a_service_becomes_a_need(project):
    gate = project({"Makefile": "test:\n\tdocker compose run --rm web pytest\n"}).gate()
    assert gate.needs == ("docker",)


def test_the_reason_names_target_and_file(project):
    assert project({"Makefile": "test:\n\tpytest\n"}).gate().reason == "target test in Makefile"


def test_variables_keep_the_value_they_were_given_at_once(project):
    gate = project({"Makefile": "A = 1\nB := $(A)\nC = $(A)\nA = 2\ntest:\n\tpytest $(B) $(C)\n"}).gate()
    assert gate.definition == "test: pytest 1 2"


def test_a_default_gives_way_to_a_value_before_it(project):
    gate = project({"Makefile": "A = 1\nA ?= 2\nA += 3\ntest:\n\tpytest $(A)\n"}).gate()
    assert gate.definition == "test: pytest 1 3"


def test_settings_of_a_justfile_are_part_of_the_definition(project):
    gate = project({"justfile": "set shell := ['sh', '-c']\nexport A := '1'\nx := 'y'\ntest:\n  pytest {{x}}\n"}).gate()
    assert gate.definition == "test: pytest y\nset shell := ['sh', '-c']\nexport A := '1'"


ELSEWHERE = {
    "one shell for the recipe": {"Makefile": ".ONESHELL:\ntest:\n\tcd docs\n\tpython check.py\n"},
    "make's own name of the folder": {"Makefile": "test:\n\tcd $(CURDIR)/docs && python check.py\n"},
    "pushd": {"Makefile": "test:\n\tpushd docs && python check.py\n"},
    "a script in a justfile": {"justfile": "test:\n    #!/bin/sh\n    cd docs\n    python check.py\n"},
    "an attribute of just": {"justfile": "[working-directory: 'docs']\ntest:\n    python check.py\nother:\n    x\n"},
    "a name only the shell knows": {"Makefile": "test:\n\tcd $$WHERE && python check.py\n"},
}


@pytest.mark.parametrize("name", list(ELSEWHERE))
def test_a_recipe_that_goes_elsewhere_is_followed_there(project, name):
    here = project({**ELSEWHERE[name], "docs/check.py": ""})
    assert [gate.name for gate in here.gates()] == ["test"]
    told = "docs/check.py" in here.gate().files
    assert told == (name != "a name only the shell knows")


def test_each_line_of_a_recipe_begins_in_the_same_folder(project):
    here = project({"Makefile": "test:\n\tcd docs\n\tpython check.py\n", "docs/check.py": ""})
    assert here.left_out() == ["make test: starts check.py, which does not exist"]


def test_a_session_of_nox_that_goes_elsewhere(project):
    session = "import nox\n@nox.session\ndef tests(session):\n    session.chdir('web')\n    session.run('python', '-m', 'unittest')\n"
    here = project({"noxfile.py": session, "setup.py": "", "web/x.py": ""})
    assert here.gate().command == "cd web && python3 -m unittest"


SHOP = "import sys\n\nprice, percent = map(int, sys.argv[1:])\nprint(price - percent)\n"
SCRIPTS = [
    ("python3 shop.py 200 10 | diff - wanted", "180\n", []),
    ("python3 shop.py 200 10 | sort | diff -u wanted -", "180\n", []),
    ("python3 shop.py 200 10 > out\n\tcmp out wanted", "180\n", []),
    ("python3 shop.py 200 10", "180\n", []),
    ("python3 shop.py 200 10 | tee wanted", "180\n", []),
    ("python3 shop.py 200 10 > log\n\tdiff other wanted", "180\n", []),
    ("python3 shop.py 200 10 | diff - wanted", "ok\n", []),
    ("python3 shop.py 200 10 | diff - wanted", "all tests passed\n", []),
    ("python3 shop.py 200 10 | diff - missing", "180\n", []),
    ("python3 drive.py | diff - wanted", "180\n", []),
    ("python3 judge.py | diff - wanted", "180\n", []),
    ("sh check.sh", "180\n", ["check.sh"]),
]


@pytest.mark.parametrize(("recipe", "wanted", "scripts"), SCRIPTS)
def test_a_script_defines_a_check_unless_its_output_is_what_is_compared(project, recipe, wanted, scripts):
    gate = project(
        {
            "Makefile": f"test:\n\t{recipe}\n",
            "wanted": wanted,
            "shop.py": SHOP,
            "drive.py": "import shop\n\nprint(shop.left(200, 10))\n",
            "judge.py": "import shop\n\nprint(shop.left(200, 10) == 180)\n",
            "check.sh": "python3 shop.py 200 10 | diff - wanted\n",
        }
    ).gate()
    assert list(gate.files) == ["Makefile", *scripts]


def test_every_section_of_a_tool_is_part_of_the_definition(project):
    files = {"Makefile": "test:\n\tpytest\n\ntypecheck:\n\tmypy shop.py\n", "shop.py": ""}
    before = project({**files, "setup.cfg": "[mypy]\nstrict = true\n"}).gate("types")
    after = project({**files, "setup.cfg": "[mypy]\nstrict = true\n[mypy-shop]\nignore_errors = true\n"})
    assert before.definition != after.gate("types").definition

"""What projects taught that nobody here wrote: each is a rule that one of them broke."""

import json

import pytest

GITHUB = ".github/workflows/ci.yml"


def workflow(step):
    return f"on: [push]\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - {step}\n"


def test_a_target_that_calls_tox_alone_is_read_to_its_end(project):
    here = project({"Makefile": "test:\n\t@tox\n", "tox.ini": "[testenv]\ncommands = pytest\n"})
    assert here.lines()[0].startswith("test: make test | Makefile:1")


@pytest.mark.parametrize(
    "build",
    [
        {"CMakeLists.txt": "enable_testing()\nadd_test(NAME a COMMAND a)\n"},
        {"meson.build": "project('x', 'c')\ntest('a', a)\n"},
        {"Makefile.am": "TESTS = a\n"},
        {"Makefile.in": "check: all\n\t./a\n", "configure": "#!/bin/sh\n"},
    ],
    ids=["cmake", "meson", "automake", "template"],
)
def test_files_named_as_tests_are_no_gate_beside_a_build_that_waits_to_be_configured(project, build):
    named = {"tests/test-a.sh": "exit 0\n", "misc/a_test.py": "import unittest\n"}
    below = {"contrib/b/Makefile": "test:\n\t./b\n"}
    here = project({**build, **named, **below})
    assert here.lines() == []
    assert any("configure" in line for line in here.left_out())


def test_scripts_of_ci_wait_for_the_build_as_well(project):
    here = project(
        {
            "CMakeLists.txt": "enable_testing()\n",
            "tests/run-all-tests.sh": "#!/bin/sh\n",
            GITHUB: workflow("run: tests/run-all-tests.sh"),
        }
    )
    assert here.lines() == []
    assert here.offers() == ['test-run-all-tests = "tests/run-all-tests.sh"']


def test_a_makefile_that_only_asks_for_configure_is_no_build_yet(project):
    stub = "all:\n\t-@echo use ./configure first\n"
    template = "check: test\n\ntest: all\n\t./a\n"
    here = project({"Makefile": stub, "Makefile.in": template, "configure": "#!/bin/sh\n"})
    assert here.left_out()[0] == ("make check: Makefile.in exists, but ./configure has not run")


def test_a_configured_build_is_found_although_its_template_is_still_there(project):
    text = "check: all\n\t./a\n"
    here = project({"Makefile": text, "Makefile.in": text, "configure": "#!/bin/sh\n"})
    assert here.lines() == ["test: make check | Makefile:1 | "]
    assert here.left_out() == []


def test_checks_of_examples_are_not_those_of_the_whole(project):
    here = project({"examples/a/package.json": json.dumps({"scripts": {"test": "jest"}})})
    assert here.lines() == []
    assert here.lines(changed=["examples/a/b.js"]) == ["examples/a/test: npm test | examples/a/package.json:1 | jest"]


def test_tsc_with_files_of_its_own_is_not_taken_for_the_whole_project(project):
    scripts = {"test": "jest", "check-js": "tsc --checkJS lib/*.js --noEmit"}
    wanted = {"scripts": scripts, "devDependencies": {"typescript": "^5"}}
    here = project({"package.json": json.dumps(wanted), "tsconfig.json": "{}"})
    assert [line.partition(":")[0] for line in here.lines()] == ["test"]
    assert "package.json:1 runs it with its own files" in here.left_out()[0]


def test_a_command_behind_a_shell_keyword_is_offered_without_it(project):
    text = "run: |\n          if true; then cargo fmt -- --check; fi"
    here = project({"Cargo.toml": "[package]\nname = 'x'\n", GITHUB: workflow(text)})
    assert here.offers() == ['lint-rustfmt = "cargo fmt -- --check"']


@pytest.mark.parametrize("action", ["lunarmodules/luacheck@v1", "somebody/action-luacheck@v2"])
def test_an_action_named_after_a_linter_runs_it(project, action):
    here = project({".luacheckrc": "", "spec/a_spec.lua": "", GITHUB: workflow(f"uses: {action}")})
    assert "lint: luacheck . | .luacheckrc | " in here.lines()


def test_phpunit_is_started_by_the_package_that_brings_it(project):
    wanted = {"require-dev": {"symfony/phpunit-bridge": "^6"}}
    here = project({"composer.json": json.dumps(wanted), "phpunit.xml.dist": "<phpunit/>"})
    assert here.lines() == ["test: vendor/bin/simple-phpunit | phpunit.xml.dist | phpunit"]


@pytest.mark.parametrize(("end", "found"), [("';'", False), ("\\;", False), ("+", True)])
def test_find_that_forgets_how_its_programs_ended_is_no_gate(project, end, found):
    here = project({"Makefile": f"check: all\n\t@find test -perm -111 -exec '{{}}' {end}\n"})
    assert bool(here.lines()) is found
    assert here.left_out() == ([] if found else ["make check: find -exec hides failures"])


def test_what_tox_tells_pytest_to_ignore_is_not_what_it_tests(project):
    tox = "[testenv]\ncommands = pytest -v --doctest-modules --ignore bench --cov mod {posargs}\n"
    here = project({"tox.ini": tox, "bench/a.py": "", "mod/__init__.py": "", "setup.py": ""})
    assert here.gate().command == "pytest --doctest-modules --ignore=bench"


def test_paths_after_options_of_tox_stay(project):
    tox = "[testenv]\ncommands = pytest --ignore=tests/slow -n 2 tests\n"
    here = project({"tox.ini": tox, "tests/test_a.py": "def test_a(): pass\n", "setup.py": ""})
    assert here.gate().command == "pytest --ignore=tests/slow tests"


@pytest.mark.parametrize("ending", ["vcxproj", "vcproj"])
def test_a_solution_of_native_code_alone_is_none_for_dotnet(project, ending):
    native = f'Project("{{8}}") = "x", "x.{ending}"\n'
    mixed = native + 'Project("{9}") = "y", "y.csproj"\n'
    here = project({"vs/x.sln": native, "net/y.sln": mixed})
    assert [gate.name for gate in here.gates()] == ["net/test"]


def test_packages_that_tests_of_r_work_on_are_no_projects(project):
    package = "Package: x\nSuggests: testthat\n"
    tests = {"tests/testthat/test-a.R": "", "tests/testthat/inner/tests/testthat/test-b.R": ""}
    inner = {"tests/testthat/inner/DESCRIPTION": package}
    here = project({"DESCRIPTION": package, **tests, **inner})
    assert here.survey().below == []


def test_a_manifest_that_only_says_how_modules_are_loaded_is_no_package(project):
    top = json.dumps({"scripts": {"test": "mocha"}, "devDependencies": {"mocha": "9"}})
    files = {"package.json": top, "helpers/package.json": '{"type": "commonjs"}\n'}
    files["web/package.json"] = '{"name": "web"}\n'
    here = project(files)
    assert [gate.name for gate in here.survey().below] == ["web/test"]


@pytest.mark.parametrize("manifest", ["Makefile.am", "CMakeLists.txt"])
def test_parts_of_one_build_are_not_told_one_by_one(project, manifest):
    text = "TESTS = a\n" if manifest == "Makefile.am" else "enable_testing()\n"
    parts = {f"src/{manifest}": text, "src/pyproject.toml": ""}
    here = project({manifest: text, **parts})
    assert len(here.left_out()) == 1


def test_scripts_that_are_left_out_are_told_by_their_file(project):
    files = {"x/CMakeLists.txt": "enable_testing()\n", "x/tests/test-a.sh": "exit 0\n"}
    assert "x/tests/test-a.sh: the tests need a configured build" in (project(files).left_out())


def test_flake8_does_not_lint_what_is_installed_beside_the_code(project):
    files = {"tox.ini": "[flake8]\nmax-line-length = 99\n", "setup.py": ""}
    here = project({**files, ".venv/bin/flake8": "", ".venv/bin/python": ""})
    assert here.gate("lint").command == ".venv/bin/flake8 --extend-exclude=.venv"


def test_hooks_that_tox_runs_by_their_module_are_seen_in_ci(project):
    tox = "[testenv:lint]\ncommands = python -m pre_commit run -a\n[flake8]\nmax-line-length = 99\n"
    hooks = "repos:\n- repo: https://github.com/pycqa/flake8\n  hooks:\n  - id: flake8\n"
    files = {"tox.ini": tox, "setup.py": "", ".pre-commit-config.yaml": hooks}
    here = project({**files, GITHUB: workflow("run: tox -e lint")})
    assert here.in_ci() == {"lint": ".github/workflows/ci.yml:6"}


@pytest.mark.parametrize("made", [False, True])
def test_a_makefile_that_asks_for_configure_first_tests_once_it_was_run(project, made):
    forerunner = (
        "ifneq ($(wildcard Makefile),)\ninclude Makefile\nelse\n"
        "all:\n\t@echo You must run ./configure before running make; exit 1\nendif\n"
        "include maint.mk\n"
    )
    files = {"GNUmakefile": forerunner, "maint.mk": "check:\n\t./a\n", "Makefile.am": "TESTS = a\n"}
    here = project({**files, **({"Makefile": "check:\n\t./a\n"} if made else {})})
    assert [gate.command for gate in here.gates()] == (["make check"] if made else [])
    assert ("make check: Makefile.am exists, but ./configure has not run" in (here.left_out())) is not made


def test_a_makefile_that_speaks_of_configure_where_there_is_none_is_the_build(project):
    told = "# No ./configure is needed.\ncheck:\n\t./a\n"
    assert project({"GNUmakefile": told}).gate().command == "make check"


def test_modules_at_the_root_get_their_place_by_the_build(project):
    here = project({"Makefile.PL": "", "String.pm": "", "t/a.t": ""})
    assert here.gate().command == "perl Makefile.PL && make && prove -brv t"


def test_scripts_beside_a_gate_are_told_by_their_file(project):
    here = project({"go.mod": "module x\n", "tests/test-a.sh": "exit 0\n"})
    assert here.left_out() == ["tests/test-a.sh: go test ./... is used instead"]

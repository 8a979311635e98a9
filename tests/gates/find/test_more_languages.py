"""Perl, Lua, shell, Meson, Deno, Zig, Dart, Swift, Haskell, Scala, R, Julia, Terraform, Helm; and how code is formed."""

import pytest

MESON = "project('x', 'c')\ntest('a', executable('a', 'a.c'))\n"
CMAKE = "project(x)\nenable_testing()\nadd_test(NAME a COMMAND a)\n"
CTEST = "cmake --build build && ctest --test-dir build --output-on-failure"
CRATE = "[package]\nname = 'x'\n"
DEPENDS = '{"devDependencies": {"prettier": "3"}}'

ROWS = {
    "Perl": (
        {"Makefile.PL": "", "t/a.t": ""},
        ["test: prove -lrv t | Makefile.PL | prove"],
    ),
    "Perl with C": (
        {"Makefile.PL": "", "X.xs": "", "t/a.t": ""},
        ["test: perl Makefile.PL && make && prove -brv t | Makefile.PL | prove"],
    ),
    "Perl without tests": ({"Makefile.PL": "", "t/data.txt": ""}, []),
    "busted": (
        {"spec/a_spec.lua": "", ".luacheckrc": ""},
        ["test: busted --output=TAP | spec/a_spec.lua | busted", "lint: luacheck . | .luacheckrc | "],
    ),
    "busted elsewhere": (
        {"tests/a_spec.lua": ""},
        ["test: busted --output=TAP tests | tests/a_spec.lua | busted"],
    ),
    "bats": ({"test/a.bats": ""}, ["test: bats test | test/a.bats | bats"]),
    "bats in folders": (
        {"test/a.bats": "", "test/more/b.bats": ""},
        ["test: bats --recursive test | test/a.bats | bats"],
    ),
    "test.sh": ({"test.sh": "#!/bin/bash\n"}, ["test: bash test.sh | test.sh | "]),
    "a runner in its folder": (
        {"tests/run-tests.sh": "#!/bin/sh\n", "tests/a.sh": ""},
        ["test: sh tests/run-tests.sh | tests/run-tests.sh | "],
    ),
    "a program that is no script": ({"runtests": "\x7fELF"}, []),
    "shell beside another language's tests": (
        {"go.mod": "module x\n", "test.sh": "#!/bin/sh\n"},
        ["test: go test ./... | go.mod | go"],
    ),
    "Meson, set up": (
        {"meson.build": MESON, "build/meson-private/coredata.dat": ""},
        ["test: meson test -C build --print-errorlogs | meson.build | meson"],
    ),
    "a hand-made target beside tests that CMake registers": (
        {"Makefile": "test: demo\n\t./demo\ndemo:\n\tcc demo.c\n", "CMakeLists.txt": CMAKE, "build/CMakeCache.txt": ""},
        [f"test: {CTEST} | CMakeLists.txt | ctest"],
    ),
    "a target that runs ctest stays": (
        {"Makefile": "test:\n\tctest --test-dir build\n", "CMakeLists.txt": CMAKE, "build/CMakeCache.txt": ""},
        ["test: make test | Makefile:1 | ctest"],
    ),
    "CMake that registers its tests in their folder": (
        {"CMakeLists.txt": "project(x)\nadd_subdirectory(tests)\n", "tests/CMakeLists.txt": "add_test(NAME a COMMAND a)\n", "build/CMakeCache.txt": ""},
        [f"test: {CTEST} | CMakeLists.txt | ctest"],
    ),
    "a target named after tests": (
        {"Makefile": "all:\n\tcc a.c\nunit-test:\n\t./unit\nbuild-test:\n\tcc t.c\n"},
        ["test: make unit-test | Makefile:3 | "],
    ),
    "integration tests only by configuration": ({"Makefile": "integration-test:\n\t./x\n"}, []),
    "Deno's task": (
        {"deno.json": '{"tasks": {"test": "deno test -A"}}'},
        ["test: deno task test | deno.json | deno"],
    ),
    "Deno": (
        {"deno.jsonc": '// x\n{"fmt": {}, "lint": {}}', "a_test.ts": ""},
        [
            "test: deno test -A | deno.jsonc | deno",
            "lint: deno lint | deno.jsonc | ",
            "format: deno fmt --check | deno.jsonc | ",
        ],
    ),
    "Zig": (
        {"build.zig": 'const s = b.step("test", "Run tests");\n'},
        ["test: zig build test --summary all | build.zig | zig"],
    ),
    "Zig without a test step": ({"build.zig": ""}, []),
    "Dart": (
        {"pubspec.yaml": "name: x\n", "test/a_test.dart": "", "analysis_options.yaml": ""},
        ["test: dart test --reporter expanded | pubspec.yaml | dart", "lint: dart analyze | analysis_options.yaml | "],
    ),
    "Flutter": (
        {"pubspec.yaml": "dependencies:\n  flutter:\n    sdk: flutter\n", "test/a_test.dart": ""},
        ["test: flutter test --reporter expanded | pubspec.yaml | dart"],
    ),
    "Swift": (
        {"Package.swift": '.testTarget(name: "T")', ".swiftlint.yml": ""},
        ["test: swift test | Package.swift | swift", "lint: swiftlint lint | .swiftlint.yml | "],
    ),
    "stack": (
        {"stack.yaml": "", "x.cabal": "test-suite spec\n"},
        ["test: stack test | stack.yaml | stack"],
    ),
    "cabal": ({"x.cabal": "test-suite spec\n"}, ["test: cabal test all | x.cabal | cabal"]),
    "a cabal package without tests": ({"x.cabal": "library\n"}, []),
    "sbt": (
        {"build.sbt": "", ".scalafmt.conf": "", "project/plugins.sbt": '"sbt-scalafmt"'},
        ["test: sbt -batch test | build.sbt | sbt", "format: sbt -batch scalafmtCheckAll | .scalafmt.conf | "],
    ),
    "R": (
        {"DESCRIPTION": "Package: x\n", "tests/testthat/test-a.R": ""},
        ["test: Rscript -e 'testthat::test_local(reporter = '\"'\"'tap'\"'\"')' | DESCRIPTION | "],
    ),
    "Julia": (
        {"Project.toml": "name = 'X'\n", "test/runtests.jl": ""},
        ["test: julia --project=. -e 'using Pkg; Pkg.test()' | Project.toml | "],
    ),
    "Terraform": (
        {"main.tf": "", ".tflint.hcl": ""},
        ["format: terraform fmt -check -recursive | main.tf | ", "lint: tflint --recursive | .tflint.hcl | "],
    ),
    "Helm": ({"Chart.yaml": ""}, ["lint: helm lint . | Chart.yaml | "]),
    "rustfmt": (
        {"Cargo.toml": CRATE, "rustfmt.toml": ""},
        ["test: cargo test | Cargo.toml | cargo", "format: cargo fmt --check | rustfmt.toml | "],
    ),
    "mix format": (
        {"mix.exs": "", ".formatter.exs": ""},
        ["test: mix test | mix.exs | mix", "format: mix format --check-formatted | .formatter.exs | "],
    ),
    "black beside ruff": (
        {"pyproject.toml": "[tool.black]\n[tool.ruff]\n"},
        ["lint: ruff check . | pyproject.toml | ", "format: black --check . | pyproject.toml | "],
    ),
    "prettier": (
        {"package.json": DEPENDS, ".prettierrc": "{}"},
        ["format: node_modules/.bin/prettier --check . | .prettierrc | "],
    ),
    "prettier that nobody depends on": ({"package.json": "{}", ".prettierrc": "{}"}, []),
    "a script for it comes first": (
        {"package.json": '{"scripts": {"format:check": "prettier -c .", "lint": "eslint ."}, "devDependencies": {"prettier": "3"}}', ".prettierrc": "{}"},
        ["lint: npm run lint | package.json:1 | ", "format: npm run format:check | package.json:1 | "],
    ),
    "a target for it beside lint": (
        {"Makefile": "lint:\n\truff check .\nfmt-check:\n\tgofmt -l .\n"},
        ["lint: make lint | Makefile:1 | ", "format: make fmt-check | Makefile:3 | "],
    ),
}  # fmt: skip


@pytest.mark.parametrize("row", list(ROWS))
def test_found(project, row):
    files, gates = ROWS[row]
    assert project(files).lines() == gates


def test_builds_that_were_never_set_up_say_how(project):
    assert project({"meson.build": MESON}).left_out() == [
        "meson test: no configured build folder. Create one: meson setup build"
    ]


def test_scripts_one_by_one_are_named_as_tests(project, tmp_path):
    """A real run: the loop speaks TAP, goes on after a failure, and takes new scripts by itself."""
    import subprocess

    from ultrawork.gates.results.reading import read_report

    here = project({"tests/test_a.sh": "exit 0\n", "tests/test_b.sh": "echo no; exit 3\n"})
    argv = here.gate().argv
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=20, check=False)
    report = read_report("", done.stdout)
    assert done.returncode == 1
    assert report.outcomes == {"tests/test_a.sh": "passed", "tests/test_b.sh": "failed"}


def test_helpers_among_the_scripts_are_no_tests(project):
    assert project({"tests/lib.sh": "", "tests/deploy.sh": ""}).lines() == []


@pytest.mark.parametrize(
    ("files", "line"),
    [
        (
            {"dune-project": "(lang dune 3.0)\n", "test/dune": "(test\n (name a))\n"},
            "test: dune runtest --force | dune-project | dune",
        ),
        (
            {"dune-project": "(lang dune 3.0)\n", "lib/core/dune": "(library (inline_tests))\n"},
            "test: dune runtest --force | dune-project | dune",
        ),
        ({"rebar.config": "", "test/a_tests.erl": ""}, "test: rebar3 eunit | rebar.config | rebar3"),
        ({"rebar.config": "", "test/a_SUITE.erl": ""}, "test: rebar3 ct | rebar.config | rebar3"),
        (
            {"rebar.config": "", "rebar3": "", "test/a_SUITE.erl": "", "test/a_tests.erl": ""},
            "test: ./rebar3 do eunit, ct | rebar.config | rebar3",
        ),
        ({"dub.json": "{}\n"}, "test: dub test | dub.json | dub"),
        ({"a.nimble": "", "tests/tall.nim": ""}, "test: nimble test | a.nimble | nimble"),
        ({"a.nimble": "task test, 'x':\n"}, "test: nimble test | a.nimble | nimble"),
        ({"shard.yml": "", "spec/a_spec.cr": ""}, "test: crystal spec | shard.yml | crystal"),
        ({"gleam.toml": "", "test/a_test.gleam": ""}, "test: gleam test | gleam.toml | gleam"),
    ],
)
def test_a_package_manager_with_a_word_for_tests_is_asked_by_it(project, files, line):
    assert project(files).lines() == [line]


@pytest.mark.parametrize(
    "files",
    [
        {"dune-project": "(lang dune 3.0)\n", "src/dune": "(library (name a))\n"},
        {"rebar.config": "", "src/a.erl": ""},
        {"a.nimble": "", "src/a.nim": ""},
        {"shard.yml": "", "src/a.cr": ""},
        {"gleam.toml": "", "src/a.gleam": ""},
    ],
)
def test_a_package_without_tests_has_no_gate_by_its_manager_alone(project, files):
    assert project(files).lines() == []


def test_how_a_registered_test_has_to_end_is_part_of_its_gate(project):
    above = {"CMakeLists.txt": "enable_testing()\nadd_subdirectory(checks)\n", "build/CMakeCache.txt": ""}
    plain = "add_test(NAME a COMMAND a)\nadd_executable(a a.c)\n"
    before = project({**above, "checks/CMakeLists.txt": plain}).gate()
    assert before.files == ("CMakeLists.txt", "checks/CMakeLists.txt")
    fails = plain + "set_tests_properties(a\n  PROPERTIES WILL_FAIL TRUE)\n"
    assert project({**above, "checks/CMakeLists.txt": fails}).gate().definition != before.definition
    more = plain + "add_executable(b b.c)\n"
    assert project({**above, "checks/CMakeLists.txt": more}).gate().definition == before.definition


def test_how_a_test_of_meson_has_to_end_is_part_of_its_gate(project):
    built = {"build/meson-private/coredata.dat": ""}
    text = "project('x', 'c')\nexe = executable('a', 'a.c')\ntest('a', exe)\n"
    before = project({**built, "meson.build": text}).gate().definition
    fails = text.replace("exe)\n", "exe,\n  should_fail: true)\n")
    assert project({**built, "meson.build": fails}).gate().definition != before
    more = text.replace("'a.c'", "'a.c', 'b.c'")
    assert project({**built, "meson.build": more}).gate().definition == before

"""Whatever stands in a project's files, finding gates ends soon and raises nothing."""

import time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from support.effort import amount
from ultrawork.core.verdict.gate import KINDS
from ultrawork.gates.find.project import search_gates, survey_gates

NAMES = [
    "Makefile",
    "justfile",
    "package.json",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
    "noxfile.py",
    "pytest.ini",
    "mypy.ini",
    "Cargo.toml",
    "go.mod",
    "go.work",
    "pom.xml",
    "build.gradle",
    "App.sln",
    "mix.exs",
    "Gemfile",
    "Rakefile",
    "composer.json",
    "phpunit.xml",
    "CMakeLists.txt",
    "build/CMakeCache.txt",
    "pnpm-workspace.yaml",
    "tsconfig.json",
    "eslint.config.js",
    "tests/test_a.py",
    "a/package.json",
    "a/Cargo.toml",
    "a/pyproject.toml",
    "a/go.mod",
]
WORDS = [
    "test", "check", "lint", "build", ":", "=", ":=", "\n", "\n\t", "\t", " ", "$(A)", "${A}", "A", "$", "(", ")", "{", "}", "[", "]",
    "'", '"', "\\", "#", "include Makefile\n", "define", "endef", "npm test", "make", "make -C a test", "cd ..", "cd /", "sh -c", "&&", "||", "|",
    "> x", "pytest", "python -m", "-m", "tox", "{posargs}", "[testenv]\n", "commands", "[tool.pytest]\n", "[tool.ruff]\n", "[workspace]\n",
    "members = ['*']\n", '{"scripts": {"test": ', '"jest"', "}}", '"workspaces": ["*", "../**"]', "packages:\n- '**'\n", "use (", "require", "@", "-", "+", "*",
    "use ../..\n", "path = '..'", "\0", "\ud7ff", "\U0001f600", "task test", "enable_testing()", "test {", "<build>", "aliases", "%", "!", "null", "1e999",
]  # fmt: skip


class Memory:
    """Files that are only a table, so that thousands of projects can be tried."""

    def __init__(self, files):
        self.files = files

    def read(self, path):
        return self.files.get(path)

    def exists(self, path):
        return path in self.files or any(name.startswith(path + "/") for name in self.files)

    def expect(self, folders):
        pass

    def names(self, folder):
        start = "" if folder in (".", "") else folder.rstrip("/") + "/"
        below = [name[len(start) :] for name in self.files if name.startswith(start)]
        return sorted({part + "/" if slash else part for part, slash, _ in (n.partition("/") for n in below)})


texts = st.one_of(st.text(), st.lists(st.sampled_from(WORDS), max_size=40).map("".join))
projects = st.dictionaries(st.sampled_from(NAMES), texts, max_size=8)


def check(files):
    memory = Memory(files)
    found = search_gates(memory, None).gates + search_gates(memory, None, changed=[*files, "a/b/c", "../x", ""]).gates
    assert all(gate.kind in KINDS and gate.argv and gate.name for gate in found)
    for gate in found:
        gate.definition.encode()
        assert "\0" not in "".join(gate.argv) + gate.definition
    left_out = survey_gates(memory, None).left_out
    assert all(name.isprintable() and why.isprintable() for name, why in left_out)


@pytest.mark.slow
@settings(max_examples=amount(80, 300))
@example({"go.work": "use \0"})
@given(projects)
def test_any_project_is_read_without_raising(files):
    check(files)


@pytest.mark.slow
@settings(max_examples=amount(400, 20_000), suppress_health_check=list(HealthCheck))
@given(projects)
def test_very_many_projects_are_read_without_raising(files):
    check(files)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "scripts",
                    "test",
                    "workspaces",
                    "packages",
                    "name",
                    "dependencies",
                    "jest",
                    "lint",
                    "require-dev",
                    "packageManager",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@pytest.mark.slow
@settings(max_examples=amount(50, 200))
@given(json_values, json_values)
def test_values_of_unexpected_types_are_passed_over(package, other):
    import json

    check(
        {
            "package.json": json.dumps(package),
            "a/package.json": json.dumps(other),
            "composer.json": json.dumps(other),
            "jest.config.js": "",
        }
    )


BIG = 100_000
BOMBS = {
    "a billion laughs": {"Makefile": "A0 = lol\n" + "".join(f"A{n + 1} = $(A{n})$(A{n})$(A{n})\n" for n in range(60)) + "test:\n\t$(A60)\n" * 2000},
    "targets upon targets": {"Makefile": ("a b c d e f " * 800 + ": " + "g h i j k " * 800 + "\n") * 40 + "test: a\n"},
    "open parentheses": {"Makefile": "test:\n" + ("\t" + "$(" * 9000 + "\n") * 40, "justfile": "test: " + "(a" * 300_000},
    "one long line": {"package.json": '{"scripts": {"test": "' + "a && " * 150_000 + '"}}'},
    "yarn upon yarn": {"package.json": '{"scripts": {"test": "' + "yarn " * 100_000 + '"}}'},
    "quotes": {"package.json": '{"scripts": {"test": "' + "'" * 100_001 + '"}}'},
    "deep JSON": {"package.json": "[" * 400_000, "composer.json": '{"a":' * 100_000},
    "deep TOML": {"pyproject.toml": "a = " + "[" * 400_000, "Cargo.toml": "[a" + ".a" * 200_000 + "]"},
    "deep Python": {"noxfile.py": "(" * 100_000 + "\n" + "-" * 100_000 + "1"},
    "open elements": {"pom.xml": "<build>" * 120_000 + "<" + "test" * 100_000},
    "open blocks": {"build.gradle": "test {" * 140_000, "mix.exs": "defp aliases\n" * 60_000, "go.work": "use (\n" * 100_000},
    "empty lines": dict.fromkeys(NAMES, "\n" * BIG),
    "spaces": dict.fromkeys(NAMES, " " * BIG),
    "a chain of targets": {"Makefile": "test: t0\n" + "".join(f"t{n}: t{n + 1}\n\tmake t{n + 1}\n" for n in range(5_000))},
    "wide workspaces": {"package.json": '{"workspaces": ["**/**/**", "*/*/*/*"]}', **{f"{a}/{b}/package.json": "{}" for a in "abcdefgh" for b in "abcdefgh"}},
    "many test files": {f"tests/test_{n}.py": "x = 1\n" for n in range(3_000)},
}  # fmt: skip


# These take a second each.
LARGEST = ("targets upon targets", "open parentheses", "open blocks", "empty lines")


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(files, id=name, marks=[pytest.mark.slow] if name in LARGEST else [])
        for name, files in BOMBS.items()
    ],
)
def test_large_and_deep_input_ends_within_seconds(files):
    started = time.process_time()
    check(files)
    assert time.process_time() - started < 8

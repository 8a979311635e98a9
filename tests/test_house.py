"""The house keeps to its plan: what lies where, who may import whom, how long things are."""

import ast
import os
import re
import statistics
import subprocess
import sys

import pytest

from support.floor import REPOSITORY, Program
from ultrawork.cli.verbs_table import VERBS

SOURCE = f"{REPOSITORY}/src/ultrawork"
START = f"{SOURCE}/cli/start.py"
TOP = {
    ".ci", ".claude-plugin", ".codex-plugin", ".gitignore", ".mcp.json", "AGENTS.md", "CHANGELOG.md",
    ".claude", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "agents", "bench", "bin", "commands",
    "content", "docs", "hooks", "plugins", "pyproject.toml", "skills", "src", "tests",
}  # fmt: skip
FLOOR = ("core", "store", "system", "gates", "content", "hooks", "mcp", "engine", "cli")
# Private modules of the standard library that not every version has.
PRIVATE = {"_sha2", "_sha256"}
# What SQLite's own module brings along (functools, collections) cannot be helped.
SLOW = {
    "argparse", "contextlib", "dataclasses", "datetime", "enum", "hashlib", "importlib.util", "inspect",
    "json", "logging", "pathlib", "re", "shutil", "sqlite3", "subprocess", "tempfile", "traceback", "typing",
}  # fmt: skip


def tracked():
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("what is tracked is known only in a checkout")
    return [name for name in listed.stdout.split("\0") if name]


def modules():
    for folder, _, names in os.walk(SOURCE):
        for name in names:
            if name.endswith(".py"):
                path = f"{folder}/{name}"
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                yield os.path.relpath(path, SOURCE), text


def rooms():
    return [name for name in os.listdir(SOURCE) if os.path.isfile(f"{SOURCE}/{name}/__init__.py")]


def function_lengths():
    return [
        (node.end_lineno - node.lineno + 1, f"{path}:{node.lineno} {node.name}")
        for path, text in modules()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_nothing_lies_at_the_top_but_what_the_plan_names():
    assert {name.split("/")[0] for name in tracked()} <= TOP


def test_no_file_speaks_of_the_machine_it_was_written_on():
    places = re.compile(rb"(?<![\w.}-])/(?:" + b"|".join([b"wor" + b"k", b"roo" + b"t"]) + rb")/")
    found = []
    for name in tracked():
        path = f"{REPOSITORY}/{name}"
        if os.path.isfile(path) and not os.path.islink(path):
            with open(path, "rb") as file:
                found += [name] if places.search(file.read()) else []
    assert found == []


@pytest.mark.parametrize("room", rooms())
def test_a_room_says_in_a_few_lines_what_belongs_there(room):
    with open(f"{SOURCE}/{room}/README.md", encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert lines[0] == f"# {room}"
    assert 3 <= len(lines) <= 8


def test_a_package_face_holds_names_or_nothing():
    allowed = (ast.Import, ast.ImportFrom, ast.Assign, ast.Expr)
    for path, text in modules():
        if path.endswith("__init__.py"):
            body = ast.parse(text).body
            assert all(isinstance(node, allowed) for node in body), path
            assigned = [node for node in body if isinstance(node, ast.Assign)]
            assert all(node.targets[0].id == "__all__" for node in assigned), path


def test_no_module_is_longer_than_400_lines():
    assert [path for path, text in modules() if text.count("\n") > 400] == []


def test_functions_are_short():
    lengths = sorted(function_lengths())
    numbers = [length for length, _ in lengths]
    assert statistics.median(numbers) <= 10
    assert numbers[int(len(numbers) * 0.9)] <= 30
    assert len(numbers) > 200


def test_no_room_imports_upwards():
    linter = f"{os.path.dirname(sys.executable)}/lint-imports"
    found = subprocess.run(
        [linter, "--no-cache"],
        cwd=REPOSITORY,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": f"{REPOSITORY}/src"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert found.returncode == 0, found.stdout


def imported(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module


def test_the_floor_imports_the_standard_library_alone():
    known = {"ultrawork", *PRIVATE, *sys.stdlib_module_names}
    strange = {
        f"{path}: {name}"
        for path, text in modules()
        for name in imported(text)
        if path.split("/")[0] in FLOOR and name.split(".")[0] not in known
    }
    assert strange == set()


def test_core_knows_neither_clock_nor_disk_nor_environment():
    forbidden = {"os", "sys", "posix", "io", "fcntl", "subprocess", "random", "socket", "sqlite3"}
    found = {
        f"{path}: {name}"
        for path, text in modules()
        for name in imported(text)
        if path.startswith("core/") and name.split(".")[0] in forbidden
    }
    assert found == set()


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_starts_without_installed_packages(tmp_path, verb):
    program = Program(str(tmp_path))
    found = subprocess.run(
        [sys.executable, "-I", "-S", "-B", START, verb, "--help"],
        env=program.environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith(f"Usage: ultrawork {verb}")


@pytest.mark.parametrize(
    "words",
    [
        ["session", "get", "--field", "phase"],
        ["task", "list"],
        ["task", "claim", "--owner", "w"],
        ["task", "update", "--id", "1", "--add-evidence", "seen"],
    ],
    ids=" ".join,
)
def test_hot_verbs_import_nothing_slow(program, words):
    program.done("session", "new", "--goal", "g")
    program.done("task", "create", "--id", "1", "--subject", "x")
    script = (
        "import sys; sys.path.insert(0, sys.argv.pop(1))\n"
        "from ultrawork.cli.main import main\n"
        f"status = main({words!r}, {program.environ!r})\n"
        "print(*sys.modules, file=sys.stderr)\n"
        "sys.exit(status)"
    )
    found = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", script, f"{REPOSITORY}/src"],
        cwd=program.place,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert SLOW & set(found.stderr.split()) == set()

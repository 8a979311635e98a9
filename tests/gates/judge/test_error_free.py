"""What a language server calls an error in changed files: told where the start had none, compared with nobody for long."""

import json
import os

import pytest

from support import toolchains
from support.scene import Scene
from ultrawork.core.verdict import delivered
from ultrawork.core.verdict.delivered import find_new_errors, is_held_by_gate, read_errors
from ultrawork.core.verdict.gate import LINT, TEST, TYPES, Gate

OLD = "def total(prices: list[int]) -> int:\n    return sum(prices)\n\n\nname: str = total([1])\n"
FILES = {
    "Makefile": "test:\n\t@sh check.sh\n",
    "check.sh": "grep -q def shop.py && echo 1 passed\n",
    "shop.py": OLD,
    "pyproject.toml": "",
}


def make_gate(kind, command, definition=""):
    return Gate(name="x", kind=kind, argv=[], command=command, source="", reason="", definition=definition)


def test_errors_are_read_from_lines_and_nothing_else_is_one():
    told = "a b.py:3:4 error [bad-type] Not a string: `1`\nsaid: 1 error\nc.ts:1:0 error Odd\n"
    assert [one.document() for one in read_errors(told)] == [
        {"path": "a b.py", "line": 3, "code": "bad-type", "message": "Not a string: `1`"},
        {"path": "c.ts", "line": 1, "code": "", "message": "Odd"},
    ]


def test_what_base_had_is_not_new_wherever_it_stands_now_and_as_often_as_it_had_it():
    before = read_errors("a.py:3:0 error [x] Odd\n")
    now = read_errors("a.py:9:2 error [x] Odd\na.py:12:0 error [x] Odd\nb.py:3:0 error [x] Odd\n")
    assert [(one.path, one.line) for one in find_new_errors(now, before)] == [("a.py", 12), ("b.py", 3)]


@pytest.mark.parametrize("code", ["reportMissingImports", "unresolved-import", "2307"])
def test_a_package_that_the_server_does_not_find_is_the_machines_affair(code):
    assert find_new_errors(read_errors(f"a.py:1:0 error [{code}] no module requests\n"), []) == []


@pytest.mark.parametrize(
    ("gate", "held"),
    [
        (make_gate(TYPES, "make types", "types:\n\t.venv/bin/mypy src"), True),
        (make_gate(TYPES, "npm run types", "tsc --noEmit"), False),
        (make_gate(LINT, "ruff check ."), False),
    ],
)
def test_a_gate_of_the_project_decides_for_its_language_alone(gate, held):
    assert is_held_by_gate("Python", [gate]) is held


def test_what_is_compiled_before_its_tests_run_needs_no_second_compiler():
    gate = make_gate(TEST, "cargo test")
    gate.runner = "cargo"
    assert is_held_by_gate("Rust", [gate])
    assert not is_held_by_gate("Python", [gate])


def test_many_new_errors_are_named_in_part():
    many = read_errors("".join(f"a.py:{n}:0 error [x] Odd {n}\n" for n in range(1, 9)))
    found = delivered.judge_errors(many, 7)
    assert [one.level for one in found] == ["note"] * 5
    assert found[0].what == "a.py:1 has a new error: Odd 1"


class Shop:
    """A project with an error that was there before, and one language server on the PATH."""

    def __init__(self, root):
        self.scene = Scene(str(root), FILES)
        tools = root / "tools"
        tools.mkdir()
        (tools / "ty").symlink_to(os.path.join(toolchains.python_servers(), "ty"))
        self.scene.environ["PATH"] = f"{tools}{os.pathsep}{self.scene.environ['PATH']}"

    def verify(self):
        return json.loads(self.scene.run("verify", "--json", "--base", "HEAD"))["data"]

    def told(self):
        return [one for one in self.verify()["findings"] if one["rule"] == "new-error"]


@pytest.mark.slow
def test_an_error_that_the_start_did_not_have_is_worth_a_look_until_it_is_fixed(tmp_path):
    """A real server, through `verify`: what was there before, a line further down, is not told again."""
    shop = Shop(tmp_path)
    shop.scene.write("shop.py", "# prices are in cents\n" + OLD)
    assert shop.told() == []
    shop.scene.write("shop.py", OLD + '\ntotal("three")\n')
    found = shop.verify()
    told = [one for one in found["findings"] if one["rule"] == "new-error"]
    assert [(one["level"], one["where"]) for one in told] == [("note", "shop.py:7")]
    assert found["verdict"] == "PASS"
    kept = json.loads(shop.scene.run("evidence", "show", "--json", str(told[0]["receipt"])))["data"]
    assert kept["gate"]["kind"] == "ERROR_FREE"
    shop.scene.write("ultrawork.toml", "[gates]\nerror-free = false\n")
    shop.scene.write("shop.py", OLD)
    shop.scene.commit()
    shop.scene.write("shop.py", OLD + '\ntotal("three")\n')
    assert shop.told() == []


@pytest.mark.slow
def test_a_stop_shows_a_new_error_and_is_not_sent_back(tmp_path):
    """Without any consent beyond `ulw`: a server of the system runs nothing of the checkout."""
    shop = Shop(tmp_path)
    shop.scene.prompt("ulw add the price of the third one")
    shop.scene.write("shop.py", OLD + '\ntotal("three")\n')
    said = shop.scene.stop("Done.")["systemMessage"]
    assert said.startswith("ultrawork: PASS")
    assert "shop.py:7 has a new error" in said


@pytest.mark.slow
def test_a_hook_that_may_run_no_check_starts_no_server(tmp_path):
    scene = Scene(str(tmp_path), FILES)
    mark = tmp_path / "started"
    scene.environ["PATH"] = f"{tmp_path}{os.pathsep}{scene.environ['PATH']}"
    (tmp_path / "pylsp").write_text(f"#!/bin/sh\ntouch {mark}\n")
    (tmp_path / "pylsp").chmod(0o755)
    scene.prompt("ulw gates deny")
    scene.prompt("ulw add the price of the third one")
    scene.write("shop.py", OLD + '\ntotal("three")\n')
    scene.stop("Done.")
    assert not mark.exists()
    scene.run("verify", "--base", "HEAD")
    assert mark.exists()

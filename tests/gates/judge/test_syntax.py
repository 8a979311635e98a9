"""Whether changed files parse: each language with a text that does and one that does not."""

import os
import shutil
import sys

import pytest

from ultrawork.gates.judge.file_checks import Parsers

PAIRS = {
    "a.py": ("def f():\n    return 1\n", "def f(:\n    return 1\n"),
    "b.py": ("async def f():\n    await g()\n", "return 1\n"),
    "a.json": ('{"a": [1, 2]}\n', '{"a": [1, 2],}\n'),
    "a.toml": ("[a]\nb = 1\n", "[a\nb = 1\n"),
    "a.svg": ("<svg><g/></svg>\n", "<svg><g></svg>\n"),
}
NODE = {
    "a.js": ("const a = require('b');\nreturn;\n", "const a = {;\n"),
    "b.js": ("import a from 'b';\nexport default a;\n", "import a from 'b';\nexport default {;\n"),
    "c.mjs": ("export const a = await b;\n", "export const = 1;\n"),
    "d.cjs": ("#!/usr/bin/env node\nmodule.exports = `${a}`;\n", "module.exports = (;\n"),
}
SHELL = {
    "a.sh": ("if true; then\n  echo !(x)\nfi\n", "if true; then\n  echo a\n"),
    "run": ("#!/bin/bash\na=(1 2)\n", "#!/bin/bash\nfor x in 1; do\n"),
}
YAML = {"a.yml": ("a: [1, 2]\nb: ${{ x }}\n", "a: [1, 2\nb: 1\n")}
RUST = {"a.rs": ('fn main() { println!("{{}}"); }\n', "fn main() { let x = ; }\n")}


def parsers(tmp_path, manifest=""):
    return Parsers(str(tmp_path), dict(os.environ), manifest)


def check(tmp_path, pairs):
    found = parsers(tmp_path)
    assert found.find_errors({path: good for path, (good, _) in pairs.items()}) == {}
    errors = found.find_errors({path: bad for path, (_, bad) in pairs.items()})
    assert list(errors) == list(pairs)
    assert all(said.startswith("line ") for said in errors.values())


def test_files_that_we_parse_ourselves(tmp_path):
    check(tmp_path, PAIRS)


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_scripts_and_modules(tmp_path):
    check(tmp_path, NODE)


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
def test_shell_scripts(tmp_path):
    check(tmp_path, SHELL)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("rustfmt"), reason="rustfmt is not installed")
def test_rust(tmp_path):
    check(tmp_path, RUST)


@pytest.mark.slow
def test_yaml_where_a_parser_is_at_hand(tmp_path):
    check(tmp_path, YAML) if parsers(tmp_path).find_errors({"a.yml": "a: ["}) else pytest.skip(
        "the Python of this machine has no YAML"
    )


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.json", ""),
        ("a.json", '{"a": {{ value }}}\n'),
        ("{{name}}/a.py", "import {{name}}\n"),
        ("templates/a.py", "import {{name}}\n"),
        ("a.py", "na\ufffdme = 1 1\n"),
        ("page.xml", "<p>&nbsp;</p>\n"),
        ("a.tsx", "const a = <p>;\n"),
        ("a.pl", "if (\n"),
    ],
)
def test_what_nobody_here_can_judge_is_no_error(path, text, tmp_path):
    assert parsers(tmp_path).find_errors({path: text}) == {}


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_a_script_for_a_compiler_is_no_error(tmp_path):
    assert parsers(tmp_path).find_errors({"a.js": "const a = <p>text</p>;\n"}) == {}


def test_a_newer_python_than_ours_may_know_more(tmp_path):
    newer = f'requires-python = ">=3.{sys.version_info.minor + 1}"\n'
    assert parsers(tmp_path, newer).find_errors({"a.py": "new syntax here\n"}) == {}
    assert parsers(tmp_path).find_errors({"a.py": "new syntax here\n"})


def test_no_program_of_the_project_is_started(tmp_path):
    program = tmp_path / "bin" / "bash"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\ntouch started\n")
    program.chmod(0o755)
    found = Parsers(str(tmp_path), {"PATH": str(program.parent)})
    assert found.find_errors({"a.sh": "if\n"}) == {}
    assert not (tmp_path / "started").exists()

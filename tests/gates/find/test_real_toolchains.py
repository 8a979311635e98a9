"""
Little projects of languages whose tools a registry or the machine brings: found, run, and read by name. prove is part of
Perl; meson comes from PyPI, bun from npm; bats and busted are Debian packages, and are not run where they are missing.
"""

import os
import shutil
import subprocess

import pytest

from support import toolchains
from ultrawork.gates.results.reading import read_report

C = "int main(int count, char **words) { return count - 1; }\n"
CMAKE = (
    "cmake_minimum_required(VERSION 3.10)\nproject(x C)\nenable_testing()\nadd_executable(a a.c)\n"
    "add_test(NAME adds COMMAND a)\nadd_test(NAME subtracts COMMAND a 1)\n"
)
MESON = "project('x', 'c')\na = executable('a', 'a.c')\ntest('adds', a)\ntest('subtracts', a, args: ['1'])\n"
BUN = (
    'import { expect, test } from "bun:test";\n'
    'test("adds", () => { expect(1 + 1).toBe(2) });\n'
    'test("subtracts", () => { expect(1 - 1).toBe(2) });\n'
)


def run(here, *, folders=(), first=()):
    """The found gate's report, after the commands that set the build up."""
    path = os.pathsep.join([*folders, os.environ["PATH"]])
    environ = {**os.environ, "PATH": path}
    for argv in first:
        subprocess.run(argv, cwd=here.root, env=environ, check=True, capture_output=True, timeout=60)
    gate = here.gate()
    done = subprocess.run(
        gate.argv,
        cwd=here.root,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode != 0
    return read_report(gate.runner, done.stdout, root=here.root)


def need(*programs):
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not run: {missing[0]} is not installed")


def test_perl(project):
    need("prove")
    here = project({"Makefile.PL": "", "t/a.t": "use Test::More tests => 2;\nok(1, 'adds');\nis(2, 3, 'subtracts');\n"})
    report = run(here)
    assert report.outcomes == {"t/a.t::adds": "passed", "t/a.t::subtracts": "failed"}
    assert report.messages == {"t/a.t::subtracts": "t/a.t:3  got: '2', expected: '3'"}


@pytest.mark.slow
def test_cmake(project):
    need("cmake", "ctest", "cc")
    here = project({"CMakeLists.txt": CMAKE, "a.c": C, "build/CMakeCache.txt": ""})
    shutil.rmtree(f"{here.root}/build")
    report = run(here, first=[["cmake", "-B", "build"]])
    assert report.outcomes == {"adds": "passed", "subtracts": "failed"}


@pytest.mark.slow
def test_meson(project):
    need("ninja", "cc")
    here = project({"meson.build": MESON, "a.c": C})
    report = run(here, folders=[toolchains.meson()], first=[["meson", "setup", "build"]])
    assert [name.rpartition(":")[2] for name in report.failed] == ["subtracts"]
    assert report.ran == 2


@pytest.mark.slow
def test_bun(project):
    need("npm")
    here = project({"package.json": "{}", "bun.lock": "{}", "a.test.ts": BUN})
    report = run(here, folders=[f"{toolchains.node_modules('bun')}/.bin"])
    assert report.outcomes == {"a.test.ts > adds": "passed", "a.test.ts > subtracts": "failed"}


@pytest.mark.slow
def test_bats(project):
    need("bats")
    tests = '@test "adds" {\n  [ 2 -eq 2 ]\n}\n@test "subtracts" {\n  [ 0 -eq 2 ]\n}\n'
    report = run(project({"test/a.bats": tests}))
    assert report.outcomes == {"adds": "passed", "subtracts": "failed"}


@pytest.mark.slow
def test_busted(project):
    need("busted")
    tests = (
        'it("adds", function() assert.are.equal(2, 1 + 1) end)\n'
        'it("subtracts", function() assert.are.equal(2, 1 - 1) end)\n'
    )
    report = run(project({"spec/a_spec.lua": tests}))
    assert report.outcomes == {"adds": "passed", "subtracts": "failed"}

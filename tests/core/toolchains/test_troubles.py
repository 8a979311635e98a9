"""What tools print when they never came to a test: recorded outputs, the line that counts, and the help."""

import pytest

from ultrawork.core.toolchains import troubles
from ultrawork.core.verdict import gate_run
from ultrawork.core.verdict.gate_run import BROKEN, RED, RunFacts, TestReport

RUSTUP = """\
error: rustup could not choose a version of cargo to run, because one wasn't specified explicitly, and no default is configured.
help: run 'rustup default stable' to download the latest stable release of Rust and set it as your default toolchain.
"""
PINNED = """\
info: syncing channel updates for '1.99.0-x86_64-unknown-linux-gnu'
error: toolchain '1.99.0-x86_64-unknown-linux-gnu' is not installed
help: run `rustup toolchain install 1.99.0-x86_64-unknown-linux-gnu` to install it
"""
CRATES = """\
    Updating crates.io index
warning: spurious network error (3 tries remaining): [6] Couldn't resolve host name (Could not resolve host: index.crates.io)
error: failed to get `serde` as a dependency of package `x v0.1.0 (/x)`
"""
MAVEN = """\
[INFO] Scanning for projects...
[ERROR] [ERROR] Some problems were encountered while processing the POMs:
[FATAL] Non-resolvable parent POM for org.example:x:1: Could not transfer artifact org:parent:pom:7 @ line 5
[ERROR] The build could not read 1 project -> [Help 1]
"""
MAVEN_PLUGIN = (
    "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test (default-test) on project x: "
    "Execution default-test of goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test failed: "
    "Plugin org.apache.maven.plugins:maven-surefire-plugin:3.2.5 or one of its dependencies could not be resolved: no route\n"
)
GRADLE = """\
Downloading https://services.gradle.org/distributions/gradle-8.7-bin.zip
Exception in thread "main" java.net.UnknownHostException: services.gradle.org
	at java.base/java.net.Socket.connect(Socket.java:633)
"""
GO = """\
go: downloading github.com/stretchr/testify v1.9.0
main_test.go:6:2: github.com/stretchr/testify@v1.9.0: Get "https://proxy.golang.org/x": dial tcp: lookup proxy.golang.org: no such host
"""
GO_SUM = (
    "a.go:3:8: no required module provides package github.com/pkg/errors; to add it:\n\tgo get github.com/pkg/errors\n"
)
GO_MAIN = "pattern ./...: directory prefix . does not contain main module or its selected dependencies\n"
ANOTHER_COPY = """\
import file mismatch:
imported module 'shop.prices' has this __file__ attribute:
  /usr/lib/python3/dist-packages/shop/prices.py
which is not the same as the test file we want to collect:
  /home/me/shop/shop/prices.py
"""
DUNE = """\
File "examples/dune", line 6, characters 20-28:
6 |  (libraries   bytes lwt lwt.unix csv)
                            ^^^^^^^^
Error: Library "lwt.unix" not found.
make: *** [Makefile:6: build] Error 1
"""
BUNDLER = """\
Could not find rspec-3.13.0, rake-13.2.1 in locally installed gems
Run `bundle install` to install missing gems.
"""
YARN = "Usage Error: The project in /x/package.json doesn't seem to have been installed - running an install there might help\n"
PERL = "Can't locate Moo.pm in @INC (you may need to install the Moo module) (@INC entries checked: lib) at t/a.t line 3.\n"
UV = "error: Failed to fetch: `https://pypi.org/simple/attrs/`\n  Caused by: dns error\n"
MIX = 'Unchecked dependencies for environment test:\n* jason (Hex package)\n  the dependency is not available, run "mix deps.get"\n'
MESON = '../meson.build:5:8: ERROR: Dependency "glib-2.0" not found, tried pkgconfig and cmake\n'
HEADER = "src/a.c:3:10: fatal error: openssl/ssl.h: No such file or directory\n"
COVERAGE = "__main__.py: error: unrecognized arguments: --cov=x\n"
ROWS = {
    "rustup without a toolchain": (RUSTUP, troubles.TOOLCHAIN, "error: rustup could not choose"),
    "rustup with a pinned one": (PINNED, troubles.TOOLCHAIN, "error: toolchain '1.99.0"),
    "crates.io": (CRATES, troubles.RESOLVER, "error: failed to get `serde`"),
    "Maven's model": (MAVEN, troubles.RESOLVER, "[FATAL] Non-resolvable parent POM"),
    "Maven's plugin, far behind in its line": (MAVEN_PLUGIN, troubles.RESOLVER, "[ERROR] Failed to execute goal"),
    "Gradle's wrapper": (GRADLE, troubles.NETWORK, 'Exception in thread "main" java.net'),
    "a Go module": (GO, troubles.NETWORK, "main_test.go:6:2: github.com"),
    "a Go module that nobody asked for": (GO_SUM, troubles.RESOLVER, "a.go:3:8: no required module"),
    "Go without a module": (GO_MAIN, troubles.RESOLVER, "pattern ./...: directory prefix"),
    "a copy that is installed": (ANOTHER_COPY, troubles.ELSEWHERE, "/usr/lib/python3/dist-packages/"),
    "bundler": (BUNDLER, troubles.INSTALL, "Could not find rspec-3.13.0"),
    "yarn": (YARN, troubles.INSTALL, "Usage Error: The project in"),
    "Perl": (PERL, troubles.INSTALL, "Can't locate Moo.pm"),
    "dune": (DUNE, troubles.INSTALL, 'Error: Library "lwt.unix" not found'),
    "uv": (UV, troubles.RESOLVER, "error: Failed to fetch"),
    "mix": (MIX, troubles.INSTALL, "Unchecked dependencies"),
    "meson": (MESON, troubles.SYSTEM, "../meson.build:5:8: ERROR"),
    "a header": (HEADER, troubles.SYSTEM, "src/a.c:3:10: fatal error"),
    "a plugin of pytest": (COVERAGE, troubles.INSTALL, "__main__.py: error"),
}  # fmt: skip


@pytest.mark.parametrize("row", list(ROWS))
def test_the_first_line_that_says_why_is_kept(row):
    output, kind, start = ROWS[row]
    found = troubles.find_start_trouble("starting\n" + output + "and so on\n" * 50)
    assert found is not None
    assert (found.kind, found.line[: len(start)]) == (kind, start)


@pytest.mark.parametrize("row", list(ROWS))
def test_it_is_broken_before_the_first_test_and_red_after_one(row):
    output = ROWS[row][0]
    assert gate_run.find_colour(RunFacts(exit=1, output=output)).value == BROKEN
    ran = TestReport(outcomes={"test_a": "passed", "test_b": "failed"})
    assert gate_run.find_colour(RunFacts(exit=1, output=output, report=ran)).value == RED
    assert gate_run.find_colour(RunFacts(exit=0, output=output)).value == gate_run.GREEN


def test_what_ran_on_base_is_red_whatever_it_prints():
    now = gate_run.find_colour(RunFacts(exit=101, output=RUSTUP))
    assert gate_run.compare_to_base(now, gate_run.GREEN).value == RED
    assert gate_run.compare_to_base(now, BROKEN).value == BROKEN


def test_the_help_of_the_tool_comes_with_it():
    assert troubles.find_start_trouble(RUSTUP).helps[0].startswith("help: run 'rustup default stable'")
    assert troubles.find_start_trouble(BUNDLER).helps == ["Run `bundle install` to install missing gems."]
    assert troubles.find_start_trouble("\x1b[31merror: no default toolchain\x1b[0m\n").helps == []


@pytest.mark.parametrize(
    "output",
    [
        "",
        "FAIL a.test.js\n  200 != 401\n",
        "error: expected `;`\n",
        "panic: nil\n",
        "a.py:1: F401\n",
        ANOTHER_COPY.replace("/usr/lib/python3/dist-packages", "/home/me/shop/tests"),
    ],
)
def test_other_failures_are_no_trouble(output):
    assert troubles.find_start_trouble(output) is None


def test_modules_are_named_by_their_first_name_and_paths_are_none():
    output = (
        "ModuleNotFoundError: No module named 'yaml.cyaml'\n"
        "Error: Cannot find module '@scope/x/deep'\nError: Cannot find module './own'\n"
        "Cannot find package 'lodash' imported from /x/a.js\n"
    )
    assert troubles.list_absent_modules(output) == ["yaml", "@scope/x", "lodash"]


def test_a_file_that_could_not_be_loaded_is_no_test_that_ran():
    unloaded = TestReport(outcomes={"tests/test_a.py": "failed"}, errored=["tests/test_a.py"])
    facts = RunFacts(exit=2, report=unloaded, absent=["yaml"])
    found = gate_run.find_colour(facts)
    assert (found.value, found.trouble) == (BROKEN, troubles.INSTALL)
    assert found.reason == "its dependencies are not installed: no module yaml"
    one_ran = TestReport(outcomes={"tests/test_a.py": "failed", "test_b": "passed"}, errored=["tests/test_a.py"])
    assert gate_run.find_colour(RunFacts(exit=2, report=one_ran, absent=["yaml"])).value == RED


def test_a_go_package_whose_imports_cannot_be_had_is_broken():
    from ultrawork.gates.results.reading import read_report

    output = f"{GO_SUM}FAIL\texample.org/x [setup failed]\nFAIL\n"
    report = read_report("go", output)
    assert report.errored == ["example.org/x"]
    assert gate_run.find_colour(RunFacts(exit=1, output=output, report=report)).value == BROKEN

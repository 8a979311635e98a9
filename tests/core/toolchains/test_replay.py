"""Replayed results, modes that run only what changed, seeds that are given back."""

import pytest

from ultrawork.core.toolchains import toolchain
from ultrawork.core.verdict.gate_run import BROKEN, RED, RunFacts, compare_to_base, find_colour

REPLAYS = {
    "go": "ok  \texample.com/pay\t(cached)\n",
    "turbo": "web:test: cache hit, replaying logs 1a2b\n",
    "nx": "Nx read the output from the cache instead of running the command for 1 out of 2 tasks.\n",
    "gradle": "> Task :app:test UP-TO-DATE\n",
    "bazel": "//pay:test     (cached) PASSED in 0.1s\n",
    "wireit": "✅ [test] Already fresh\n",
    "gnu-make": "make: 'test' is up to date.\n",
}


@pytest.mark.parametrize("name", REPLAYS)
def test_a_replay_is_seen_in_what_its_tool_prints(name):
    assert toolchain.find_replay(f"first\n{REPLAYS[name]}last\n").name == name


@pytest.mark.parametrize(
    "output",
    [
        "ok  \texample.com/pay\t0.012s\n",
        "test_page_comes_from_cache ok\nprices were (cached)\n",
        "> Task :testClasses UP-TO-DATE\n> Task :compileTestJava UP-TO-DATE\n> Task :test\n",
        "> Task :processTest UP-TO-DATE\n",
        "4 passed\n",
        "make: 'all' is up to date.\n",
        "make[1]: 'test' is up to date.\n",
    ],
)
def test_what_ran_is_no_replay(output):
    assert toolchain.find_replay(output) is None


@pytest.mark.parametrize(
    ("argv", "forced"),
    [
        (["go", "test", "./..."], ["go", "test", "-count=1", "./..."]),
        (["go", "test", "-count=3", "./..."], ["go", "test", "-count=3", "./..."]),
        (["go", "vet", "./..."], ["go", "vet", "./..."]),
        (["./gradlew", "test"], ["./gradlew", "test", "--rerun-tasks"]),
        (["bazel", "test", "//..."], ["bazel", "test", "--cache_test_results=no", "//..."]),
        (["pytest", "-q"], ["pytest", "-q"]),
        (["make", "test"], ["make", "test"]),
    ],
)
def test_a_tool_that_is_started_by_name_is_told_to_run(argv, forced):
    assert toolchain.force_run(argv) == forced


def test_a_tool_behind_a_script_is_told_by_variables():
    made = toolchain.make_forcing_variables("test: turbo run test", {})
    assert made == {"TURBO_FORCE": "true"}
    assert toolchain.make_forcing_variables("test: go test ./...", {"GOFLAGS": "-mod=mod"}) == {
        "GOFLAGS": "-mod=mod -count=1"
    }
    assert toolchain.make_forcing_variables("python3 -m unittest", {}) == {}
    assert toolchain.make_forcing_variables("test: make test", {}) == {}
    assert toolchain.make_forcing_variables("let it go-on, ./go", {}) == {}


def test_a_result_that_was_only_replayed_is_none_and_never_red_for_it():
    run = RunFacts(exit=0, output="", replayed=True)
    assert (find_colour(run).value, find_colour(run).reason) == (BROKEN, "the tool replayed a cached result")
    assert compare_to_base(find_colour(run), "green").value == BROKEN
    assert find_colour(RunFacts(exit=1, output="", replayed=True)).value == RED


@pytest.mark.parametrize(
    ("tool", "words", "option"),
    [
        ("pytest", ["pytest", "--lf"], "--lf"),
        ("pytest", ["pytest", "-q", "--last-failed"], "--last-failed"),
        ("jest", ["jest", "-o"], "-o"),
        ("jest", ["jest", "--changedSince=main"], "--changedSince=main"),
        ("vitest", ["vitest", "run", "--changed"], "--changed"),
        ("mix", ["mix", "test", "--stale"], "--stale"),
        ("nx", ["nx", "affected", "-t", "test"], "affected"),
        ("pytest", ["pytest", "--ff"], ""),
        ("pytest", ["pytest", "-o", "addopts="], ""),
        ("mocha", ["mocha", "--bail"], ""),
    ],
)
def test_modes_that_run_only_part_are_known(tool, words, option):
    assert toolchain.find_partial_option(tool, words) == option


@pytest.mark.parametrize(
    ("output", "given"),
    [
        ("Using --randomly-seed=77\n", {"PYTEST_ADDOPTS": "-x --randomly-seed=77"}),
        ("-test.shuffle 1700\n", {"GOFLAGS": "-shuffle=1700"}),
        ("Randomized with seed 5\n", {"SPEC_OPTS": "--seed 5"}),
        ("Run options: --seed 42\n", {"SEED": "42"}),
        ("3 passed\n", {}),
    ],
)
def test_a_seed_that_was_told_is_given_back(output, given):
    assert toolchain.make_seed_variables(output, {"PYTEST_ADDOPTS": "-x"}) == given


def test_a_failure_with_its_example_is_no_matter_of_luck():
    assert toolchain.has_example("Falsifying example: test_total(prices=[0])")
    assert toolchain.has_example("Property failed after 3 tests\n{ seed: 7 }")
    assert not toolchain.has_example("AssertionError: 1 != 2")

"""What changed tests come to, by what runs of both moments say: the runs are given, the judging is real."""

import pytest

from support.crossing import Bench, make_gate, make_run
from ultrawork.core.verdict.finding import NOTE, STRONG, WEAK
from ultrawork.core.verdict.gate_run import (
    BROKEN,
    FAILED,
    FLAKY,
    GREEN,
    PASSED,
    RED,
    SKIPPED,
    GateResult,
)
from ultrawork.core.verdict.testcases import GONE
from ultrawork.gates.judge import retest
from ultrawork.gates.run.receipt import BASE, NEW_TESTS, OLD_TESTS, PLANTED

PATH = "test_shop.py"
SHOP = "def total(prices):\n    return sum(prices)\n\n\ndef tax(price):\n    return price // 5\n"
OTHER_SHOP = SHOP.replace("price // 5", "price // 4")
TESTS = (
    "def test_total():\n    assert total([1]) == 1\n\n\ndef test_tax():\n    assert tax(10) == 2\n"
)
OTHER_TESTS = TESTS.replace("tax(10) == 2", "tax(8) == 2")
TOTAL_ALONE = TESTS.partition("\n\n\n")[0] + "\n"
FIXTURE = "tests/fixtures/prices.json"
SNAPSHOT = "__snapshots__/shop.snap"


def run(tax=PASSED, total=PASSED, colour="", **report):
    """A run that names both tests; one of them can be left out."""
    outcomes = {f"{PATH}::test_total": total, f"{PATH}::test_tax": tax}
    named = {name: outcome for name, outcome in outcomes.items() if outcome}
    return make_run(named, colour, **report)


def bench_of(base=(), now=(), *, on_base=None, **more):
    """A shop whose tax was changed together with its test, green now and before."""
    before = {"shop.py": SHOP, PATH: TESTS, **dict(base)}
    after = {**before, "shop.py": OTHER_SHOP, PATH: OTHER_TESTS, **dict(now)}
    bench = Bench(before, {path: text for path, text in after.items() if text}, **more)
    bench.measured.now, bench.measured.base = run(), on_base or run()
    return bench


def test_without_a_changed_test_nothing_is_run_and_nothing_said():
    added = TESTS + "\n\ndef test_more():\n    assert tax(20) == 4\n"
    for text in (TESTS, added):
        bench = bench_of(now={PATH: text})
        assert bench.judge() == {}
        assert bench.asked == []


def test_an_original_that_is_still_green_asks_nothing_more():
    bench = bench_of(say={OLD_TESTS: run()})
    retest = bench.retest
    assert retest.findings() == []
    assert (retest.bent, retest.is_bent(f"{PATH}::test_tax")) == ([], False)
    assert [one.on for one in bench.asked] == [OLD_TESTS]


def test_an_expectation_that_moved_with_the_code_is_noted():
    bench = bench_of(say={OLD_TESTS: run(FAILED), NEW_TESTS: run(FAILED)})
    retest = bench.retest
    (moved,) = retest.findings()
    assert (moved.rule, moved.level, moved.where) == ("test-moved", NOTE, f"{PATH}:5")
    assert "tax(10) == 2 -> assert tax(8) == 2" in moved.what
    assert moved.receipt == 7
    assert bench.count(PLANTED) == 0, "what the new test says about base is enough"
    assert retest.is_bent(f"{PATH}::test_tax")
    assert retest.is_bent("test_tax[8]"), "as a runner names one of its cases"
    assert not retest.is_bent(f"{PATH}::test_total")


def test_a_red_test_that_was_changed_instead_of_the_code_is_told():
    bench = bench_of(on_base=run(FAILED), say={OLD_TESTS: run(FAILED), NEW_TESTS: run(FAILED)})
    assert bench.judge()["test-changed"].level == WEAK


@pytest.mark.parametrize(
    ("over_faults", "level"), [(run(PASSED), STRONG), (run(FAILED), NOTE), (make_run(None, RED), NOTE)]
)  # fmt: skip
def test_a_loosened_test_is_refuted_only_by_a_fault_that_it_misses(over_faults, level):
    bench = bench_of(
        say={
            OLD_TESTS: run(FAILED),
            NEW_TESTS: run(),
            PLANTED: lambda asked: over_faults if asked.tests else run(FAILED),
        }
    )
    assert bench.judge()["test-loosened"].level == level


def test_what_cannot_be_run_on_base_is_held_against_emptied_functions():
    bench = bench_of(say={OLD_TESTS: run(FAILED), NEW_TESTS: make_run(None, RED), PLANTED: run(FAILED)})  # fmt: skip
    assert bench.judge()["test-moved"].level == NOTE
    assert [one.tests for one in bench.asked if one.on == PLANTED] == [""]
    bench = bench_of(say={OLD_TESTS: run(FAILED), NEW_TESTS: make_run(None, RED), PLANTED: make_run(None, RED)})  # fmt: skip
    assert "could not be run on base" in bench.judge()["test-not-run"].what


def test_fewer_assertions_or_another_expectation_leave_a_doubt_where_the_original_cannot_run():
    two = TESTS.replace(
        "    assert tax(10) == 2", "    assert tax(10) == 2\n    assert tax(5) == 1"
    )
    unknown = {OLD_TESTS: make_run(None, BROKEN), NEW_TESTS: run()}
    fewer = bench_of(base={PATH: two}, now={PATH: TESTS}, say=unknown).judge()
    assert fewer["test-not-run"].doubt
    other = TESTS.replace("    assert tax(10)", "    rate = 5\n    assert tax(10)")
    same = bench_of(now={PATH: other}, say=unknown).judge()
    assert list(same) == ["test-changed"]
    assert "could not be run" in same["test-changed"].what


@pytest.mark.parametrize(
    ("now", "rule"), [(TOTAL_ALONE, "removed"), (TESTS.replace("def test_tax", "@skip\ndef test_tax"), "skipped")]
)  # fmt: skip
def test_a_test_that_is_red_on_this_code_is_not_put_away(now, rule):
    bench = bench_of(now={PATH: now}, say={OLD_TESTS: run(FAILED)})
    found = bench.judge()["test-put-away"]
    assert (found.level, rule in found.what) == (STRONG, True)
    assert {one.on for one in bench.asked} == {OLD_TESTS}, "the changed test has nothing to say"


def test_the_goal_may_put_a_test_away():
    bench = bench_of(
        now={PATH: TOTAL_ALONE},
        goal="remove test_tax, it is outdated",
        say={OLD_TESTS: run(FAILED)},
    )
    assert "as the goal asks" in bench.judge()["test-removed"].what


def test_a_test_goes_with_its_feature_and_not_with_one_that_got_another_name():
    alone = SHOP.partition("\n\n\n")[0] + "\n"
    bench = bench_of(now={PATH: TOTAL_ALONE, "shop.py": alone}, say={OLD_TESTS: run(FAILED)})
    assert "removed with its feature (tax)" in bench.judge()["test-removed"].what
    renamed = SHOP.replace("def tax", "def levy")
    bench = bench_of(now={PATH: TOTAL_ALONE, "shop.py": renamed}, say={OLD_TESTS: run(FAILED)})
    assert "live on under another name" in bench.judge()["test-not-run"].what


def test_an_original_that_does_not_load_without_its_feature_is_red():
    alone = SHOP.partition("\n\n\n")[0] + "\n"
    bench = bench_of(
        now={PATH: TOTAL_ALONE, "shop.py": alone},
        say={OLD_TESTS: make_run({PATH: FAILED}, errored=[PATH])},
    )
    assert "removed with its feature (tax)" in bench.judge()["test-removed"].what


def cases(**outcomes):
    """A run of a test with parameters: `a=PASSED` is its case `test_tax[a]`."""
    told = {f"{PATH}::test_tax[{name}]": outcome for name, outcome in outcomes.items()}
    return make_run({f"{PATH}::test_total": PASSED, **told})


@pytest.mark.parametrize(
    ("on_base", "rule"),
    [
        (cases(a=PASSED, b=FAILED), "test-moved"),
        (cases(a=FAILED, b=PASSED), "test-changed"),
        (make_run({f"{PATH}::test_tax[b]": PASSED}), "test-moved"),
        (make_run({f"{PATH}::test_tax[a]": FAILED}, errored=[f"{PATH}::test_tax[a]"]), "test-not-run"),
        (make_run(None, GREEN), "test-not-run"),
    ],
    ids=["green then", "red then", "another case then", "could not be set up then", "nothing told then"],
)  # fmt: skip
def test_what_an_original_was_at_the_start_is_read_from_the_case_that_is_red_now(on_base, rule):
    bench = bench_of(on_base=on_base, say={OLD_TESTS: cases(a=FAILED, b=PASSED), NEW_TESTS: cases(a=FAILED)})  # fmt: skip
    bench.measured.now = cases(a=PASSED, b=PASSED)
    assert rule in bench.judge()


@pytest.mark.parametrize(
    ("now", "lost"),
    [
        (cases(a=PASSED, b=PASSED), False),
        (cases(b=PASSED), True),
        (make_run({f"{PATH}::test_tax[b]": PASSED}, GREEN, complete=False), False),
    ],
    ids=["still a case", "taken out", "not all are named"],
)
def test_a_red_case_that_was_taken_out_of_the_parameters_was_put_out_of_reach(now, lost):
    bench = bench_of(say={OLD_TESTS: cases(a=FAILED, b=PASSED), NEW_TESTS: cases(a=FAILED)})
    bench.measured.base = cases(a=PASSED, b=PASSED)
    bench.measured.now = now
    assert ("put out of reach" in str([one.what for one in bench.judge().values()])) is lost


def test_a_file_that_holds_no_single_tests_is_judged_as_a_whole():
    script = "shop.bats"
    say = {OLD_TESTS: make_run({script: FAILED}), NEW_TESTS: make_run({script: FAILED})}
    bench = Bench({"shop.py": SHOP, script: "a\n"}, {"shop.py": OTHER_SHOP, script: "b\n"}, say=say)
    bench.measured.now, bench.measured.base = make_run({script: PASSED}), make_run({script: PASSED})
    assert "test-moved" in bench.judge()
    bench.measured.base = make_run({script: FAILED, "other.bats": PASSED}, GREEN)
    assert "test-changed" in bench.judge(), "what was red at the start is told by its name"


def fixture_bench(**more):
    """The tests stand as they were; what they read was changed."""
    more = {"on_base": run(), **more}
    return bench_of(base={FIXTURE: "1"}, now={FIXTURE: "2", PATH: TESTS}, **more)


@pytest.mark.parametrize(
    ("now", "on_base", "fresh", "rule"),
    [
        (run(), run(), run(FAILED), "test-moved"),
        (run(), run(FAILED), run(FAILED), "support-changed"),
        (run(SKIPPED), run(), run(), "test-put-away"),
        (run(tax=""), run(), run(), "test-put-away"),
        (run(FAILED), run(), run(), None),
        (make_run(None, GREEN), run(), run(), None),
    ],
    ids=["needs it", "was red", "skipped", "gone", "red with both", "not told"],
)
def test_a_test_that_is_red_with_its_fixtures_as_they_were_is_judged(now, on_base, fresh, rule):
    bench = fixture_bench(on_base=on_base, say={OLD_TESTS: run(FAILED), NEW_TESTS: fresh})
    bench.measured.now = now
    retest = bench.retest
    rules = [one.rule for one in retest.findings() if one.rule != "not-collected"]
    assert rules == ([rule] if rule else [])
    assert retest.is_bent(f"{PATH}::test_tax") is bool(rule)
    assert bench.count(PLANTED) == 0


@pytest.mark.parametrize(("over_faults", "level"), [(run(), STRONG), (run(FAILED), NOTE)])
def test_fixtures_that_loosen_a_test_are_held_against_planted_faults(over_faults, level):
    bench = fixture_bench(
        say={
            OLD_TESTS: run(FAILED),
            NEW_TESTS: run(),
            PLANTED: lambda asked: over_faults if asked.tests else run(FAILED),
        }
    )
    found = bench.judge()["test-loosened"]
    assert (found.level, found.where) == (level, FIXTURE)
    assert level != STRONG or found.receipt == 7


def test_a_fixture_that_cannot_be_tried_on_base_is_held_against_emptied_functions():
    bench = fixture_bench(say={OLD_TESTS: run(FAILED), NEW_TESTS: make_run(None, RED), PLANTED: run()})  # fmt: skip
    assert bench.judge()["test-loosened"].level == STRONG
    assert [one.tests for one in bench.asked if one.on == PLANTED] == [""]


def test_a_test_that_changed_itself_is_not_told_of_again_for_its_fixtures():
    bench = bench_of(
        base={FIXTURE: "1"},
        now={FIXTURE: "2"},
        say={OLD_TESTS: run(FAILED), NEW_TESTS: run(FAILED)},
    )
    assert [one.rule for one in bench.retest.findings()] == ["test-moved"]


def test_red_originals_without_a_fixture_say_nothing_about_other_tests():
    bench = bench_of(say={OLD_TESTS: run(FAILED, FAILED), NEW_TESTS: run(FAILED)})
    assert [one.where for one in bench.retest.findings()] == [f"{PATH}:5"]


@pytest.mark.parametrize(
    ("old", "source", "rule"),
    [
        (run(), SHOP, None),
        (run(FAILED), SHOP, "snapshot-alone"),
        (run(FAILED), OTHER_SHOP, "snapshot-moved"),
        (make_run(None, BROKEN), SHOP, "snapshot-alone"),
    ],
    ids=["green with the old one", "red with it", "with the source", "could not be run"],
)
def test_a_snapshot_may_move_but_not_alone(old, source, rule):
    bench = bench_of(
        base={SNAPSHOT: "1"}, now={SNAPSHOT: "2", PATH: TESTS, "shop.py": source}, say={OLD_TESTS: old, NEW_TESTS: run(FAILED)}
    )  # fmt: skip
    bench.measured.now = make_run(None, GREEN)
    found = {name: one for name, one in bench.judge().items() if "snapshot" in name}
    assert list(found) == ([rule] if rule else [])
    if rule == "snapshot-alone":
        assert found[rule].doubt is (old.result.colour == BROKEN)
        assert found[rule].receipt == (None if found[rule].doubt else 7)


def untouched(now, base, **more):
    bench = bench_of(now={PATH: TESTS}, **more)
    bench.measured.now, bench.measured.base = now, base
    return bench


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (run(tax=""), True),
        (run(tax="", colour=FLAKY), True),
        (run(tax="", colour=RED), False),
        (run(), False),
    ],
    ids=["green", "flaky", "red", "all there"],
)
def test_a_test_that_is_in_the_code_and_no_longer_run_is_told(now, told):
    assert ("not-collected" in untouched(now, run()).judge()) is told


def test_without_a_run_now_or_with_the_same_run_as_base_nothing_can_be_missed():
    assert untouched(None, run()).judge() == {}
    same = make_run({f"{PATH}::test_tax": FAILED}, GREEN)
    assert untouched(same, same).judge() == {}
    bench = untouched(run(tax=""), None, say={BASE: run()})
    assert "not-collected" in bench.judge(), "a quick gate is run on base for it"


def test_a_missed_test_that_is_red_as_it_was_is_strong():
    bench = bench_of(
        base={FIXTURE: "1"}, now={PATH: TESTS, FIXTURE: "2"}, say={OLD_TESTS: run(FAILED)}
    )
    bench.measured.now = run(tax="")
    assert bench.judge()["not-collected"].level == STRONG
    bench = untouched(run(tax=""), run())
    bench.measured.pinned = run(FAILED)
    assert bench.judge()["not-collected"].level == STRONG, "by the gate as it was defined"


def test_a_removed_test_and_a_file_that_did_not_load_are_not_missed():
    bench = bench_of(now={PATH: TOTAL_ALONE}, say={OLD_TESTS: run()})
    bench.measured.now = run(tax="")
    assert "not-collected" not in bench.judge()
    before = make_run({PATH: PASSED, f"{PATH}::test_total": PASSED})
    bench = bench_of(on_base=before, say={OLD_TESTS: run()})
    bench.measured.now = make_run({f"{PATH}::test_total": PASSED})
    assert "not-collected" not in bench.judge()


@pytest.mark.parametrize(
    ("pinned", "now", "told"),
    [
        (run(), make_run({}, GREEN, ran=1, complete=False), False),
        (run(FAILED), make_run({}, GREEN, ran=1, complete=False), True),
        (None, make_run({}, GREEN, ran=1, complete=False), True),
        (run(), run(tax=""), True),
    ],
    ids=["green as it was", "red as it was", "not run as it was", "names them all"],
)
def test_a_gate_that_runs_another_way_may_tell_less_where_it_is_green_as_it_was(pinned, now, told):
    gates = {"gate": make_gate(definition="pytest -q"), "pinned": make_gate(definition="pytest")}
    bench = untouched(now, run(), **gates)
    bench.measured.pinned = pinned
    assert ("not-collected" in bench.judge()) is told


def test_a_gate_that_runs_as_before_and_names_its_tests_no_more_is_told():
    bench = untouched(make_run({}, GREEN, ran=1, complete=False), run())
    bench.measured.pinned = run()
    assert "not-collected" in bench.judge()


def counted(number):
    return make_run({}, GREEN, ran=number, failed_count=0, skipped_count=0, complete=False)


@pytest.mark.parametrize(
    ("text", "before", "after", "told"),
    [
        (TOTAL_ALONE, 5, 4, False),
        (TOTAL_ALONE, 5, 3, True),
        (TESTS.replace("def test_tax", "@skip\ndef test_tax"), 5, 4, False),
        (TESTS + "\n\ndef test_more():\n    assert 1\n", 5, 5, True),
        (TESTS, 5, 4, True),
    ],
    ids=["one removed", "one removed, two missed", "one skipped", "one added, none more", "none removed"],
)  # fmt: skip
def test_where_tests_are_only_counted_the_source_says_how_many_fewer_there_are(
    text, before, after, told
):
    bench = bench_of(now={PATH: text}, on_base=counted(before), say={OLD_TESTS: counted(before)})
    bench.measured.now = counted(after)
    assert ("not-collected" in bench.judge()) is told


def test_a_test_that_is_taken_out_of_a_skip_is_one_more_to_run():
    skipped = TESTS.replace("def test_tax", "@skip\ndef test_tax")
    bench = bench_of(base={PATH: skipped}, now={PATH: TESTS}, on_base=counted(5))
    bench.say[OLD_TESTS] = bench.measured.now = counted(5)
    assert "not-collected" in bench.judge()
    bench.measured.now = counted(6)
    assert "not-collected" not in bench.judge()


def test_a_run_that_ends_green_over_a_failed_test_is_told():
    now = run(FAILED, colour=GREEN)
    assert untouched(now, run()).judge()["failure-swallowed"].level == STRONG
    assert "failure-swallowed" not in untouched(run(FAILED), run()).judge()


def test_what_a_run_says_names_its_receipt():
    now = run(tax="", number=3)
    now.result = GateResult(GREEN, report=now.result.report, receipt=3)
    assert untouched(now, run()).judge()["not-collected"].receipt == 3


@pytest.mark.parametrize(("runner", "told"), [("vitest", False), ("pytest", True)])
def test_a_runner_that_names_only_red_files_may_grow_quiet_once_all_is_green(runner, told):
    now = make_run({}, GREEN, ran=2, failed_count=0, skipped_count=0, complete=False)
    bench = untouched(now, run(FAILED), gate=make_gate(runner=runner))
    assert ("not-collected" in bench.judge()) is told


def quiet(colour, **counts):
    """The run of a runner that counts its tests and names none of them."""
    return make_run({}, colour, complete=False, **{"failed_count": 0, "skipped_count": 0, **counts})


@pytest.mark.parametrize(
    ("run", "outcome"),
    [
        (None, None),
        (make_run(None, GREEN), None),
        (make_run({"test_a": FAILED}, GREEN), FAILED),
        (make_run({"test_b": PASSED}, complete=True), GONE),
        (quiet(GREEN), PASSED),
        (quiet(GREEN, skipped_count=1), None),
        (quiet(GREEN, failed_count=1), None),
        (quiet(RED), None),
    ],
    ids=[
        "no run", "no report", "named", "complete without it", "quiet and green", "quiet with skips",
        "quiet with failures", "quiet and red",
    ],
)  # fmt: skip
def test_a_test_that_a_run_does_not_name_has_passed_only_where_all_ran_and_were_green(run, outcome):
    assert retest._by_name(run, "test_a") == outcome


def test_of_a_gate_that_names_no_test_what_it_reads_is_judged_by_its_colour():
    """A golden file that the command names: changed alone it is no fix, with the code it moved."""
    whole = {colour: make_run({}, colour) for colour in (GREEN, RED)}
    for on_base, new_on_base, rule in ((RED, RED, "support-changed"), (GREEN, RED, "test-moved")):
        bench = bench_of(
            base={PATH: "", "wanted": "180"},
            now={PATH: "", "wanted": "190"},
            commands="sh shop.sh | diff - wanted",
            on_base=whole[on_base],
            say={OLD_TESTS: whole[RED], NEW_TESTS: whole[new_on_base]},
        )
        bench.measured.now = whole[GREEN]
        assert rule in bench.judge()


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("sh shop.sh | diff - wanted", "# wanted\n"),
        ("grep -q right wanted", ""),
        ("diff shop.py wanted", ""),
    ],
)
def test_data_that_code_speaks_of_or_that_may_be_what_is_checked_is_no_expectation(command, more):
    before, after = ({"shop.py": SHOP + more, "wanted": text} for text in ("1", "2"))
    assert Bench(before, after, commands=command).tests.support_paths == []


CASES = "def test_tax():\n    assert tax(10) == 2\n"


@pytest.mark.parametrize(
    ("path", "text", "links", "theirs"),
    [
        ("shared/checks.py", CASES, {"tests/test_shop.py": "shared/checks.py"}, True),
        ("shared/cases/a.json", "[1]", {"tests": "shared"}, True),
        ("a/checks.py", CASES, {"tests/test_shop.py": "b", "b": "a/checks.py"}, True),
        ("shared/prices.txt", "180", {"tests/prices.txt": "shared/prices.txt"}, True),
        ("lib/shop.py", SHOP, {"tests/shop.py": "lib/shop.py"}, False),
        ("lib/shop.js", "exports.tax = 1;", {"tests/shop.js": "lib/shop.js"}, False),
        ("shared/checks.py", CASES, {"other/test_shop.py": "shared/else.py"}, False),
        ("shared/prices.txt", "180", {"docs/prices.txt": "shared/prices.txt"}, False),
    ],
)
def test_what_a_link_among_the_tests_points_at_is_theirs(path, text, links, theirs):
    bench = Bench({path: text}, {path: text + "\n# more\n"}, links=links)
    assert bench.tests.support_paths == ([path] if theirs else [])


def test_examples_of_base_are_put_into_the_code_as_it_is():
    code = 'def tax(price):\n    """\n    >>> tax(10)\n    2\n    """\n    return price // 4\n'
    bent = code.replace("    2\n", "    3\n")
    bench = Bench(
        {"shop.py": code},
        {"shop.py": bent},
        say=dict.fromkeys((OLD_TESTS, NEW_TESTS), make_run({"shop.tax": FAILED})),
    )
    bench.measured.now, bench.measured.base = (
        make_run({"shop.tax": PASSED}),
        make_run({"shop.tax": FAILED}),
    )
    assert "support-changed" in bench.judge()
    assert bench.asked[0].texts == {"shop.py": code}

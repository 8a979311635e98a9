"""What runs of tests and code of different moments say about one test, also where they tell little."""

from types import SimpleNamespace

import pytest

from support.crossing import BASE, NOW, Bench, make_gate, make_run
from ultrawork.core.verdict.gate import TEST, Gate
from ultrawork.core.verdict.gate_run import (
    BROKEN,
    FAILED,
    GREEN,
    PASSED,
    RED,
    GateResult,
)
from ultrawork.gates.judge.cross_runs import CrossRuns, restore_tests
from ultrawork.gates.run.receipt import BASE as ON_BASE
from ultrawork.gates.run.receipt import NEW_TESTS, OLD_TESTS, PLANTED, RunReceipt

GATE = Gate(
    name="test", kind=TEST, argv=["make", "test"], command="make test", source="", reason=""
)
CHANGE = SimpleNamespace(path="test_a.py", parts=("test_a",))


def ran(colour, report=None):
    document = {"id": 7, "run": {"seconds": 1.0}, "tree": {"wrote": []}}
    return RunReceipt(GATE, GateResult(colour, report=report), document)


def crossed(run):
    """The tests of a change in one file, every run of which ends like this."""
    side = SimpleNamespace(
        paths=["test_a.py"],
        test_paths=["test_a.py"],
        support_paths=[],
        inline=False,
        patching=[],
        judged=[],
        changed=[],
        texts=lambda **_: {},
    )
    measured = SimpleNamespace(rules=[], pair=SimpleNamespace(pinned=None, gate=GATE))
    source = SimpleNamespace(read=lambda *_: None)
    bench = SimpleNamespace(
        tree="now", base_tree="base", scratch_run=lambda *_, **__: run, source=source
    )
    return CrossRuns(bench, measured, side)


@pytest.mark.parametrize("colour", [RED, BROKEN, GREEN])
def test_of_a_changed_test_that_does_not_load_on_old_code_nothing_is_known_there(colour):
    assert crossed(ran(colour)).outcome_on_base(CHANGE) is None


@pytest.mark.parametrize(("feature", "outcome"), [("old_login", FAILED), ("", None)])
def test_an_original_that_does_not_load_has_failed_only_where_its_feature_is_gone(feature, outcome):
    runs = crossed(ran(RED))
    assert runs.outcome_on_new(CHANGE, feature) is None, "nothing has run yet"
    runs.old_on_new()
    assert runs.outcome_on_new(CHANGE, feature) == outcome


SHOP = "def total(prices):\n    return sum(prices)\n\n\ndef tax(price):\n    return price // 5\n"
OTHER_SHOP = SHOP.replace("price // 5", "price // 4")
TESTS = (
    "def test_total():\n    assert total([1]) == 1\n\n\ndef test_tax():\n    assert tax(10) == 2\n"
)
OTHER_TESTS = TESTS.replace("tax(10) == 2", "tax(8) == 2")
PATH = "test_shop.py"
RED_TAX = make_run({f"{PATH}::test_total": PASSED, f"{PATH}::test_tax": FAILED})
ALL_GREEN = make_run({f"{PATH}::test_total": PASSED, f"{PATH}::test_tax": PASSED})
TAX_ALONE = make_run({f"{PATH}::test_tax": FAILED})
QUIET = make_run(None, RED)
UNLOADED = make_run({PATH: FAILED}, errored=[PATH])


def bench_of(base=(), now=(), **more):
    """A shop whose tax was changed together with its test; further files by their paths."""
    whole = {"shop.py": SHOP, PATH: TESTS, **dict(base)}
    after = {**whole, "shop.py": OTHER_SHOP, PATH: OTHER_TESTS, **dict(now)}
    return Bench(whole, {path: text for path, text in after.items() if text}, **more)


def test_originals_run_on_the_new_code_and_only_those_of_files_that_changed():
    bench = bench_of(say={OLD_TESTS: RED_TAX})
    assert bench.crossing.old_on_new() is RED_TAX
    (asked,) = bench.asked
    assert (asked.code, asked.tests, asked.paths) == (NOW, BASE, [PATH])
    assert asked.chosen == '-k "test_shop"'


@pytest.mark.parametrize(
    "more",
    [
        {"base": {"tests/fixtures/a.json": "1"}, "now": {"tests/fixtures/a.json": "2"}},
        {"rules": ["Makefile"]},
        {"now": {PATH: "import shop\n" + OTHER_TESTS + "\n\nshop.tax = abs\n"}},
    ],
    ids=["a fixture", "how the gate runs", "a test that sets something in the code"],
)
def test_where_more_than_tests_changed_all_of_them_run_as_they_were(more):
    bench = bench_of(say={OLD_TESTS: RED_TAX}, **more)
    bench.crossing.old_on_new()
    assert bench.asked[0].chosen == ""
    assert set(bench.asked[0].paths) > {PATH} or bench.tests.patching


def test_originals_run_as_the_gate_was_then_and_new_tests_as_it_is():
    before, after = make_gate(argv=["pytest", "-q"]), make_gate(argv=["pytest", "-v"])
    bench = bench_of(gate=after, pinned=before, say={OLD_TESTS: RED_TAX, NEW_TESTS: ALL_GREEN})
    bench.crossing.old_on_new()
    bench.crossing.new_on_base(together=True)
    assert [one.gate.argv[-1] for one in bench.asked] == ["-q", "-v"]


def alone_then_in_company(alone, together):
    return lambda asked: alone if "test_tax" in asked.chosen else together


@pytest.mark.parametrize(
    ("alone", "together", "red", "runs"),
    [
        (RED_TAX, RED_TAX, ["test_tax"], 2),
        (RED_TAX, ALL_GREEN, [], 2),
        (ALL_GREEN, RED_TAX, [], 1),
        (QUIET, RED_TAX, [], 1),
        (make_run({"test_tax": FAILED}, errored=["test_tax"]), RED_TAX, [], 1),
    ],
    ids=["both", "only alone", "only in company", "nothing told", "never ran"],
)
def test_an_original_is_red_only_where_it_is_alone_and_in_company(alone, together, red, runs):
    def name(run):
        report = run.result.report
        outcomes = None if report is None else {one.rpartition("::")[2]: report.outcomes[one] for one in report.outcomes}  # fmt: skip
        return make_run(outcomes, run.result.colour, errored=report.errored if report else ())

    say = {OLD_TESTS: alone_then_in_company(name(alone), name(together))}
    bench = bench_of(say=say)
    assert bench.crossing.list_red_as_they_were(["test_tax"]) == red
    assert bench.count(OLD_TESTS) == runs


def test_a_gate_that_cannot_run_some_of_its_tests_is_asked_once_for_all():
    gate = make_gate(runner="make")
    bench = bench_of(gate=gate, say={OLD_TESTS: make_run({"test_tax": FAILED})})
    assert bench.crossing.list_red_as_they_were(["test_tax"]) == ["test_tax"]
    assert bench.count(OLD_TESTS) == 1


def test_new_tests_on_old_code_are_those_that_changed_or_were_red_there_and_run_once():
    red_total = make_run({f"{PATH}::test_total": FAILED, f"{PATH}::test_tax": PASSED})
    bench = bench_of(say={ON_BASE: red_total, NEW_TESTS: TAX_ALONE})
    runs = bench.crossing
    assert runs.new_on_base() is TAX_ALONE
    assert runs.new_on_base() is TAX_ALONE
    (asked,) = [one for one in bench.asked if one.on == NEW_TESTS]
    assert (asked.code, asked.tests, asked.paths) == (BASE, NOW, [PATH])
    assert asked.chosen == '-k "test_tax or test_total"'


def test_asked_together_new_tests_run_with_their_files():
    bench = bench_of(say={ON_BASE: ALL_GREEN, NEW_TESTS: lambda asked: make_run({}, GREEN) if "shop" in asked.chosen else TAX_ALONE})  # fmt: skip
    runs = bench.crossing
    alone, together = runs.new_on_base(), runs.new_on_base(together=True)
    assert alone is TAX_ALONE
    assert together is not alone
    assert [one.chosen for one in bench.asked if one.on == NEW_TESTS] == ['-k "test_tax"', '-k "test_shop"']  # fmt: skip


def test_what_ran_together_is_not_run_alone_after_it():
    bench = bench_of(say={ON_BASE: ALL_GREEN, NEW_TESTS: RED_TAX})
    runs = bench.crossing
    assert runs.new_on_base(together=True) is runs.new_on_base() is RED_TAX
    assert bench.count(NEW_TESTS) == 1


@pytest.mark.parametrize(
    "more",
    [
        {"now": {PATH: TESTS.partition("\n\n\n")[0] + "\n"}},
        {"base": {"tests/fixtures/a.json": "1"}, "now": {"tests/fixtures/a.json": "2"}},
        {"rules": ["Makefile"]},
        {"base": {"shop.bats": "a\n"}, "now": {"shop.bats": "b\n"}},
    ],
    ids=["only removed", "a fixture", "how the gate runs", "a file as a whole"],
)
def test_where_tests_alone_cannot_tell_all_of_them_run_on_old_code(more):
    bench = bench_of(say={ON_BASE: ALL_GREEN, NEW_TESTS: RED_TAX}, **more)
    bench.crossing.new_on_base()
    (asked,) = [one for one in bench.asked if one.on == NEW_TESTS]
    assert "test_tax" not in asked.chosen


@pytest.mark.parametrize(
    ("alone", "runs"),
    [
        (TAX_ALONE, 1),
        (make_run({PATH: FAILED}, errored=[PATH]), 1),
        (make_run({f"{PATH}::test_tax": FAILED}, errored=[f"{PATH}::test_tax"]), 1),
        (QUIET, 2),
        (make_run({}, GREEN, ran=0, complete=True), 2),
        (make_run({f"{PATH}::test_total": PASSED}), 2),
        (make_run({f"{PATH}::test_total": FAILED}, errored=[f"{PATH}::test_total"]), 2),
        (make_run({PATH: FAILED}), 2),
    ],
    ids=["named", "its file does not load", "it cannot be set up", "no report", "none ran", "another ran",
         "another cannot be set up", "its file as one test"],
)  # fmt: skip
def test_a_run_alone_counts_only_where_it_speaks_of_the_test(alone, runs):
    bench = bench_of(say={ON_BASE: ALL_GREEN, NEW_TESTS: lambda asked: alone if "test_tax" in asked.chosen else RED_TAX})  # fmt: skip
    assert bench.crossing.new_on_base() is (alone if runs == 1 else RED_TAX)
    assert bench.count(NEW_TESTS) == runs


def test_a_gate_with_a_service_runs_nothing_on_old_code():
    bench = bench_of(gate=make_gate(needs=["tcp:5432"]))
    assert bench.crossing.new_on_base() is None
    assert bench.crossing.outcome_on_base(bench.tests.judged[0]) is None
    assert bench.asked == []


def test_without_a_changed_test_new_tests_on_old_code_are_the_base():
    bench = bench_of(now={PATH: TESTS}, say={ON_BASE: ALL_GREEN})
    assert bench.crossing.new_on_base() is ALL_GREEN
    assert bench.count(NEW_TESTS) == 0


def test_a_gate_that_runs_another_way_is_run_on_old_code_though_no_test_changed():
    bench = bench_of(now={PATH: TESTS}, rules=["Makefile"], say={NEW_TESTS: ALL_GREEN})
    assert bench.crossing.new_on_base() is ALL_GREEN
    assert bench.asked[0].paths == ["Makefile"]


@pytest.mark.parametrize(
    ("own", "shared", "outcome", "runs"),
    [
        (ALL_GREEN, ALL_GREEN, PASSED, 2),
        (ALL_GREEN, RED_TAX, FAILED, 2),
        (ALL_GREEN, UNLOADED, None, 2),
        (RED_TAX, ALL_GREEN, FAILED, 1),
    ],
)
def test_what_product_and_tests_stand_on_is_tried_as_it_was_and_as_it_is(
    own, shared, outcome, runs
):
    """A fault may lie just there: an original that passes only with the old one has not passed."""
    bench = bench_of(
        base={"money.py": "RATE = 5\n"},
        now={"money.py": "RATE = 4\n"},
        say={OLD_TESTS: lambda asked: own if "money.py" in asked.paths else shared},
    )
    bench.tests.add_support(["money.py"])
    crossing, (change,) = bench.crossing, bench.tests.judged
    crossing.old_on_new()
    assert [crossing.outcome_on_new(change, "") for _ in range(2)] == [outcome, outcome]
    assert [one.paths for one in bench.asked] == [[PATH, "money.py"], [PATH]][:runs]


def graft_bench(kind, whole, grafted):
    """`whole` as the file is, `grafted` once tests stand in the file of the other moment."""
    return bench_of(say={ON_BASE: ALL_GREEN, kind: lambda asked: grafted if asked.texts else whole})


@pytest.mark.parametrize(("kind", "tests"), [(OLD_TESTS, TESTS), (NEW_TESTS, OTHER_TESTS)])
def test_a_test_whose_file_does_not_load_is_put_into_the_file_that_does(kind, tests):
    bench = graft_bench(kind, UNLOADED, RED_TAX)
    runs, (change,) = bench.crossing, bench.tests.judged
    if kind == OLD_TESTS:
        runs.old_on_new()
        outcome = runs.outcome_on_new(change, "")
    else:
        outcome = runs.outcome_on_base(change)
    assert outcome == FAILED
    asked = bench.asked[-1]
    assert (asked.paths, asked.texts) == ([], {PATH: tests})


def test_tests_are_put_into_another_file_once_for_all_of_them():
    bench = graft_bench(OLD_TESTS, UNLOADED, RED_TAX)
    runs, (change,) = bench.crossing, bench.tests.judged
    runs.old_on_new()
    assert [runs.outcome_on_new(change, "") for _ in range(2)] == [FAILED, FAILED]
    assert bench.count(OLD_TESTS) == 2


def test_where_the_run_tells_of_every_test_none_is_put_elsewhere():
    bench = graft_bench(OLD_TESTS, RED_TAX, None)
    runs, (change,) = bench.crossing, bench.tests.judged
    runs.old_on_new()
    assert runs.outcome_on_new(change, "") == FAILED
    assert bench.count(OLD_TESTS) == 1


def test_a_file_that_is_new_or_gone_has_no_place_for_a_test_of_another_moment():
    bench = Bench({"shop.py": SHOP, PATH: TESTS}, {"shop.py": SHOP}, say={OLD_TESTS: UNLOADED})
    runs = bench.crossing
    runs.old_on_new()
    assert [runs.outcome_on_new(one, "") for one in bench.tests.judged] == [None, None]
    assert bench.count(OLD_TESTS) == 1


def noticed(bench, *, on_base):
    name = f"{PATH}::test_tax"
    return bench.crossing.notices_fault(
        lambda run: run.result.report.outcomes.get(name) if run.result.report else None,
        on_base=on_base,
    )


@pytest.mark.parametrize(("run", "answer"), [(RED_TAX, True), (ALL_GREEN, False), (QUIET, None)])
def test_a_test_notices_a_fault_where_it_is_red_over_the_emptied_functions(run, answer):
    bench = bench_of(say={PLANTED: run})
    assert noticed(bench, on_base=False) is answer
    (asked,) = bench.asked
    assert (asked.code, asked.tests, asked.chosen) == (NOW, "", '-k "test_tax"')
    assert asked.texts == {"shop.py": OTHER_SHOP.replace("return price // 4", "pass")}


@pytest.mark.parametrize(
    ("old", "new", "answer"),
    [
        (RED_TAX, RED_TAX, True),
        (RED_TAX, ALL_GREEN, False),
        (RED_TAX, QUIET, None),
        (ALL_GREEN, RED_TAX, None),
        (QUIET, RED_TAX, None),
    ],
)
def test_on_base_only_a_fault_that_the_original_notices_says_something(old, new, answer):
    bench = bench_of(say={PLANTED: lambda asked: new if asked.tests == NOW else old})
    assert noticed(bench, on_base=True) is answer
    assert {one.code for one in bench.asked} == {BASE}
    assert [one.paths for one in bench.asked] == [[], [PATH]]
    assert all("ultrawork_bent" in one.texts["shop.py"] for one in bench.asked)


def test_originals_meet_planted_faults_as_the_gate_was_then():
    before, after = make_gate(argv=["pytest", "-q"]), make_gate(argv=["pytest", "-v"])
    bench = bench_of(gate=after, pinned=before, say={PLANTED: RED_TAX})
    noticed(bench, on_base=True)
    assert [one.gate.argv[-1] for one in bench.asked] == ["-q", "-v"]


def test_where_no_function_changed_there_is_no_place_for_a_fault():
    bench = bench_of(now={"shop.py": SHOP}, say={PLANTED: RED_TAX})
    assert noticed(bench, on_base=False) is None
    assert noticed(bench, on_base=True) is None
    assert bench.asked == []


def test_faults_are_planted_once_for_all_who_ask():
    bench = bench_of(say={PLANTED: RED_TAX})
    runs = bench.crossing
    for _ in range(2):
        runs.notices_fault(lambda _: FAILED, on_base=False)
    assert bench.count(PLANTED) == 1


def test_with_a_changed_fixture_faults_are_held_against_all_tests():
    fixture = "tests/fixtures/a.json"
    bench = bench_of(base={fixture: "1"}, now={fixture: "2"}, say={PLANTED: RED_TAX})
    noticed(bench, on_base=False)
    assert bench.asked[0].chosen == ""


SUITE = """\
class TestShop:
    def test_a(self):
        assert a

    def test_b(self):
        assert b

    def test_c(self):
        assert c


def test_loose():
    assert loose
"""


def without(*names):
    """The suite without these tests."""
    kept, skipping = [], False
    for line in SUITE.splitlines():
        if "def " in line:
            skipping = any(f"{name}(" in line for name in names)
        if not skipping or line.startswith("class"):
            kept.append(line)
    return "\n".join(kept) + "\n"


@pytest.mark.parametrize(
    ("now", "restored"),
    [
        (SUITE.replace("assert b", "assert True"), SUITE),
        (without("test_b"), ["test_a", "test_b", "test_c", "test_loose"]),
        (without("test_a", "test_b"), ["test_b", "test_c", "test_loose"]),
        (without("test_b", "test_c"), ["test_a", "test_b", "test_loose"]),
    ],
    ids=["changed", "gone between two", "gone before the first", "gone after the last"],
)
def test_a_test_is_put_back_where_it_stood(now, restored):
    found = restore_tests(SUITE, now, PATH, [("TestShop", "test_b")])
    if isinstance(restored, str):
        assert found == restored
    names = [line.split("def ")[1].partition("(")[0] for line in found.splitlines() if "def " in line]  # fmt: skip
    assert names == (restored if isinstance(restored, list) else names)
    assert found.count("assert b") == 1
    assert found.index("class TestShop") < found.index("test_b")
    if isinstance(restored, list):
        assert "\n\n    def test_b(self):\n        assert b\n\n" in found, (
            "apart from its neighbours"
        )


def test_a_test_without_neighbours_comes_after_the_others_of_its_suite():
    now = "class TestShop:\n    def test_x(self):\n        assert x\n\n    def test_y(self):\n        assert y\n"
    found = restore_tests(SUITE, now, PATH, [("TestShop", "test_b")])
    assert found.index("assert x") < found.index("assert y") < found.index("assert b")


def test_a_test_whose_suite_is_gone_has_no_place():
    now = "def test_other():\n    assert other\n"
    assert restore_tests(SUITE, now, PATH, [("TestShop", "test_b")]) is None
    assert restore_tests(SUITE, now, PATH, [("TestShop", "test_unknown")]) is None


def test_several_tests_are_put_back_at_once():
    names = [("TestShop", "test_a"), ("TestShop", "test_c"), ("test_loose",)]
    now = SUITE.replace("assert a", "pass").replace("assert c", "pass").replace("assert loose", "pass")  # fmt: skip
    assert restore_tests(SUITE, now, PATH, names) == SUITE


def test_a_longer_original_shifts_none_that_is_put_back_after_it():
    before = SUITE.replace("        assert b", "        more = b\n        assert more")
    now = without("test_c").replace("assert b", "pass")
    names = [("TestShop", "test_b"), ("TestShop", "test_c")]
    found = restore_tests(before, now, PATH, names)
    assert [line for line in found.splitlines() if line] == [one for one in before.splitlines() if one]  # fmt: skip


def test_only_tests_that_the_run_could_not_tell_about_are_put_elsewhere():
    both = OTHER_TESTS.replace("total([1]) == 1", "total([2]) == 2")
    told = make_run({f"{PATH}::test_total": FAILED}, RED, failed_count=2, complete=False)
    bench = bench_of(now={PATH: both}, say={OLD_TESTS: lambda asked: RED_TAX if asked.texts else told})  # fmt: skip
    runs = bench.crossing
    runs.old_on_new()
    assert [runs.outcome_on_new(one, "") for one in bench.tests.judged] == [FAILED, FAILED]
    assert bench.asked[-1].texts == {PATH: both.replace("tax(8) == 2", "tax(10) == 2")}

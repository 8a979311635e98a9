"""
Names of tests from runners with a handwriting of their own. Outputs of prove, ctest, meson, bats, busted and bun were
taken from real runs; those of deno, dart, swift, zig, sbt and kin are recorded from their documents.
"""

import pytest

from ultrawork.gates.results.reading import read_report

PROVE = """\
t/a.t ..
1..3
ok 1 - adds
not ok 2 - subtracts

#   Failed test 'subtracts'
#   at t/a.t line 3.
#          got: '2'
#     expected: '3'
ok 3 # skip no net
Dubious, test returned 1 (wstat 256, 0x100)
Failed 1/3 subtests
t/b.t ..
# Subtest: inner
    ok 1 - deep
    1..1
ok 1 - inner
ok 2 - adds
1..2
ok
t/d.t .. skipped: not here

Test Summary Report
-------------------
t/a.t (Wstat: 256 (exited 1) Tests: 3 Failed: 1)
  Failed test:  2
Files=4, Tests=5,  0 wallclock secs ( 0.02 usr  0.00 sys +  0.13 cusr  0.04 csys =  0.19 CPU)
Result: FAIL
"""
PROVE_UNLOADED = """\
t/c.t ..
Can't locate No/Such.pm in @INC (you may need to install the No::Such module) at t/c.t line 1.
BEGIN failed--compilation aborted at t/c.t line 1.
Dubious, test returned 2 (wstat 512, 0x200)
No subtests run

Test Summary Report
-------------------
Files=1, Tests=0,  0 wallclock secs ( 0.01 usr  0.00 sys +  0.03 cusr  0.00 csys =  0.04 CPU)
Result: FAIL
"""
CTEST = """\
    Start 1: adds
1/2 Test #1: adds .............................   Passed    0.01 sec
    Start 2: subtracts
2/2 Test #2: subtracts ........................***Failed    0.00 sec

50% tests passed, 1 tests failed out of 2
"""
MESON = """\
1/2 x:adds      OK              0.02s
2/2 x:subtracts FAIL            0.01s   exit status 1

Summary of Failures:

2/2 x:subtracts FAIL            0.01s   exit status 1

Ok:                1
Fail:              1
"""
BATS = """\
1..3
ok 1 adds
not ok 2 subtracts
# (in test file test/a.bats, line 5)
#   `[ $((1-1)) -eq 2 ]' failed
ok 3 later # skip no net
"""
BUSTED = """\
ok 1 - math adds
not ok 2 - math subtracts
# spec/a_spec.lua @ 3
# Failure message: spec/a_spec.lua:3: Expected objects to be equal.
ok 3 - # SKIP math later
1..3
"""
BUN = """\
bun test v1.4.4 (38afee6c8)

a.test.ts:
(pass) math > adds [0.02ms]
error: expect(received).toBe(expected)

Expected: 2
Received: 0

      at <anonymous> (a.test.ts:2:109)
(fail) math > subtracts [0.29ms]
(skip) math > later

 1 pass
 1 skip
 1 fail
 2 expect() calls
Ran 3 tests across 1 file. [18.00ms]
"""
DENO = """\
Check file:///x/a_test.ts
running 3 tests from ./a_test.ts
adds ... ok (0ms)
subtracts ... FAILED (1ms)
later ... ignored (0ms)

 ERRORS

subtracts => ./a_test.ts:4:6
error: AssertionError: Values are not equal.

 FAILURES

subtracts => ./a_test.ts:4:6

FAILED | 1 passed | 1 failed | 1 ignored (5ms)
"""
DART = """\
00:00 +0: loading test/a_test.dart
00:00 +0: test/a_test.dart: math adds
00:00 +1: test/a_test.dart: math subtracts
00:00 +1 -1: test/a_test.dart: math subtracts [E]
  Expected: <2>
    Actual: <0>
00:00 +1 -1: test/a_test.dart: math later
  Skip: no net
00:00 +1 ~1 -1: Some tests failed.
"""
XCTEST = """\
Test Suite 'MathTests' started at 2026-01-01 10:00:00.000
Test Case 'MathTests.testAdds' started at 2026-01-01 10:00:00.000
Test Case 'MathTests.testAdds' passed (0.001 seconds)
/x/Tests/MathTests.swift:9: error: MathTests.testSubtracts : XCTAssertEqual failed: ("0") is not equal to ("2") -
Test Case 'MathTests.testSubtracts' failed (0.002 seconds)
"""
SWIFT_TESTING = """\
◇ Test run started.
◇ Test adds() started.
✔ Test adds() passed after 0.001 seconds.
✘ Test "takes away" recorded an issue at MathTests.swift:7:5: Expectation failed: (0) == 2
✘ Test "takes away" failed after 0.001 seconds with 1 issue.
✘ Test run with 2 tests failed after 0.001 seconds with 1 issue.
"""

ROWS = {
    "prove": (PROVE, ["t/a.t::adds", "t/b.t::inner", "t/b.t::adds"], {"t/a.t::subtracts": "t/a.t:3  got: '2', expected: '3'"}, 2),
    "ctest": (CTEST, ["adds"], {"subtracts": ""}, 0),
    "meson": (MESON, ["x:adds"], {"x:subtracts": "exit status 1"}, 0),
    "bats": (BATS, ["adds"], {"subtracts": "in test file test/a.bats, line 5"}, 1),
    "busted": (BUSTED, ["math adds"], {"math subtracts": "spec/a_spec.lua @ 3"}, 1),
    "bun": (BUN, ["a.test.ts > math > adds"], {"a.test.ts > math > subtracts": "toBe(expected)"}, 1),
    "deno": (DENO, ["a_test.ts > adds"], {"a_test.ts > subtracts": "a_test.ts:4  AssertionError"}, 1),
    "dart": (DART, ["test/a_test.dart: math adds"], {"test/a_test.dart: math subtracts": "<2>"}, 1),
    "swift": (XCTEST, ["MathTests.testAdds"], {"MathTests.testSubtracts": "MathTests.swift:9"}, 0),
    "swift ": (SWIFT_TESTING, ["adds"], {"takes away": "MathTests.swift:7"}, 0),
}  # fmt: skip


@pytest.mark.parametrize("known", [True, False], ids=["by its name", "by its handwriting"])
@pytest.mark.parametrize("runner", list(ROWS))
def test_tests_are_read_by_name(runner, known):
    text, passed, failed, skipped = ROWS[runner]
    report = read_report(runner.strip() if known else "", "building\n" + text)
    assert report.names("passed") == passed
    assert report.failed == list(failed)
    assert report.skipped_count == skipped
    for name, part in failed.items():
        assert part in report.messages.get(name, "")


def test_a_file_of_perl_that_died_at_once_has_not_run():
    report = read_report("prove", PROVE_UNLOADED)
    assert (report.failed, report.errored) == (["t/c.t"], ["t/c.t"])


def test_a_quiet_harness_names_its_files():
    text = (
        "t/a.t .. ok\nt/b.t .. \nDubious, test returned 1 (wstat 256, 0x100)\nFailed 1/3 subtests \n"
        "Files=2, Tests=6,  0 wallclock secs ( 0.02 usr )\nResult: FAIL\n"
    )
    report = read_report("", text)
    assert (report.outcomes, report.errored) == ({"t/a.t": "passed", "t/b.t": "failed"}, [])


COUNTS = {
    "busted": ("1 success / 1 failure / 1 error / 1 pending : 0.01 seconds", (3, 2, 1)),
    "zig": ("Build Summary: 3/5 steps succeeded; 1 failed; 4/6 tests passed; 1 skipped; 1 failed", (5, 1, 1)),
    "sbt": ("[error] Failed: Total 3, Failed 1, Errors 0, Passed 2", (3, 1, 0)),
    "tasty": ("1 out of 3 tests failed (0.00s)", (3, 1, 0)),
    "tasty green": ("All 3 tests passed (0.00s)", (3, 0, 0)),
    "testthat": ("[ FAIL 1 | WARN 0 | SKIP 2 | PASS 3 ]", (4, 1, 2)),
}  # fmt: skip


@pytest.mark.parametrize("runner", list(COUNTS))
def test_numbers_are_read_where_only_numbers_are_printed(runner):
    text, (ran, failed, skipped) = COUNTS[runner]
    report = read_report("", text + "\n")
    assert (report.ran, report.failed_count, report.skipped_count) == (ran, failed, skipped)


def test_prove_names_a_test_alike_wherever_its_scratch_files_lie():
    text = "t/a.t .. \nok 1 - Opened /tmp/{} for writing\nok 2 - sub at 0x{}\nok\nFiles=1, Tests=2, 0 wallclock secs\nResult: PASS\n"
    one, two = (
        read_report("prove", text.format(*own), root="/x") for own in (("PHSE4Y", "55d0c8a1"), ("Qx91kk", "7ffe01b2"))
    )
    assert list(one.outcomes) == ["t/a.t::Opened … for writing", "t/a.t::sub at …"]
    assert one.outcomes == two.outcomes


def test_rows_that_stand_before_the_name_of_their_test_belong_to_it():
    text = (
        "TAP version 13\n# adds\n    ok 1 - is two\nok 1 - adds # time = 1.01ms\n"
        "# fails\n    not ok 1 - is two\n      ---\n      actual: 1\n      ...\nnot ok 2 - fails\n"
        "    ok 1 - is two\nnot ok 3 - ends too late\n1..3\n"
    )
    report = read_report("brittle", text)
    assert report.outcomes == {
        "adds > is two": "passed",
        "fails > is two": "failed",
        "ends too late > is two": "passed",
        "ends too late": "failed",
    }


@pytest.mark.parametrize(
    ("output", "failed"),
    [
        (
            "# Running:\n\n.F\n\n  1) Failure:\nInvoiceTest#test_sum [test/a_test.rb:18]:\n"
            "Expected: 3\n  Actual: nil\n\n2 runs, 2 assertions, 1 failures, 0 errors, 0 skips\n",
            {"InvoiceTest#test_sum": "test/a_test.rb:18  Expected: 3"},
        ),
        (
            "2 examples, 1 failure\n\nFailed examples:\n\nrspec ./spec/a_spec.rb:4 # Invoice sums up\n",
            {"Invoice sums up": "./spec/a_spec.rb:4"},
        ),
        (
            "There was 1 failure:\n\n1) App\\ATest::testSum\nFailed asserting that 2 is 3.\n\n"
            "FAILURES!\nTests: 2, Assertions: 2, Failures: 1.\n",
            {"App\\ATest::testSum": "Failed asserting that 2 is 3."},
        ),
    ],
)
def test_a_runner_that_only_counts_what_passes_names_what_fails(output, failed):
    report = read_report("", output)
    assert {name: report.messages.get(name, "") for name in report.failed} == failed
    assert not report.complete

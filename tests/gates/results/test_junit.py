"""JUnit files as other tools write them."""

import pytest

from ultrawork.gates.results.reading import read_report

SUREFIRE = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="com.example.PayTest" tests="3" errors="0" skipped="1" failures="1">
  <testcase name="adds" classname="com.example.PayTest" time="0.01"/>
  <testcase name="subtracts" classname="com.example.PayTest" time="0.01">
    <failure message="expected: &lt;401&gt; but was: &lt;200&gt;" type="AssertionError">stack</failure>
  </testcase>
  <testcase name="later" classname="com.example.PayTest"><skipped/></testcase>
</testsuite>
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "reports").mkdir()
    return tmp_path / "reports"


def test_every_report_below_the_folder_is_read(folder):
    (folder / "TEST-one.xml").write_text(SUREFIRE)
    (folder / "deep").mkdir()
    (folder / "deep" / "TEST-two.xml").write_text(SUREFIRE.replace("PayTest", "BoxTest"))
    report = read_report("junit", "", str(folder))
    assert report.outcomes["com.example.PayTest::adds"] == "passed"
    assert report.outcomes["com.example.BoxTest::later"] == "skipped"
    assert report.messages["com.example.PayTest::subtracts"] == "expected: <401> but was: <200>"
    assert (report.ran, report.failed_count, report.complete) == (4, 2, True)


def test_a_report_without_a_test_does_not_hide_that_none_ran(folder):
    (folder / "pytest.xml").write_text('<testsuites><testsuite name="pytest" tests="0" /></testsuites>')
    report = read_report("pytest", "===== no tests ran in 0.05s =====", str(folder))
    assert report.ran == 0


def test_half_a_report_is_no_report(folder):
    (folder / "half.xml").write_text(SUREFIRE[: len(SUREFIRE) // 2])
    assert read_report("", "nothing here", str(folder)) is None


def test_a_report_with_entities_is_not_parsed(folder):
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]><testsuite><testcase name="&a;"/></testsuite>'
    (folder / "bomb.xml").write_text(bomb)
    assert read_report("", "nothing here", str(folder)) is None


def test_another_document_is_no_report(folder):
    (folder / "coverage.xml").write_text("<coverage/>")
    assert read_report("", "nothing here", str(folder)) is None


def test_a_folder_that_was_never_made_holds_no_report(tmp_path):
    assert read_report("", "1 passed in 0.01s", str(tmp_path / "none")).ran == 1

"""Minitest names its tests by a plugin of ours, which changes nothing else about a run."""

import os
import shutil
import subprocess

import pytest

from ultrawork.core.verdict.gate_run import FAILED, PASSED, SKIPPED
from ultrawork.gates.results import reading

TESTS = """
require "minitest/autorun"

class CartTest < Minitest::Test
  def test_sum = assert_equal(3, 1 + 2)
  def test_rest = assert_equal(2, 1, "<&>")
  def test_name = missing_name
  def test_later = skip
end

describe "a cart" do
  it("is \\"empty\\"") { assert true }
end
"""


@pytest.fixture
def run(tmp_path):
    if shutil.which("ruby") is None or subprocess.run(["ruby", "-rminitest", "-e", "1"], check=False).returncode:
        pytest.skip("minitest is not installed")
    (tmp_path / "cart_test.rb").write_text(TESTS)

    def run(folder, **present):
        environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **present}
        added = reading.make_report_environment("minitest", str(folder), environ)
        done = subprocess.run(
            ["ruby", "cart_test.rb"], cwd=tmp_path, env=environ | added, capture_output=True, text=True, check=False
        )
        report = reading.read_report("minitest", done.stdout, str(folder), str(tmp_path), exit_=done.returncode)
        return done, report

    return run


@pytest.mark.slow
def test_each_test_is_named_with_its_result_and_message(run, tmp_path):
    folder = tmp_path / "a folder"
    folder.mkdir()
    done, report = run(folder)
    assert (done.returncode, done.stderr) == (1, "")
    assert report.outcomes == {
        "CartTest::test_sum": PASSED,
        "CartTest::test_rest": FAILED,
        "CartTest::test_name": FAILED,
        "CartTest::test_later": SKIPPED,
        'a cart::is "empty"': PASSED,
    }
    assert "<&>" in report.messages["CartTest::test_rest"]
    assert report.messages["CartTest::test_name"].startswith("cart_test.rb:7  NameError: undefined")


@pytest.mark.slow
def test_where_no_report_can_be_written_the_run_is_the_same_and_is_counted(run, tmp_path):
    done, report = run(tmp_path / "missing", RUBYLIB="/nowhere/of the user")
    assert (done.returncode, done.stderr) == (1, "")
    assert (report.ran, report.failed_count) == (4, 2)


def test_the_load_path_of_the_user_stays():
    added = reading.make_report_environment("minitest", "/r", {"RUBYLIB": "/own"})
    assert added["RUBYLIB"].endswith("/inside/ruby:/own")
    assert reading.make_report_environment("minitest", "/r", {})["RUBYLIB"].endswith("/inside/ruby")

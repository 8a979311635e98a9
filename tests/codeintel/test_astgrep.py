import os
import sys

import pytest

from ultrawork.codeintel import astgrep, isolated
from ultrawork.codeintel.astgrep import LANGUAGES, SearchJob
from ultrawork.core.errors import Conflict, NotFound, Trouble, UsageError

slow = pytest.mark.slow


@pytest.fixture
def job(tmp_path, extras):
    def make(**more):
        return SearchJob(str(tmp_path), str(tmp_path), extras=extras, **more)

    return make


def test_without_the_extra_it_is_said_how_to_get_it(tmp_path):
    if any(os.path.isdir(os.path.join(place, "ast_grep_py")) for place in sys.path):
        pytest.skip("the extra is installed beside the tests")
    with pytest.raises(NotFound, match=r"-m pip install --target .*extras ast-grep-py"):
        astgrep.search(SearchJob(str(tmp_path), str(tmp_path), extras=str(tmp_path / "extras")), "python", "f($A)")


def test_an_unknown_language_is_refused_before_the_engine_sees_it(tmp_path):
    job = SearchJob(str(tmp_path), str(tmp_path), extras=str(tmp_path))
    with pytest.raises(UsageError, match='"cobol" is not a language; known: bash, c,'):
        astgrep.search(job, "cobol", "f($A)")


@slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_engine_knows_every_language_of_our_list(language, job, tmp_path):
    (tmp_path / f"a{LANGUAGES[language][0]}").write_text("x\n")
    assert astgrep.search(job(), language, "something_absent").startswith("0 matches in 1 files")


@slow
def test_matches_come_with_their_place_and_the_lines_around(job, tmp_path):
    (tmp_path / "a.py").write_text("# first\né = f(1,\n      2)\n# last\n# beyond\n")
    text = astgrep.search(job(), "python", "f($$$A)", context=1)
    assert text.splitlines() == [
        "1 matches in 1 files",
        "",
        "a.py:2:4",
        "      1  # first",
        ">     2  é = f(1,",
        ">     3        2)",
        "      4  # last",
    ]


@slow
def test_a_limit_is_said(job, tmp_path):
    (tmp_path / "a.py").write_text("f(1)\n" * 9)
    text = astgrep.search(job(), "python", "f($A)", most=3)
    assert text.startswith("3 or more matches")
    assert text.count("a.py:") == 3


@slow
def test_structure_is_matched_not_text(job, tmp_path):
    (tmp_path / "a.py").write_text('x = "f(1)"  # f(2)\nf(\n  3)\n')
    assert "a.py:2:0" in astgrep.search(job(), "python", "f($A)", context=0)
    assert astgrep.search(job(), "python", "f($A)").startswith("1 matches")


@slow
def test_a_pattern_that_is_no_code_is_hinted_at(job, tmp_path):
    (tmp_path / "a.py").write_text("f(1)\n")
    text = astgrep.search(job(), "python", "f(")
    assert text == "0 matches in 1 files (the pattern alone is not valid python; add more context)"


@slow
def test_installed_and_hidden_files_are_not_searched(job, tmp_path):
    for folder in ("node_modules", ".git", "src"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.js").write_text("f(1)\n")
    assert astgrep.search(job(), "javascript", "f($A)").startswith("1 matches in 1 files")


@slow
@pytest.mark.parametrize(
    "case",
    [
        ("f(a,b)", "f($A, $B)", "g($B, $A)", "g(b, a)"),
        ("f(a,  b,c)", "f($$$ARGS)", "g($$$ARGS)", "g(a,  b,c)"),
        ("f()", "f($$$ARGS)", "g($$$ARGS)", "g()"),
        ("é = f('ü') + f(2)", "f($A)", "g($A)", "é = g('ü') + g(2)"),
        ("f(f(1))", "f($A)", "g($A)", "g(f(1))"),
        ("assertEqual(a, b)", "assertEqual($A, $B)", r"assert $A == $B  # \1 $x", r"assert a == b  # \1 $x"),
    ],
)
def test_metavariables_are_expanded_from_the_source(job, tmp_path, case):
    source, pattern, replacement, wanted = case
    (tmp_path / "a.py").write_text(source + "\n")
    astgrep.replace(job(), "python", pattern, replacement, dry_run=False)
    assert (tmp_path / "a.py").read_text() == wanted + "\n"


@slow
def test_matches_inside_others_are_left_and_counted(job, tmp_path):
    (tmp_path / "a.py").write_text("f(f(f(1)))\n")
    text = astgrep.replace(job(), "python", "f($A)", "g($A)")
    assert text.startswith("1 places in 1 files would change")
    assert "2 nested matches need a second run" in text


@slow
def test_a_dry_run_shows_the_diff_and_writes_nothing(job, tmp_path):
    (tmp_path / "a.py").write_text("f(1)\n")
    text = astgrep.replace(job(), "python", "f($A)", "g($A)")
    assert text.splitlines()[-2:] == ["-f(1)", "+g(1)"]
    assert (tmp_path / "a.py").read_text() == "f(1)\n"


@slow
def test_a_metavariable_that_the_pattern_does_not_bind_is_refused(job, tmp_path):
    (tmp_path / "a.py").write_text("f(1)\n")
    with pytest.raises(UsageError, match=r"uses \$B, which is not in the pattern"):
        astgrep.replace(job(), "python", "f($A)", "g($B)")


@slow
def test_a_search_can_be_stopped(job, tmp_path):
    (tmp_path / "a.py").write_text("f(1)\n")
    with pytest.raises(Trouble, match="ast-grep was stopped"):
        astgrep.search(job(should_stop=lambda: True), "python", "f($A)")


def test_a_crash_of_the_child_is_an_error_of_the_call():
    with pytest.raises(Trouble, match="the engine stopped early"):
        isolated.call("posix:abort", {}, name="the engine", seconds=20)


def test_a_call_that_takes_too_long_is_ended():
    with pytest.raises(Trouble, match=r"the engine did not end within 0\.5 s"):
        isolated.call("signal:pause", {}, name="the engine", seconds=0.5)


def test_the_answer_and_the_kind_of_error_come_back():
    assert isolated.call("ultrawork.core.modes.modes:parse", {"word": "ralph"}, name="x", seconds=20) == "ralph"
    with pytest.raises(UsageError, match='"nope" is not a mode'):
        isolated.call("ultrawork.core.modes.modes:parse", {"word": "nope"}, name="x", seconds=20)


def test_nothing_is_written_if_a_file_changed_after_it_was_searched(tmp_path):
    path = str(tmp_path / "a.py")
    (tmp_path / "a.py").write_text("f(2)\n")
    change = {"path": path, "digest": "of another text", "edits": [[0, 1, "g"]]}
    with pytest.raises(Conflict, match=r"a\.py changed meanwhile"):
        astgrep._outcome(change, str(tmp_path))

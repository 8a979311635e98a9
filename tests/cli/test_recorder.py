"""The picture of the README shows what the demo prints, to people with and without motion."""

import pytest

from support import recorder


def read_picture():
    with open(recorder.PICTURE, encoding="utf-8") as file:
        return file.read()


def show(lines):
    return recorder.strip_chance(recorder.read_lines(recorder.render(lines)))


@pytest.mark.slow
def test_the_picture_shows_what_a_fresh_demo_prints(tmp_path):
    fresh = recorder.record(str(tmp_path))
    shown = recorder.strip_chance(recorder.read_lines(read_picture()))
    assert show(fresh) == shown, "run make picture"


def test_two_runs_that_differ_by_chance_alone_look_the_same():
    first = [(0.1, "0:04  cities: conflict in book.py"), (0.2, "PASS  5 of 5 tasks, 12 agents, 14 s")]
    second = [(3.0, "PASS  5 of 5 tasks, 11 agents, 9 s"), (4.0, "0:09  in-city: conflict in book.py")]
    assert show(first) == show(second)


def test_another_word_is_another_picture():
    assert show([(0.1, "0:04  sort: merged")]) != show([(0.1, "0:04  sort: taken")])


def test_text_of_the_program_is_escaped_and_long_lines_are_cut():
    picture = recorder.render([(0.1, "0:01  <script>" + "x" * 200)])
    assert "<script>" not in picture
    (line,) = recorder.read_lines(picture)
    assert line.startswith("0:01  <script>x")
    assert len(line) == 112


def test_without_motion_every_line_is_visible():
    """The still frame: lines are hidden by the animation alone, and it is off where motion is unwanted."""
    picture = read_picture()
    assert "opacity: 0" not in picture.replace("from { opacity: 0 }", "")
    assert "prefers-reduced-motion: reduce" in picture
    assert "prefers-color-scheme: dark" in picture


def test_the_picture_names_no_folder_of_a_machine():
    assert [line for line in recorder.read_lines(read_picture()) if "/home/" in line or "/tmp" in line] == []

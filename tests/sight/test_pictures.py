"""The pictures of the docs: each is shown, small, and what the program prints today."""

import os
import re

import pytest

from support import pictures
from support.floor import REPOSITORY
from support.recorder import read_lines
from support.stage import Stage

LARGEST = 120_000


def read(path):
    with open(f"{REPOSITORY}/docs/{path}", encoding="utf-8") as file:
        return file.read()


def test_every_picture_is_small_and_shown_on_a_page():
    pages = read("how-to/watch.md") + read("../README.md")
    for name in os.listdir(pictures.FOLDER):
        assert f"pictures/{name})" in pages or f'pictures/{name}"' in pages, name
        assert os.path.getsize(f"{pictures.FOLDER}/{name}") < LARGEST, name


def strip_chance(lines):
    """Drop ids, process numbers and ages."""
    return [re.sub(r"[\d.]+ (?:s|min)\b|-[0-9a-f]{4}\b|process \d+", "", line) for line in lines]


@pytest.mark.release
def test_the_pictures_of_text_show_what_the_program_prints(tmp_path):
    stage = Stage(os.fspath(tmp_path))
    drawn = {"inbox.svg": pictures.draw_inbox(stage), "status-line.svg": pictures.draw_status_line(stage)}
    for name, text in drawn.items():
        assert strip_chance(read_lines(text)) == strip_chance(read_lines(read(f"pictures/{name}")))
    screens = {}
    pictures.draw_screens(stage, screens.__setitem__)
    for name, text in screens.items():
        assert _list_words(text) == _list_words(read(f"pictures/{name}")), name


def _list_words(picture):
    """Return what stands in a picture of the full screen, without times, ids and numbers."""
    text = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", picture)).replace("&#160;", " ")
    return re.sub(r"[\d.:]+(?: s| min)?|[0-9a-f]{7,}|\s+", " ", text).split()

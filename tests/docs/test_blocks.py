"""Every command that a tutorial or a how-to shows works, and its output is the program's own."""

import pytest
import yaml

from support import page_blocks
from support.page_projects import ACTS, NOT_RUN, PROJECTS, STARTS, UNATTENDED, WRITES

PAGES = page_blocks.list_pages()
GUIDES = [page for page in PAGES if page.startswith(("docs/tutorial/", "docs/how-to/", "README"))]
# Whole runs, and pages that start a runner many times.
SLOW = (UNATTENDED, "docs/tutorial/first-ulw.md", "docs/how-to/gates.md", "docs/how-to/restore.md")


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.slow] if page in SLOW else []) for page in PAGES]
)
def test_a_page_shows_what_the_program_answers(page, tmp_path):
    lost = page_blocks.find_differences(page, str(tmp_path / "x"))
    assert lost == [], "make docs-examples writes it anew\n" + "\n".join(lost)


def test_every_block_says_what_it_is():
    """A block without a kind would be neither run nor parsed."""
    known = {*page_blocks.PLAYED, *page_blocks.DATA}
    found = {(page, block.kind) for page in GUIDES for block in page_blocks.list_blocks(page_blocks.read_page(page))}
    assert {kind for _, kind in found} <= known, found


def test_yaml_blocks_parse():
    blocks = [
        block.text
        for page in GUIDES
        for block in page_blocks.list_blocks(page_blocks.read_page(page))
        if block.kind == "yaml"
    ]
    assert blocks
    assert all(yaml.safe_load(text) for text in blocks)


def test_what_is_not_run_is_there_and_has_a_reason():
    typed = {
        (page, line)
        for page in PAGES
        for block in page_blocks.list_blocks(page_blocks.read_page(page))
        for line in (block.name, *(one.lstrip(page_blocks.TYPED) for one, _ in page_blocks.split_typed(block.text)))
    }
    assert set(NOT_RUN) <= typed, set(NOT_RUN) - typed
    assert all(NOT_RUN.values())


def test_tables_of_projects_name_pages_that_are_there():
    named = {*PROJECTS, *STARTS, *(page for page, _ in ACTS), *(page for page, _ in WRITES)} - {"*"}
    assert named <= set(PAGES), named - set(PAGES)


def test_an_output_of_other_words_is_noticed(tmp_path):
    scene = page_blocks.Player("docs/how-to/features.md", str(tmp_path / "x")).scene
    masked = page_blocks.mask("PASS, proved by test_a; 0.3 s\nShow: ultrawork evidence\n", scene)
    assert page_blocks.fits("PASS, proved by test_a; 4.1 s\nShow: ultrawork evidence\n", masked)
    assert page_blocks.fits("PASS, proved by test_a; 4.1 s\n…\n", masked)
    assert not page_blocks.fits("PASS, proved by test_b; 0.3 s\nShow: ultrawork evidence\n", masked)
    assert not page_blocks.fits("", masked)

"""The reference page is the program's own help."""

from support import cli_page
from support.floor import REPOSITORY


def test_the_reference_page_is_up_to_date():
    with open(f"{REPOSITORY}/docs/reference/cli.md", encoding="utf-8") as file:
        assert file.read() == cli_page.render_page(), "run: make generate"

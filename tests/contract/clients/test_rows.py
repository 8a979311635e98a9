"""Every cell of the page on clients is a test that shows it, or a sentence that says "no"."""

import os

from support import clients, clients_page

DATA = clients_page.load()


def test_every_cell_is_tests_or_a_no():
    for row in DATA["rows"].values():
        assert set(row) == {"feature", *clients_page.NAMES}
        said = [row[name] for name in clients_page.NAMES if isinstance(row[name], str)]
        assert [text for text in said if not text.startswith("no")] == []


def test_every_test_that_a_cell_names_is_there():
    assert clients_page.missing() == []
    assert clients_page.find_definition("tests/clients/test_with.py::test_nobody_wrote") is None
    assert clients_page.find_definition("tests/clients/test_gone.py::test_x") is None


def test_the_page_is_what_the_rows_say():
    with open(clients_page.PAGE, encoding="utf-8") as file:
        assert file.read() == clients_page.page(), "make generate"


def test_the_page_speaks_of_no_version_newer_than_the_clients_at_hand():
    for name, said in DATA["versions"].items():
        path = os.path.join(clients.tools_folder(), name, clients.NEWEST)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                assert _number(said) <= _number(file.read())


def _number(version):
    return tuple(int(part) for part in version.strip().split("."))

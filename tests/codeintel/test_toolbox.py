"""Language servers and ast-grep asked through the MCP server, in the environment that a plugin has."""

import os

import pytest

from support import toolchains
from support.floor import PATH
from support.toolbox import Client, Seat

pytestmark = pytest.mark.slow

SHAPES = "class Shape:\n    def area(self) -> float:\n        return 1.5\n"
USE = "from shapes import Shape\n\nname: str = Shape().area()\n"


@pytest.fixture
def client(tmp_path):
    seat = Seat(str(tmp_path), {"PATH": f"{toolchains.python_servers()}:{PATH}"})
    os.makedirs(f"{seat.state}/extras")
    os.symlink(toolchains.extras(), f"{seat.state}/extras/{toolchains.VERSION}")
    for name, text in (("shapes.py", SHAPES), ("use.py", USE)):
        with open(f"{seat.place}/{name}", "w") as file:
            file.write(text)
    client = Client(seat)
    client.greet()
    yield client
    client.close()


def read(client, name):
    with open(f"{client.place}/{name}") as file:
        return file.read()


def test_every_lsp_tool_answers_through_the_server(client):
    area = {"file": "use.py", "line": 3, "character": 20}
    assert "float" in client.text("lsp_hover", **area)
    assert client.text("lsp_goto_definition", **area).startswith("shapes.py:2:8")
    assert "references: 2" in client.text("lsp_find_references", **area)
    assert "method area" in client.text("lsp_document_symbols", file="shapes.py")
    assert "shapes.py:1:6" in client.text("lsp_workspace_symbols", query="Shape", file="use.py")
    assert "use.py:3:" in client.text("lsp_diagnostics", file="use.py", severity="error")
    assert client.text("lsp_diagnostics", file="shapes.py", severity="error") == "no problems of this severity"
    assert "(2 files checked)" in client.text("lsp_diagnostics_directory", directory=".")
    assert "Python: basedpyright (running)" in client.text("lsp_servers")
    assert client.text("lsp_prepare_rename", **area).startswith("area can be renamed")
    assert "would change" in client.text("lsp_rename", **area, newName="size")
    assert "area" in read(client, "use.py")
    client.text("lsp_rename", **area, newName="size", apply=True)
    assert "Shape().size()" in read(client, "use.py")
    span = {"file": "use.py", "startLine": 3, "startCharacter": 0, "endLine": 3, "endCharacter": 26}
    actions = client.text("lsp_code_actions", **span)
    assert actions.startswith("1. ")
    assert "would change" in client.text("lsp_code_action_resolve", **span, actionIndex=1)


def test_ast_grep_is_found_among_the_extras_and_rewrites_only_when_asked(client):
    found = client.text("ast_grep_search", pattern="return $X", language="python")
    assert found.startswith("1 matches in 2 files\n\nshapes.py:3:8")
    change = {"pattern": "return $X", "replacement": "return float($X)", "language": "python"}
    assert "dry run" in client.text("ast_grep_replace", **change)
    assert read(client, "shapes.py") == SHAPES
    client.text("ast_grep_replace", **change, dryRun=False)
    assert "return float(1.5)" in read(client, "shapes.py")

"""Which folders of a tree lead to others, and where its links point, with git and without."""

import os
import subprocess

import pytest

from ultrawork.gates.trees import tree as trees
from ultrawork.gates.trees.search import TreeSearch

ENVIRON = {"PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1"}


@pytest.fixture(params=["git", "walk"])
def lay(request, tmp_path):
    """Lays files, and links where a text begins with `->`; gives the tree of them."""

    def lay(files):
        for name, text in files.items():
            path = tmp_path / "place" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text.startswith("->"):
                os.symlink(text[2:], path)
            else:
                path.write_text(text)
        if request.param == "git":
            given = {**ENVIRON, "HOME": str(tmp_path)}
            subprocess.run(["git", "init", "-q", tmp_path / "place"], env=given, check=True)
        return trees.take_snapshot(str(tmp_path / "place"), str(tmp_path / "store"), ENVIRON)

    return lay


def find_users(tree, parts, folders):
    def read(_, path):
        return (trees.read(tree, path) or b"").decode()

    search = TreeSearch(lambda _: tree, read, lambda _: trees.list_paths(tree))
    return search.find_users(tree.id, parts, folders)


USERS = [
    ("Makefile", "test:\n\tPYTHONPATH=../shop python3 -m unittest\n", True),
    ("package.json", '{"dependencies": {"shop": "file:../shop"}}', True),
    ("src/page.js", "import { total } from '../../shop/shop.js';", True),
    ("src/page.ts", "import { total } from '../../shop/shop';", True),
    ("conftest.py", "sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'shop'))", True),
    ("conftest.py", 'sys.path.insert(0, str(Path(__file__).parent.parent / "shop"))', True),
    ("Makefile", "test:\n\tPYTHONPATH=../shopping python3 -m unittest\n", False),
    ("src/page.js", "import { total } from '../shop/shop.js';", False),
    ("README.md", "See ../shop for prices.", False),
    ("Makefile", "test:\n\tcd .. && python3 -m unittest shop\n", False),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "leads"), USERS)
def test_a_project_that_leads_to_what_changed_by_a_path_of_its_own_is_found(lay, name, text, leads):
    tree = lay({"shop/shop.js": "x", f"site/{name}": text, "blog/Makefile": "test:\n"})
    found = find_users(tree, ["shop/shop.js"], ["blog", "site"])
    assert found == (["site"] if leads else [])


def test_links_are_told_with_what_they_point_at_inside_of_the_tree(lay):
    tree = lay(
        {
            "shared/checks.py": "x",
            "tests/test_shop.py": "->../shared/checks.py",
            "tests/more": "->../shared",
            "tests/out": "->../../elsewhere",
            "tests/far": "->/etc/passwd",
        }
    )
    assert trees.list_links(tree) == {"tests/test_shop.py": "shared/checks.py", "tests/more": "shared"}

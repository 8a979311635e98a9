"""Words searched for in trees: the same files, whether git looks for them or we read them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.gates.trees.test_tree import Repo

from ultrawork.gates.testcode.files import TEST_MARKS
from ultrawork.gates.trees import tree as trees
from ultrawork.gates.trees.search import READ, TreeSearch, find_marked

FILES = {
    "test_shop.py": "import shop\n",
    "tests/test_words.py": "workshop = 1\n",
    "tests/deep/Shop_SPEC.py": "from shop import total\n",
    "tests/ümlaut_test.py": "éshop\n",
    "tests/test_data.py": b"shop\0\n",
    "e2e/page.js": "shop()\n",
    "unit.t": "shop\n",
    "OrderIT.java": "shop\n",
    "notes.txt": "shop\n",
    "shop.py": "def shop(): ...\n",
}


def make_search(repo):
    tree = repo.tree()
    return TreeSearch(lambda _: tree, None, lambda _: trees.list_paths(tree)), tree.id


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """By paths like these, what is found where tests are few, and where so many lie beside them that git is asked."""
    repo = Repo(tmp_path_factory.mktemp("search"))
    for name, text in FILES.items():
        repo.write(name, text)
    repo.commit()
    few = list_found(repo)
    for number in range(READ + 1):
        for ending in ("py", "js", "java"):
            repo.write(f"many/test_{number}.{ending}", "")
    return few, list_found(repo)


def list_found(repo):
    search, tree = make_search(repo)
    return search.find_tests_naming(tree, ["shop"], ())


def test_tests_that_name_a_word_are_those_that_git_finds(found):
    few, many = found
    assert few == many
    assert {"test_shop.py", "tests/deep/Shop_SPEC.py", "tests/ümlaut_test.py", "OrderIT.java"} <= set(few)
    assert not {"notes.txt", "tests/test_data.py"}.intersection(few)


@given(st.lists(st.text("aT.e2sp/İtcyIiJv", min_size=1), unique=True))
@example(["a.txt", "x.t", "A.T", "İ.t", "b.t.py"])
def test_marked_paths_are_those_that_have_a_mark_in_the_order_given(paths):
    wanted = [one for one in paths if any(mark in f"{one}\0".lower() for mark in TEST_MARKS)]
    assert find_marked(paths, TEST_MARKS) == wanted

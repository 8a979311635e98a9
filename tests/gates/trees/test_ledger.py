"""What lies beside a tree: noted cheaply, compared by content where times say too little, lent as it was."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from tests.gates.trees.test_scratch import Place

from ultrawork.core.verdict.delivered import CHANGED, GONE, NEW
from ultrawork.gates.trees import tree as trees
from ultrawork.gates.trees.ledger import MOST_FILES, LedgerKeeper, OutsideView


class Noted(Place):
    def note(self):
        return LedgerKeeper(self.tree(), self.cache).note(time.time_ns())

    def view(self, name):
        return OutsideView(self.tree(), self.cache, name, time.time_ns())

    def moved(self, name):
        return {one.path: one.became for one in self.view(name).moved}


@pytest.fixture
def place(tmp_path):
    return Noted(tmp_path)


def test_nothing_moved_when_nothing_was_touched(place):
    place.write("build/a.js")
    place.write(".env", "A=1\n")
    assert place.moved(place.note()) == {}


def test_what_is_new_changed_or_gone_is_told(place):
    place.write("build/a.js")
    place.write("build/b.js")
    place.write(".env", "A=1\n")
    name = place.note()
    place.write("build/new.js")
    place.write("build/a.js", "other\n")
    (place.root / "build/b.js").unlink()
    assert place.moved(name) == {"build/new.js": NEW, "build/a.js": CHANGED, "build/b.js": GONE}


def test_an_edit_of_the_same_size_with_its_times_set_back_is_seen(place):
    path = place.write("build/a.js", "one\n")
    name = place.note()
    times = os.stat(path)
    path.write_text("two\n")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert place.moved(name) == {"build/a.js": CHANGED}


def test_a_file_that_was_only_touched_has_not_moved(place):
    path = place.write("build/a.js")
    name = place.note()
    path.touch()
    path.chmod(0o755)
    assert place.moved(name) == {}


@pytest.mark.parametrize(
    "hide",
    [
        lambda place: place.write(".gitignore", (place.root / ".gitignore").read_text() + "x.py\n"),
        lambda place: place.write(".git/info/exclude", "x.py\n"),
        lambda place: place.write("deep/.gitignore", "*\n"),
    ],
)
def test_what_was_hidden_since_is_new(place, hide):
    name = place.note()
    hide(place)
    place.write("x.py")
    place.write("deep/x.py")
    assert "x.py" in " ".join(place.moved(name))


@pytest.mark.parametrize(
    ("path", "seen"),
    [
        ("__pycache__/a.cpython-311.pyc", False),
        (".pytest_cache/v/nodeids", False),
        ("run.log", False),
        ("shop.pyc", True),
        ("shop/__init__.pyc", True),
        ("__pycache__/rounding.py", True),
        (".npmrc", True),
    ],
)
def test_caches_are_no_entries_but_code_in_them_is(place, path, seen):
    place.write(".git/info/exclude", "*.log\n.npmrc\n")
    name = place.note()
    place.write(path)
    assert (path in place.moved(name)) is seen


def test_a_folder_of_dependencies_is_one_entry(place):
    place.write("node_modules/one/index.js")
    name = place.note()
    place.write("node_modules/one/__pycache__/x")
    place.write("node_modules/.cache/x")
    assert place.moved(name) == {}
    place.write("node_modules/two/index.js")
    assert place.moved(name) == {"node_modules": CHANGED}


def test_the_same_packages_by_links_are_the_same(place):
    """As a worktree of a run has them; a package of a workspace leads to the tree that it is in."""
    for name in ("one", "own"):
        place.write(f"packages/{name}/index.js")
    modules = place.root / "node_modules"
    place.write("node_modules/two/index.js")
    (modules / "own").symlink_to("../packages/own")
    name = place.note()
    modules.rename(place.root.parent / "aside")
    modules.mkdir()
    (modules / "two").symlink_to(place.root.parent / "aside/two")
    (modules / "own").symlink_to(place.root / "packages/own")
    assert place.moved(name) == {}
    (modules / "two").unlink()
    place.write("node_modules/two/index.js")
    assert place.moved(name) == {"node_modules": CHANGED}


def test_what_a_build_tool_keeps_for_itself_is_no_entry(place):
    place.write("Cargo.toml")
    name = place.note()
    place.write("target/debug/x.rs")
    assert place.moved(name) == {}


def test_base_and_later_files_each_have_their_own(place):
    place.write("build/a.js", "then\n")
    place.write(".env", "A=1\n")
    name = place.note()
    base = place.tree()
    place.write("build/a.js", "now\n")
    place.write("build/b.js", "now\n")
    place.write(".env", "A=2\n")
    place.write("a.py", "a = 2\n")
    view = place.view(name)
    with place.copy(base, beside=view.lend(base=True).files) as copy:
        assert Path(copy, "build/a.js").read_text() == "then\n"
        assert not Path(copy, "build/b.js").exists()
        assert Path(copy, ".env").read_text() == "A=1\n"
    with place.copy(beside=view.lend(base=False).files) as copy:
        assert Path(copy, "build/b.js").read_text() == "now\n"
        assert Path(copy, ".env").read_text() == "A=1\n"
    with place.copy(beside=view.lend(base=False, without=["build/a.js"]).files) as copy:
        assert Path(copy, "build/a.js").read_text() == "then\n"


def test_a_ledger_that_was_written_to_is_not_believed(place):
    place.write("build/a.js")
    name = place.note()
    file = Path(place.cache, "outside", name)
    file.write_text(file.read_text().replace("build/a.js", "build/b.js"))
    assert place.view(name).base is None


def test_a_sparse_checkout_that_was_set_up_since_is_seen(place):
    name = place.note()
    subprocess.run(
        ["git", "config", "core.sparseCheckout", "true"],
        cwd=place.root, env=place.environ, check=True,
    )  # fmt: skip
    view = place.view(name)
    assert view.base is not None
    assert view.base.rules != view.now.rules


@pytest.mark.slow
def test_more_files_than_can_be_looked_at_are_told_by_their_folder(place):
    for number in range(MOST_FILES // 50 + 2):
        folder = place.root / f"build/{number}"
        folder.mkdir(parents=True)
        for inner in range(50):
            (folder / str(inner)).touch()
    name = place.note()
    last = max(os.listdir(place.root / "build"))
    place.write(f"build/{last}/new.js")
    assert place.moved(name) == {f"build/{last}": CHANGED}


def test_without_git_what_trees_leave_out_is_noted(tmp_path):
    root = tmp_path / "plain"
    root.mkdir()
    (root / "shop.py").write_text("x = 1\n")
    environ, cache = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}, str(tmp_path / "cache")
    tree = trees.take_snapshot(str(root), cache, environ)
    name = LedgerKeeper(tree, cache).note(time.time_ns())
    (root / "shop.pyc").write_text("x")
    found = OutsideView(tree, cache, name, time.time_ns()).moved
    assert [(one.path, one.became) for one in found] == [("shop.pyc", NEW)]

"""Scratch copies: ready to run in, of these files only, and gone afterwards."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ultrawork
from support.driving import wait_for
from ultrawork.core.errors import Trouble
from ultrawork.gates.trees import tree as trees
from ultrawork.gates.trees.scratch import ScratchCopy, ScratchFolder, find_origin

SOURCE = os.path.dirname(os.path.dirname(ultrawork.__file__))
PATH = "/usr/local/bin:/usr/bin:/bin"


class Place:
    def __init__(self, home):
        self.home = home
        self.root = home / "project"
        self.cache = str(home / "cache")
        self.environ = {"PATH": PATH, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}
        self.root.mkdir()
        subprocess.run(["git", "init", "-q"], cwd=self.root, env=self.environ, check=True)
        self.write(".gitignore", "node_modules/\n.venv/\nvenv/\nvendor/\n.env\ntarget/\nbuild/\n")
        self.write("a.py", "a = 1\n")

    def write(self, name, text="text\n"):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def tree(self):
        return trees.take_snapshot(str(self.root), self.cache, self.environ)

    def copy(self, tree=None, **options):
        options.setdefault("root", str(self.root))
        return ScratchCopy(tree or self.tree(), self.cache, environ=self.environ, **options)

    def left(self):
        found = Path(self.cache, "scratch")
        return [path.name for path in found.iterdir() if path.is_dir()] if found.exists() else []


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_a_copy_has_the_files_of_its_tree_and_not_those_of_now(place):
    tree = place.tree()
    place.write("a.py", "a = 2\n")
    place.write("later.py")
    with place.copy(tree) as root:
        assert Path(root, "a.py").read_text() == "a = 1\n"
        assert not Path(root, "later.py").exists()


def test_a_copy_is_gone_afterwards(place):
    with place.copy() as root:
        Path(root, "made").mkdir()
        Path(root, "made/file").write_text("x")
        Path(root, "made").chmod(0)
        assert len(place.left()) == 1
    assert not os.path.exists(root)
    assert place.left() == []


def test_a_copy_is_gone_after_an_error_too(place):
    with pytest.raises(ValueError, match="of the caller"), place.copy():
        raise ValueError("of the caller")
    assert place.left() == []


def test_a_tree_that_cannot_be_written_leaves_nothing(place):
    tree = trees.get_recorded("1" * 40, str(place.root), place.cache, place.environ)
    with pytest.raises(Trouble, match="git read-tree failed"):
        place.copy(tree).__enter__()
    assert place.left() == []


def test_a_copy_is_named_like_the_project(place):
    with place.copy() as root:
        assert os.path.basename(root) == "project"


def test_a_copy_of_a_folder_inside_stands_at_the_same_place(place):
    place.write("web/x.js")
    with place.copy(root=str(place.root / "web")) as root:
        assert Path(root, "x.js").exists()
        assert Path(root, "../a.py").exists()


def test_files_of_a_folder_that_became_a_repository_of_its_own_are_laid_over_it(place, tmp_path):
    """Also where a link now leads away from there: what it leads to stays as it is."""
    outside = tmp_path / "outside"
    outside.mkdir()
    place.write("tests/test_a.py", "old\n")
    place.write("tests/deep/test_b.py", "old\n").chmod(0o755)
    subprocess.run(["git", "add", "-A"], cwd=place.root, env=place.environ, check=True)
    old = place.tree()
    place.write("tests/test_a.py", "new\n")
    place.write("tests/other.py", "new\n")
    (place.root / "tests/deep/test_b.py").unlink()
    (place.root / "tests/deep").rmdir()
    (place.root / "tests/deep").symlink_to(outside)
    who = {**place.environ, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a"}  # fmt: skip
    hide = "git rm -rqf --cached tests && cd tests && git init -q && git add -A && git commit -qm x"
    subprocess.run(hide, cwd=place.root, env=who, check=True, shell=True)
    paths = ["tests/test_a.py", "tests/deep/test_b.py", "tests/gone.py"]
    with place.copy(overlay=old, paths=paths) as root:
        assert Path(root, "tests/test_a.py").read_text() == "old\n"
        assert Path(root, "tests/other.py").read_text() == "new\n"
        assert os.access(f"{root}/tests/deep/test_b.py", os.X_OK)
        assert list(outside.iterdir()) == []


def test_files_of_another_tree_can_be_laid_over(place):
    old = place.tree()
    place.write("a.py", "a = 2\n")
    place.write("tests/test_a.py", "new\n")
    new = place.tree()
    with place.copy(new, overlay=old, paths=["tests/test_a.py"]) as root:
        assert Path(root, "a.py").read_text() == "a = 2\n"
        assert not Path(root, "tests/test_a.py").exists()


def test_what_is_done_in_a_copy_does_not_reach_the_checkout(place):
    place.write("node_modules/pkg/index.js", "original\n")
    place.write("web/package.json")
    before = place.tree().id
    with place.copy() as root:
        subprocess.run(["rm", "-rf", *os.listdir(root)], cwd=root, check=True)
    assert place.tree().id == before
    assert (place.root / "node_modules/pkg/index.js").read_text() == "original\n"


def test_installed_folders_are_lent_wherever_they_lie(place):
    place.write("node_modules/left-pad/index.js")
    place.write("web/package.json")
    place.write("web/node_modules/@scope/pkg/index.js")
    place.write(".venv/pyvenv.cfg")
    place.write("vendor/bundle/ruby/x.rb")
    with place.copy() as root:
        assert Path(root, "node_modules/left-pad/index.js").exists()
        assert Path(root, "web/node_modules/@scope/pkg/index.js").exists()
        assert Path(root, ".venv/pyvenv.cfg").exists()
        assert Path(root, "vendor/bundle/ruby/x.rb").exists()


def test_settings_of_the_person_are_copied(place):
    place.write(".env", "PORT=1\n")
    with place.copy() as root:
        assert Path(root, ".env").read_text() == "PORT=1\n"
        Path(root, ".env").write_text("changed")
    assert (place.root / ".env").read_text() == "PORT=1\n"


@pytest.mark.parametrize("name", ["target/debug/x", "build/lib/x.py", "env/settings.py"])
def test_what_a_build_made_is_not_lent(place, name):
    place.write(".gitignore", "target/\nbuild/\nenv/\n")
    place.write(name)
    with place.copy() as root:
        assert not Path(root, name).exists()


def test_a_folder_that_is_in_the_tree_is_not_lent(place):
    place.write(".gitignore", "")
    place.write("deps/x.c", "one\n")
    place.write("mix.exs")
    tree = place.tree()
    place.write("deps/x.c", "two\n")
    with place.copy(tree) as root:
        assert Path(root, "deps/x.c").read_text() == "one\n"


def test_what_a_tool_caches_below_node_modules_stays_in_the_copy(place):
    place.write("node_modules/.cache/old")
    place.write("node_modules/pkg/index.js")
    with place.copy() as root:
        assert not Path(root, "node_modules/.cache").exists()
        Path(root, "node_modules/.cache").mkdir()
        Path(root, "node_modules/.cache/new").write_text("x")
    assert os.listdir(place.root / "node_modules/.cache") == ["old"]


def test_a_package_of_the_project_is_the_one_of_the_copy(place):
    place.write("packages/own/index.js", "old\n")
    place.write("node_modules/other/index.js")
    (place.root / "node_modules/@org").mkdir()
    (place.root / "node_modules/@org/own").symlink_to("../../packages/own")
    (place.root / "node_modules/linked").symlink_to("other")
    tree = place.tree()
    place.write("packages/own/index.js", "new\n")
    with place.copy(tree) as root:
        assert Path(root, "node_modules/@org/own/index.js").read_text() == "old\n"
        assert Path(root, "node_modules/linked/index.js").exists()


def test_a_copied_vendor_folder_finds_the_copy(place):
    """PHP asks a file where it really lies, so a link would lead back to the checkout."""
    place.write("vendor/autoload.php")
    with place.copy() as root:
        assert os.path.realpath(Path(root, "vendor")).startswith(os.path.realpath(root))


FINDER = "MAPPING: dict[str, str] = {{'pkg': '{root}/lib/pkg'}}\n"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("_pkg.pth", "{root}/src\n", "src"),
        ("__editable__.pkg-1.pth", "{root}\n", ""),
        ("__editable___pkg_1_finder.py", FINDER, "lib"),
        ("other.pth", "/somewhere/else\nimport x\n", None),
    ],
)
def test_a_project_installed_in_place_is_imported_from_the_copy(place, name, text, expected):
    root = os.path.realpath(place.root)
    place.write(".venv/pyvenv.cfg")
    place.write(f".venv/lib/python3.11/site-packages/{name}", text.format(root=root))
    with place.copy() as copy:
        origin, variables = find_origin(copy, place.cache)
        assert origin == root
        wanted = None if expected is None else f"{copy}/{expected}".rstrip("/")
        assert variables.get("PYTHONPATH") == wanted


def test_a_project_installed_in_place_into_an_environment_on_the_path_is_imported_from_the_copy(place, tmp_path):
    packages = tmp_path / "env/lib/python3.11/site-packages"
    packages.mkdir(parents=True)
    (packages / "_pkg.pth").write_text(f"{os.path.realpath(place.root)}/src\n")
    place.environ["PATH"] = f"{tmp_path}/env/bin:{place.environ['PATH']}"
    with place.copy() as copy:
        assert find_origin(copy, place.cache)[1].get("PYTHONPATH") == f"{copy}/src"


def test_the_original_is_not_installed_anew_from_a_copy(place):
    with place.copy() as copy:
        assert find_origin(copy, place.cache)[1]["UV_NO_SYNC"] == "1"


def test_a_note_beside_an_ordinary_folder_is_not_believed(place):
    (place.home / "borrowed.json").write_text('{"from": "/", "environment": {"PYTHONPATH": "/evil"}}')
    assert find_origin(str(place.root), place.cache) == (str(place.root), {})


def test_an_environment_really_runs_in_a_copy(place):
    venv = place.root / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    packages = next(venv.glob("lib/python3*/site-packages"))
    (packages / "_own.pth").write_text(f"{os.path.realpath(place.root)}/src\n")
    place.write("src/own.py", "value = 'old'\n")
    tree = place.tree()
    place.write("src/own.py", "value = 'new'\n")
    with place.copy(tree) as copy:
        env = {**place.environ, **find_origin(copy, place.cache)[1]}
        command = [f"{copy}/.venv/bin/python", "-c", "import own; print(own.value)"]
        told = subprocess.run(command, cwd="/", env=env, capture_output=True, text=True, check=True)
    assert told.stdout == "old\n"


HOLD = (
    "import os, sys, time; from ultrawork.gates.trees.scratch import ScratchFolder\n"
    "with ScratchFolder(sys.argv[1]) as path:\n"
    "    open(path + '/big', 'w').write('x')\n"
    "    print(path, flush=True)\n"
    "    time.sleep(60)\n"
)


def holder(place):
    environ = {**place.environ, "PYTHONPATH": SOURCE}
    started = subprocess.Popen(
        [sys.executable, "-c", HOLD, place.cache], env=environ, stdout=subprocess.PIPE, text=True
    )
    assert started.stdout is not None
    return started, started.stdout.readline().strip()


def test_a_copy_of_a_killed_owner_is_removed_by_the_next_one(place):
    owner, path = holder(place)
    with owner:
        assert os.path.exists(path)
        owner.kill()
    assert os.path.exists(path)
    with ScratchFolder(place.cache):
        assert not os.path.exists(path)
    assert place.left() == []


def test_a_copy_of_a_living_owner_stays(place):
    owner, path = holder(place)
    with owner:
        with ScratchFolder(place.cache), ScratchFolder(place.cache):
            assert os.path.exists(path + "/big")
        owner.kill()


def test_a_removal_that_was_cut_short_is_finished_by_the_next_one(place):
    grave = Path(place.cache, "scratch/dead-1-aa")
    grave.mkdir(parents=True)
    (grave / "file").write_text("x")
    with ScratchFolder(place.cache):
        assert not grave.exists()


def test_a_folder_without_git_can_be_copied_too(tmp_path):
    root = tmp_path / "plain"
    root.mkdir()
    (root / "a.py").write_text("a = 1\n")
    environ = {"PATH": PATH, "HOME": str(tmp_path)}
    cache = str(tmp_path / "cache")
    tree = trees.take_snapshot(str(root), cache, environ)
    (root / "a.py").write_text("a = 2\n")
    with ScratchCopy(tree, cache, root=str(root), environ=environ) as copy:
        assert Path(copy, "a.py").read_text() == "a = 1\n"


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount")
def test_a_full_disk_is_our_trouble_and_leaves_nothing(place):
    disk = Path(place.cache)
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine does not let us mount")
    try:
        place.write("large.bin", "x" * 1_500_000)
        tree = place.tree()
        Path(place.cache, "filler").write_bytes(os.urandom(1_200_000))
        with pytest.raises(Trouble):
            place.copy(tree).__enter__()
        assert place.left() == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_many_at_once_do_not_disturb_each_other(place):
    owners = [holder(place) for _ in range(4)]
    try:
        assert all(os.path.exists(path) for _, path in owners)
        assert len({path for _, path in owners}) == 4
    finally:
        for owner, _ in owners:
            owner.kill()
            owner.communicate()
    end = time.monotonic() + 60
    while place.left() and time.monotonic() < end:
        with ScratchFolder(place.cache):
            pass
    assert place.left() == []


@pytest.mark.slow
def test_nobody_waits_for_the_removal_of_a_large_copy(place):
    for number in range(5_000):
        (place.root / str(number)).touch()
    with place.copy() as root:
        folder = Path(root, "closed")
        folder.mkdir()
        (folder / "inner").touch()
        folder.chmod(0)
        begun = Path(place.cache, "scratch", Path(root).parent.name)
    assert not begun.exists()
    wait_for(lambda: place.left() == [])


def test_a_large_copy_whose_removal_was_killed_is_removed_by_the_next(place):
    left = Path(place.cache, "scratch", "dead-large-1", "project")
    left.mkdir(parents=True)
    with place.copy():
        wait_for(lambda: not left.parent.exists())

"""Files of a directory, of a git tree, and of both together."""

import os
import shutil
import subprocess

import pytest

from ultrawork.gates.find.project import search_gates
from ultrawork.gates.trees.files import LIMIT, DiskFiles, GitTree, TreeAndDisk, has_answers

FILES = {"Makefile": b"test:\n\tpytest\n", "web/package.json": b"{}", "web/src/a.ts": b"", "bin": b"\xff\x00"}


def put(root, files):
    for name, data in files.items():
        os.makedirs(os.path.dirname(root / name), exist_ok=True)
        (root / name).write_bytes(data)


def git_in(root):
    def git(args, given=b""):
        told = subprocess.run(["git", *args], cwd=root, check=True, capture_output=True, input=given)
        return told.stdout

    return git


def tree_of(root):
    git = git_in(root)
    git(["init", "-q"])
    git(["add", "-A"])
    return GitTree(git, git(["write-tree"]).decode().strip())


@pytest.fixture(params=["folder", "tree"])
def files(request, tmp_path):
    put(tmp_path, FILES)
    os.symlink("../Makefile", tmp_path / "web" / "Makefile")
    os.symlink("loop", tmp_path / "loop")
    os.symlink("/etc/passwd", tmp_path / "outside")
    os.symlink("web", tmp_path / "link")
    (tmp_path / "large").write_bytes(b"x" * (LIMIT + 1))
    return DiskFiles(str(tmp_path)) if request.param == "folder" else tree_of(tmp_path)


def test_reads_text_and_replaces_what_is_none(files):
    assert files.read("Makefile") == "test:\n\tpytest\n"
    assert files.read("bin") == "\ufffd\0"


def test_follows_a_link_inside_the_project(files):
    assert files.read("web/Makefile") == "test:\n\tpytest\n"


@pytest.mark.parametrize(
    "path", ["none", "web", "loop", "outside", "large", "../x", "/etc/passwd", "a\0b", "\ud800", "Makefile/x"]
)
def test_what_cannot_be_read_is_absent(files, path):
    assert files.read(path) is None


def test_lists_names_with_folders_marked(files):
    assert files.names("web") == ["Makefile", "package.json", "src/"]
    assert files.names("web/src/") == ["a.ts"]
    assert "link" in files.names(".")


@pytest.mark.parametrize("folder", ["none", "Makefile", "..", "/", "web/none/x"])
def test_no_names_where_no_folder_is(files, folder):
    assert files.names(folder) == []


def test_tells_what_exists(files):
    assert [files.exists(path) for path in ("web", "web/src/a.ts", ".", "none", "../..")] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_a_pipe_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "Makefile")
    assert DiskFiles(str(tmp_path)).read("Makefile") is None


def test_lines_end_the_same_everywhere(tmp_path):
    put(tmp_path, {"Makefile": b"\xef\xbb\xbftest:\r\n\tpytest\r\n"})
    assert DiskFiles(str(tmp_path)).read("Makefile") == "test:\n\tpytest\n"


def test_gates_of_a_tree_are_those_of_the_files_it_was_made_from(tmp_path):
    put(tmp_path, FILES)
    tree = tree_of(tmp_path)
    before = [gate.document() for gate in search_gates(DiskFiles(str(tmp_path)), None).gates]
    put(tmp_path, {"Makefile": b"test:\n\ttrue\n"})
    assert [gate.document() for gate in search_gates(tree, None).gates] == before


def test_a_tree_is_asked_only_for_what_is_needed(tmp_path):
    put(tmp_path, {**FILES, **{f"deep/{n}/x": b"" for n in range(50)}})
    calls = []
    git = git_in(tmp_path)
    tree_of(tmp_path)
    search_gates(GitTree(lambda *args: calls.append(args) or git(*args), git(["write-tree"]).decode().strip()), None)
    assert len(calls) <= 7


def test_a_file_that_is_too_large_is_never_read_from_git(tmp_path):
    put(tmp_path, {"Makefile": b"x" * (LIMIT + 1)})
    tree_of(tmp_path)
    git, calls = git_in(tmp_path), []
    tree = git(["write-tree"]).decode().strip()
    assert GitTree(lambda *args: calls.append(args[0]) or git(*args), tree).read("Makefile") is None
    assert not any("blob" in words for words in calls)


def test_folders_entered_one_after_the_other_are_listed_by_few_questions(tmp_path):
    """Each as the disk has it; a name that is the beginning of another is not taken for it."""
    names = [f"part{n}/inner{m}/x{n}" for n in range(45) for m in range(3)]
    put(tmp_path, {**FILES, **dict.fromkeys(names, b"1"), "part1/a b/[x]": b"2", "part*/y": b"3"})
    tree_of(tmp_path)
    git, calls, disk = git_in(tmp_path), [], DiskFiles(str(tmp_path))
    tree = GitTree(lambda *args: calls.append(args) or git(*args), git(["write-tree"]).decode().strip())
    folders = [name for name in tree.names(".") if name.endswith("/")]
    assert len(folders) == 47
    for folder in folders:
        assert tree.names(folder) == disk.names(folder)
    assert len(calls) == 5
    for folder in folders:
        for inner in tree.names(folder):
            if inner.endswith("/"):
                assert tree.names(folder + inner) == disk.names(folder + inner)
    assert tree.read("part1/a b/[x]") == "2"


def test_installed_programs_are_seen_beside_a_tree(tmp_path):
    put(
        tmp_path,
        {"pytest.ini": b"[pytest]\n", ".gitignore": b".venv\n", ".venv/bin/pytest": b"", ".venv/bin/python": b""},
    )
    put(tmp_path, {"conftest.py": b""})
    both = TreeAndDisk(tree_of(tmp_path), DiskFiles(str(tmp_path)))
    assert search_gates(both, None).gates[0].command == ".venv/bin/pytest"


def test_files_that_are_only_on_disk_are_not_seen_beside_a_tree(tmp_path):
    put(tmp_path, {"README.md": b""})
    tree = tree_of(tmp_path)
    put(tmp_path, {"Makefile": b"test:\n\ttrue\n"})
    assert search_gates(TreeAndDisk(tree, DiskFiles(str(tmp_path))), None).gates == []


def test_only_what_is_not_at_hand_any_more_is_asked_of_git(tmp_path):
    """A file that is still the tree's costs no process; one that changed is read as the tree has it."""
    put(tmp_path, {"Makefile": b"test:\n\tpytest\n", "a.cfg": b"[a]\n"})
    tree_of(tmp_path)
    git, calls = git_in(tmp_path), []
    disk = DiskFiles(str(tmp_path))
    name = git(["write-tree"]).decode().strip()
    tree = GitTree(lambda *args: calls.append(args[0]) or git(*args), name, disk.read_bytes)
    (tmp_path / "a.cfg").write_text("[b]\n")
    assert tree.read("Makefile") == "test:\n\tpytest\n"
    blob = ["cat-file", "blob", git(["rev-parse", f"{name}:a.cfg"]).decode().strip()]
    assert not [words for words in calls if "--batch" not in words]
    assert tree.read("a.cfg") == "[a]\n"
    assert blob in calls


@pytest.mark.parametrize(
    ("path", "alike"),
    [
        ("web/src/a.ts", True),
        (".cache/x", True),
        ("Makefile", False),
        ("package.json", False),
        ("tests/test_a.py", False),
    ],
)
def test_a_search_need_not_be_repeated_where_the_files_has_answers(tmp_path, path, alike):
    put(tmp_path, FILES)
    tree = tree_of(tmp_path)
    put(tmp_path, {path: b'{"scripts": {"test": "jest"}}'})
    found = search_gates(DiskFiles(str(tmp_path)), None, changed=["web/src/a.ts"])
    assert has_answers(tree, found.answers) is alike


def test_a_search_is_repeated_where_only_the_other_files_have_a_workflow(tmp_path):
    """What CI runs decides which tools are checks; a listing without the workflow does not show that."""
    tools = b'[dependency-groups]\ndev = ["ruff", "mypy"]\n[tool.ruff]\n[tool.mypy]\n'
    workflow = b"on: push\njobs:\n  t:\n    runs-on: ubuntu-latest\n    steps:\n      - run: ruff check .\n"
    put(tmp_path, {"a.py": b"", "pyproject.toml": tools, ".github/workflows/ci.yml": workflow})
    tree = tree_of(tmp_path)
    shutil.rmtree(tmp_path / ".github")
    found = search_gates(DiskFiles(str(tmp_path)), None)
    assert [gate.name for gate in found.gates] != [gate.name for gate in search_gates(tree, None).gates]
    assert not has_answers(tree, found.answers)

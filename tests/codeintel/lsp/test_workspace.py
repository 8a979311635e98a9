import os

from ultrawork.codeintel.lsp.documents import make_uri
from ultrawork.codeintel.lsp.workspace import FileWatch


def look(tmp_path):
    watch = FileWatch(str(tmp_path), [".py"], ["pyproject.toml"])
    watch.changes()
    return watch


def test_what_was_there_at_the_start_is_no_news(tmp_path):
    (tmp_path / "a.py").touch()
    assert look(tmp_path).changes() == []


def test_created_changed_and_deleted_files_are_told_once(tmp_path):
    for name in ("change.py", "delete.py"):
        (tmp_path / name).touch()
    watch = look(tmp_path)
    (tmp_path / "change.py").write_text("x = 1\n")
    (tmp_path / "delete.py").unlink()
    (tmp_path / "create.py").touch()
    kinds = {os.path.basename(event["uri"]): event["type"] for event in watch.changes()}
    assert kinds == {"create.py": 1, "change.py": 2, "delete.py": 3}
    assert watch.changes() == []


def test_files_of_other_kinds_and_installed_ones_are_left_out(tmp_path):
    watch = look(tmp_path)
    (tmp_path / "notes.txt").touch()
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "a.py").touch()
    (tmp_path / "pyproject.toml").touch()
    assert watch.changes() == [{"uri": make_uri(str(tmp_path / "pyproject.toml")), "type": 1}]

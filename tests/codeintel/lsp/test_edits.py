import os

import pytest

from ultrawork.codeintel import changes
from ultrawork.codeintel.lsp import edits
from ultrawork.codeintel.lsp.documents import UTF32, make_uri
from ultrawork.core.errors import Conflict, Trouble, UsageError


def text(path):
    with open(path) as file:
        return file.read()


def span(line, start, end):
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


def change(line, start, end, new):
    return {"range": span(line, start, end), "newText": new}


def made(edit):
    return edits.plan_changes(edit, changes.read_current, UTF32)


@pytest.fixture
def two(tmp_path):
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "b.txt").write_text("two\n")
    return str(tmp_path / "a.txt"), str(tmp_path / "b.txt")


def both(two):
    a, b = map(make_uri, two)
    return {"changes": {a: [change(0, 0, 3, "ONE")], b: [change(0, 0, 3, "TWO")]}}


def test_edits_of_one_file_speak_of_the_text_before_any_of_them():
    swapped = [change(0, 4, 5, "a"), change(0, 0, 1, "b")]
    assert edits.apply_edits("a + b\n", swapped, UTF32) == "b + a\n"


def test_insertions_at_one_place_keep_their_order():
    assert edits.apply_edits("", [change(0, 0, 0, "x"), change(0, 0, 0, "y")], UTF32) == "xy"


def test_overlapping_edits_are_refused():
    with pytest.raises(Trouble, match="overlap"):
        edits.apply_edits("abc", [change(0, 0, 2, ""), change(0, 1, 3, "")], UTF32)


def test_line_ends_outside_the_edit_stay_as_they_are():
    assert edits.apply_edits("a\r\nb\r\n", [change(1, 0, 1, "c")], UTF32) == "a\r\nc\r\n"


def test_a_plan_writes_nothing(two):
    assert "+ONE" in changes.render_diff(made(both(two)), os.path.dirname(two[0]))
    assert text(two[0]) == "one\n"


def test_all_files_are_written(two, tmp_path):
    os.chmod(two[0], 0o755)
    changes.write(made(both(two)), str(tmp_path))
    assert [text(path) for path in two] == ["ONE\n", "TWO\n"]
    assert os.stat(two[0]).st_mode & 0o777 == 0o755
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt"]


def test_nothing_is_written_if_one_file_changed_meanwhile(two, tmp_path):
    plan = made(both(two))
    (tmp_path / "b.txt").write_text("two, but different\n")
    with pytest.raises(Conflict, match=r"b\.txt changed meanwhile"):
        changes.write(plan, str(tmp_path))
    assert text(two[0]) == "one\n"


def test_files_already_written_come_back_when_a_later_one_fails(two, tmp_path):
    plan = made(both(two))
    (tmp_path / "c").mkdir()
    plan[str(tmp_path / "c")] = changes.TextChange(None, "cannot replace a folder")
    plan = {path: plan[path] for path in (*two, str(tmp_path / "c"))}
    with pytest.raises(OSError, match="c"):
        changes.write(plan, str(tmp_path))
    assert [text(path) for path in two] == ["one\n", "two\n"]
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt", "c"]


def test_an_edit_that_leaves_the_worktree_is_refused(two, tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    with pytest.raises(UsageError, match="outside the worktree"):
        changes.write(made(both(two)), str(inner))
    assert text(two[0]) == "one\n"


def test_a_link_that_leads_out_of_the_worktree_is_followed_before_judging(two, tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "a.txt").symlink_to(two[0])
    edit = {"changes": {make_uri(str(inner / "a.txt")): [change(0, 0, 3, "ONE")]}}
    with pytest.raises(UsageError, match="outside the worktree"):
        changes.write(made(edit), str(inner))


def test_files_are_created_moved_and_deleted_in_order(two, tmp_path):
    fresh, moved = str(tmp_path / "sub" / "new.txt"), str(tmp_path / "moved.txt")
    steps = [
        {"kind": "create", "uri": make_uri(fresh)},
        {"textDocument": {"uri": make_uri(fresh)}, "edits": [change(0, 0, 0, "hello")]},
        {"kind": "rename", "oldUri": make_uri(two[0]), "newUri": make_uri(moved)},
        {"kind": "delete", "uri": make_uri(two[1])},
    ]
    changes.write(made({"documentChanges": steps}), str(tmp_path))
    assert text(fresh) == "hello"
    assert text(moved) == "one\n"
    assert not os.path.exists(two[0])
    assert not os.path.exists(two[1])


def test_a_file_is_not_created_over_another(two):
    with pytest.raises(Conflict, match="already exists"):
        made({"documentChanges": [{"kind": "create", "uri": make_uri(two[0])}]})

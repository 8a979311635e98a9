import pytest

from ultrawork.clients.headless.attempt import WORKER, Attempt, read_note, write_note


def attempt_at(folder, subject, epoch=1, prompt="do it"):
    return Attempt(
        "s", subject, WORKER, epoch,
        backend="script", place="/p", folder=f"{folder}/{subject}.{epoch}", prompt=prompt,
    )  # fmt: skip


def test_nothing_is_remembered_of_what_was_never_started(tmp_path):
    assert read_note(f"{tmp_path}/a.1") is None
    write_note(attempt_at(tmp_path, "a", 2))
    assert read_note(f"{tmp_path}/a.1") is None


@pytest.mark.parametrize("subject", ["a", "b", "ba"])
def test_each_attempt_has_its_own_note_among_all(tmp_path, subject):
    for other in ("b", "a", "ba"):
        for epoch in (1, 2, 12):
            write_note(attempt_at(tmp_path, other, epoch, f"{other} {epoch}\nb.2 {{}}"))
    found = read_note(f"{tmp_path}/{subject}.2")
    assert found.document() == attempt_at(tmp_path, subject, 2, f"{subject} 2\nb.2 {{}}").document()


def test_half_a_note_is_none_and_spoils_no_other(tmp_path):
    write_note(attempt_at(tmp_path, "a"))
    notes = tmp_path / "notes"
    notes.write_bytes(notes.read_bytes()[:-20])
    assert read_note(f"{tmp_path}/a.1") is None
    write_note(attempt_at(tmp_path, "b"))
    assert read_note(f"{tmp_path}/a.1") is None
    assert read_note(f"{tmp_path}/b.1").subject == "b"


def test_a_file_that_was_only_made_holds_no_note(tmp_path):
    (tmp_path / "notes").touch()
    assert read_note(f"{tmp_path}/a.1") is None


def test_notes_are_for_nobody_else_to_read(tmp_path):
    write_note(attempt_at(tmp_path, "a"))
    assert (tmp_path / "notes").stat().st_mode & 0o077 == 0

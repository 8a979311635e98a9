import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ultrawork.core.errors import Trouble, UsageError
from ultrawork.features.notepad import store as notepad
from ultrawork.store.omc.folder import Omc

NOON = 1_795_435_200.0
DAY = 86_400.0
NOTES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=80)


@pytest.fixture
def omc(tmp_path):
    return Omc(str(tmp_path))


def notes(omc, name):
    section = notepad.parse(omc.read(omc.notepad)).section(name)
    return [entry.note for entry in notepad.split_entries(section.body)[1]]


def test_what_is_not_there_is_none(omc):
    assert notepad.read(omc, "priority") is None
    assert notepad.read_all(omc) is None


def test_entries_are_added_once_each_and_in_order(omc):
    for text in ("first", "second", "third"):
        notepad.add(omc, "working", text, NOON)
    assert notes(omc, "working") == ["first", "second", "third"]
    assert omc.read(omc.notepad).count("first") == 1


def test_a_note_full_of_headings_and_patterns_is_kept_verbatim(omc):
    text = "## MANUAL\ncost is $1 and $& and \\1\n### 2026-01-01 10:00\n## end"
    notepad.add(omc, "manual", text, NOON)
    notepad.add(omc, "manual", "after", NOON)
    assert notes(omc, "manual") == [text, "after"]


@settings(max_examples=30)
@given(texts=st.lists(NOTES.filter(str.strip), min_size=1, max_size=5))
def test_any_notes_read_back_as_they_were_written(tmp_path_factory, texts):
    omc = Omc(str(tmp_path_factory.mktemp("pad")))
    for text in texts:
        notepad.add(omc, "manual", text, NOON)
    assert notes(omc, "manual") == [text.strip() for text in texts]


def test_priority_is_replaced_and_leaves_the_rest_alone(omc):
    notepad.add(omc, "manual", "mine", NOON)
    notepad.set_priority(omc, "old")
    assert notepad.set_priority(omc, "new") == ""
    assert notepad.read(omc, "priority") == "new"
    assert notes(omc, "manual") == ["mine"]


def test_a_long_priority_note_is_warned_about_and_a_longer_one_refused(omc):
    assert "501 characters" in notepad.set_priority(omc, "x" * 501)
    with pytest.raises(UsageError, match="2,001 characters"):
        notepad.set_priority(omc, "x" * 2001)


def test_pruning_takes_old_working_notes_out_of_the_file_and_no_others(omc):
    notepad.add(omc, "working", "old", NOON - 8 * DAY)
    notepad.add(omc, "manual", "old but mine", NOON - 8 * DAY)
    notepad.add(omc, "working", "recent", NOON - 6 * DAY)
    assert notepad.prune(omc, 7, NOON) == (1, 1)
    assert notes(omc, "working") == ["recent"]
    assert notes(omc, "manual") == ["old but mine"]


def test_what_a_person_wrote_into_the_file_survives(omc, tmp_path):
    (tmp_path / ".omc").mkdir()
    own = "My title\n\nwords before\n\n## My section\n- [ ] a box\n\n## Working Memory\nno comment here\n"
    (tmp_path / ".omc" / "notepad.md").write_text(own)
    notepad.add(omc, "working", "a note", NOON)
    notepad.set_priority(omc, "look here")
    text = omc.read(omc.notepad)
    assert text.startswith(own.rstrip("\n"))
    assert notepad.read(omc, "priority") == "look here"
    assert notes(omc, "working") == ["a note"]


def test_a_link_that_leads_out_of_the_worktree_is_refused(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "top").mkdir()
    (tmp_path / "top" / ".omc").symlink_to(tmp_path / "outside")
    with pytest.raises(Trouble, match="points outside the worktree"):
        notepad.add(Omc(str(tmp_path / "top")), "manual", "x", NOON)
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_file_that_is_not_text_is_refused_not_overwritten(omc, tmp_path):
    (tmp_path / ".omc").mkdir()
    (tmp_path / ".omc" / "notepad.md").write_bytes(b"\xff\xfe")
    with pytest.raises(Trouble, match="not UTF-8"):
        notepad.add(omc, "manual", "x", NOON)
    assert (tmp_path / ".omc" / "notepad.md").read_bytes() == b"\xff\xfe"


def test_what_sessions_write_is_ignored_by_git(omc, tmp_path):
    notepad.add(omc, "manual", "x", NOON)
    assert "/notepad.md" in (tmp_path / ".omc" / ".gitignore").read_text()

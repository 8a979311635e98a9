"""What goes into notepad and memory comes out of them, whatever it holds."""

from hypothesis import given
from hypothesis import strategies as st

from ultrawork.features.notepad import store as notepad
from ultrawork.store.omc import memory
from ultrawork.store.omc.folder import Omc

HARD = ["$1", "$&", "\\1", "## MANUAL", "### 2026-11-15 14:02", "```", "~~~", "a\r", "<!-- c -->", "---", ""]
LINES = st.one_of(
    st.sampled_from(HARD), st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
)
NOTES = st.lists(LINES, min_size=1, max_size=8).map("\n".join).filter(str.strip)
NOW = 1_795_435_200.0
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | LINES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(LINES, inner, max_size=3),
    max_leaves=8,
)


@given(notes=st.lists(NOTES, min_size=1, max_size=4))
def test_notes_are_all_there_letter_by_letter(tmp_path_factory, notes):
    omc = Omc(str(tmp_path_factory.mktemp("pad")))
    for note in notes:
        notepad.add(omc, "manual", note, NOW)
    text = omc.read(omc.notepad)
    assert notepad.parse(text).render() == text
    entries = notepad.split_entries(notepad.parse(text).section("manual").body)[1]
    assert [one.note.strip() for one in entries] == [note.strip() for note in notes]


@given(priority=NOTES, manual=NOTES)
def test_one_section_does_not_touch_the_other(tmp_path_factory, priority, manual):
    omc = Omc(str(tmp_path_factory.mktemp("pad")))
    notepad.add(omc, "manual", manual, NOW)
    before = notepad.read(omc, "manual")
    notepad.set_priority(omc, priority)
    assert notepad.read(omc, "priority") == priority.strip()
    assert notepad.read(omc, "manual") == before


@given(document=st.dictionaries(LINES, VALUES, max_size=5))
def test_memory_reads_back_what_was_written(tmp_path_factory, document):
    omc = Omc(str(tmp_path_factory.mktemp("memory")))
    memory.write(omc, document, merge=False)
    found = memory.read(omc)
    assert {key: found[key] for key in document} == document
    memory.change(omc, lambda same: same)
    assert memory.read(omc) == found

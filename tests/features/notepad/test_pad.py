"""The notepad's text: what goes in comes out, whoever wrote it."""

from hypothesis import given
from hypothesis import strategies as st

from ultrawork.features.notepad import store as omc_notepad

STAMP = "2026-11-15 14:02"
HEADINGS = ["## MANUAL", "## Working Memory", "## Priority Context", f"### {STAMP}", "\\## MANUAL"]
LINES = st.one_of(
    st.sampled_from([*HEADINGS, f"\\\\### {STAMP}", "## ", "##", "# Notepad", "<!-- c -->", "", "\\"]),
    st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"]), max_size=20),
)
TEXTS = st.lists(LINES, max_size=12).map("\n".join)


@given(TEXTS)
def test_any_text_taken_apart_and_put_together_is_the_same(text):
    assert omc_notepad.parse(text).render() == text


@given(TEXTS)
def test_entries_of_any_section_put_together_are_the_section(text):
    for section in omc_notepad.parse(text).sections:
        intro, entries = omc_notepad.split_entries(section.body)
        assert intro + "".join(entry.text for entry in entries) == section.body


@given(TEXTS)
def test_a_note_reads_back_as_it_was_written_whatever_it_holds(text):
    assert omc_notepad.unescape(omc_notepad.escape(text)) == text


@given(TEXTS)
def test_no_line_of_a_note_can_pass_for_a_heading(text):
    body = omc_notepad.escape(text)
    assert omc_notepad.parse(body).sections == []
    assert omc_notepad.split_entries(body)[1] == []


def test_a_fresh_notepad_has_its_three_sections():
    notepad = omc_notepad.make_empty()
    assert [section.title for section in notepad.sections] == list(omc_notepad.TITLES.values())
    assert omc_notepad.parse(notepad.render()).render() == notepad.render()


def test_line_ends_of_windows_are_kept_and_understood():
    text = f"# N\r\n## Working Memory\r\n<!-- c -->\r\n### {STAMP}\r\nnote\r\n"
    notepad = omc_notepad.parse(text)
    assert notepad.render() == text
    section = notepad.section("working")
    assert omc_notepad.split_entries(section.body)[1][0].time == STAMP

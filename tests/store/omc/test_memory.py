import pytest

from ultrawork.core.errors import Trouble, UsageError
from ultrawork.store.omc import memory, memory_scan
from ultrawork.store.omc.folder import Omc

NOW = 1_795_435_200.0


@pytest.fixture
def omc(tmp_path):
    return Omc(str(tmp_path))


def test_nothing_is_known_at_first(omc):
    assert memory.read(omc) is None


def test_a_merge_keeps_what_it_does_not_name(omc):
    memory.write(omc, {"build": {"testCommand": "make test"}}, merge=True)
    memory.write(omc, {"build": {"buildCommand": "make"}, "own": [1]}, merge=True)
    document = memory.read(omc)
    assert document["build"]["testCommand"] == "make test"
    assert document["build"]["buildCommand"] == "make"
    assert document["own"] == [1]


def test_without_merge_the_whole_is_replaced(omc):
    memory.write(omc, {"own": 1}, merge=False)
    document = memory.write(omc, {"other": 2}, merge=False)
    assert "own" not in document
    assert document["customNotes"] == []


def test_the_last_twenty_notes_are_kept_each_once(omc):
    for number in range(25):
        memory.add_note(omc, "test", f"note {number}", NOW)
    memory.add_note(omc, "test", "note 24", NOW)
    notes = memory.get_section(memory.read(omc), "notes")
    assert [note["content"] for note in notes] == [f"note {n}" for n in range(5, 25)]


def test_directives_of_high_priority_come_first_and_stay_longest(omc):
    memory.add_directive(omc, "important", "", "high", NOW)
    for number in range(25):
        memory.add_directive(omc, f"wish {number}", "", "normal", NOW)
    directives = memory.get_section(memory.read(omc), "directives")
    assert len(directives) == 20
    assert directives[0]["directive"] == "important"
    assert directives[-1]["directive"] == "wish 24"


def test_a_directive_said_again_is_not_a_second_one(omc):
    memory.add_directive(omc, "use tabs", "", "normal", NOW)
    memory.add_directive(omc, "use tabs", "said twice", "high", NOW)
    directives = memory.get_section(memory.read(omc), "directives")
    assert [(each["directive"], each["priority"]) for each in directives] == [("use tabs", "high")]


def test_a_note_that_is_too_long_is_refused(omc):
    with pytest.raises(UsageError, match="1,001 characters"):
        memory.add_note(omc, "c", "x" * 1001, NOW)


def test_a_garbled_file_is_refused_not_overwritten(omc, tmp_path):
    (tmp_path / ".omc").mkdir()
    (tmp_path / ".omc" / "project-memory.json").write_text("{half")
    with pytest.raises(Trouble, match="not a JSON object"):
        memory.add_note(omc, "c", "x", NOW)
    assert (tmp_path / ".omc" / "project-memory.json").read_text() == "{half"


def test_without_a_manifest_endings_and_the_makefile_tell_language_and_commands(omc, tmp_path):
    (tmp_path / "calc.py").write_text("")
    (tmp_path / "Makefile").write_text("CC := cc\ntest: calc.py\n\tpython -m calc\n")
    found = memory_scan.scan_project(omc.top, NOW)
    assert found["build"]["testCommand"] == "make test"
    assert [one["name"] for one in found["techStack"]["languages"]] == ["Python"]

"""The beginning of a session with features: short, and nothing twice."""

import os

import pytest

from ultrawork.features.notepad import store as notepad
from ultrawork.store.omc import memory


@pytest.fixture
def rich(project):
    """More of everything than there is room for."""
    project.write("AGENTS.md", "Keep it plain. " * 1_000)
    project.write("CLAUDE.md", "Own words.\n")
    project.write("package.json", '{"scripts": {"test": "vitest"}, "dependencies": {"react": "1"}}')
    project.write(".omc/plans/p.md", "".join(f"- [ ] {'box ' * 20}{n}\n" for n in range(50)))
    project.write(".omc/boulder.json", '{"active_plan": ".omc/plans/p.md"}')
    notepad.set_priority(project.omc, "n" * 2_000)
    for number in range(20):
        memory.add_directive(project.omc, f"{number} {'d' * 400}", "", "high", 1.0)
    return project


def test_all_of_it_together_stays_below_four_kilobytes(rich, told):
    text = told(rich.start()) + told(rich.prompt("look at it"))
    for part in ("AGENTS.md of this project", "Notepad, priority", "Known about this project", "Active plan"):
        assert part in text
    assert len(text.encode()) <= 4_000


def test_a_resumed_session_hears_only_what_is_new(rich, told):
    rich.start()
    assert told(rich.start("resume")) == ""
    notepad.set_priority(rich.omc, "another thing")
    assert told(rich.start("resume")) == "Notepad, priority:\nanother thing"


def test_a_guide_that_the_client_reads_itself_is_not_repeated(project, told):
    project.write("AGENTS.md", "Keep it plain.\n")
    assert "Keep it plain" not in told(project.start())
    project.write("CLAUDE.md", "@AGENTS.md\n")
    assert "Keep it plain" not in told(project.start())
    project.write("CLAUDE.md", "Own words.\n")
    assert "Keep it plain" in told(project.start())


def test_a_client_that_does_not_read_it_gets_it(project, told):
    del project.environ["CLAUDE_CODE_SESSION_ATTENDED"]
    project.write("AGENTS.md", "Keep it plain.\n")
    assert "Keep it plain" in told(project.start())


def test_notes_come_once_after_compaction(project, told):
    notepad.set_priority(project.omc, "the port is 8081")
    project.start()
    project.event("PreCompact", trigger="auto")
    assert told(project.start("compact")).count("the port is 8081") == 1


def test_what_was_told_before_a_compaction_may_be_told_again_after_it(project, told):
    project.write(".github/instructions/py.instructions.md", "---\napplyTo: '**/*.py'\n---\nUse tabs.\n")  # fmt: skip
    project.write("src/a.py", "")
    read = lambda: told(project.tool("Read", project.file("src/a.py")))  # noqa: E731 (three times the same)
    assert ["Use tabs." in one for one in (read(), read())] == [True, False]
    project.event("PreCompact", trigger="auto")
    project.start("compact")
    assert "Use tabs." in read()


def test_a_scan_once_a_day_keeps_what_was_noted_and_asked_for(project):
    project.start()
    memory.add_note(project.omc, "build", "needs java", 1.0)
    memory.add_directive(project.omc, "use tabs", "", "high", 1.0)
    memory.change(project.omc, lambda document: {**document, "lastScanned": 0})
    project.write("Cargo.toml", "[package]\nname = 'x'\n")
    project.environ["CLAUDE_CODE_SESSION_ID"] = "other"
    project.start()
    document = memory.read(project.omc)
    assert document["techStack"]["packageManager"] == "cargo"
    assert [one["content"] for one in document["customNotes"]] == ["needs java"]
    assert [one["directive"] for one in document["userDirectives"]] == ["use tabs"]
    project.write("Cargo.toml", "")
    project.environ["CLAUDE_CODE_SESSION_ID"] = "third"
    project.start()
    assert memory.read(project.omc)["lastScanned"] == document["lastScanned"]


def test_a_garbled_memory_harms_nothing_else(project, told):
    project.write(".omc/project-memory.json", "[")
    notepad.set_priority(project.omc, "the port is 8081")
    assert "the port is 8081" in told(project.start())
    assert os.path.exists(f"{project.home}/logs/hooks.log")

from ultrawork.core.modes import progress_log
from ultrawork.core.modes.progress_log import LogEntry


def test_what_is_written_is_read_again():
    entry = LogEntry("US-1", ["did a", "did b"], ["x.py"], ["look at y"], at="2026-11-15 10:00")
    log = progress_log.parse(progress_log.make_empty("2026-11-15T09:00:00Z") + entry.text())
    assert log.started == "2026-11-15T09:00:00Z"
    assert log.patterns == []
    (read,) = log.entries
    assert (read.story, read.at) == ("US-1", "2026-11-15 10:00")
    assert (read.what, read.files, read.learnings) == (["did a", "did b"], ["x.py"], ["look at y"])


def test_a_pattern_is_added_once_and_nothing_else_is_touched():
    entry = LogEntry("goal", ["did a"], at="2026-11-15 10:00").text()
    text = progress_log.make_empty("now") + entry
    once = progress_log.add_pattern(text, "use  x\nfor y")
    assert progress_log.parse(once).patterns == ["use x for y"]
    assert progress_log.add_pattern(once, "use x for y") == once
    twice = progress_log.add_pattern(once, "another")
    assert progress_log.parse(twice).patterns == ["use x for y", "another"]
    assert twice.endswith(entry)


def test_a_file_of_another_make_keeps_its_words():
    text = progress_log.add_pattern("my notes\n", "use x")
    assert text.startswith("my notes\n")
    assert progress_log.parse(text).patterns == ["use x"]


def test_learnings_are_those_of_the_newest_entries():
    entries = "".join(LogEntry(str(n), ["x"], [], [f"l{n}"], at="t").text() for n in range(4))
    assert progress_log.parse(entries).learnings(2) == ["l2", "l3"]


def test_an_agent_names_what_is_to_be_kept():
    message = "Done.\nPATTERN: use x\n- LEARNED: y is slow\nA PATTERN: is nothing\nLEARNED:\n"
    assert progress_log.find_lessons(message) == {"patterns": ["use x"], "learnings": ["y is slow"]}


def test_what_an_agent_says_is_bounded():
    found = progress_log.find_lessons("\n".join(["PATTERN: " + "x" * 999] * 99))["patterns"]
    assert len(found) == progress_log.MOST
    assert max(map(len, found)) <= 300

from ultrawork.report import timeline

ENTRIES = [
    {"at": 0.0, "tool": "Bash", "what": "make test", "ok": False, "ms": 2500},
    {"at": 1.0, "tool": "Edit", "what": "a.py", "ok": True, "ms": 10, "agent": "x1"},
    {"at": 2.0, "tool": "Edit", "what": "a.py", "ok": True, "ms": 10},
    {"at": 3.0, "tool": "Skill", "what": "ulw", "ok": True},
    {"at": 4.0, "tool": "Agent", "what": "executor", "ok": True},
    {"at": 5.0, "tool": "mcp__plugin_ultrawork_t__state_write", "ok": True, "ms": 3},
    {"at": 60.0, "warned": True},
]
PROMPT = {"at": 61.0, "turn": "x"}


def test_lines_tell_time_tool_subject_length_and_failure():
    assert timeline.render_lines(ENTRIES)[:2] == [
        "00:00:00  Bash make test  2500 ms  failed",
        "00:00:01  Edit a.py  10 ms  [x1]",
    ]


def test_a_filter_chooses_and_last_cuts():
    assert timeline.render_lines(ENTRIES, "skills") == ["00:00:03  Skill ulw"]
    assert timeline.render_lines(ENTRIES, "agents") == ["00:00:04  Agent executor"]
    assert timeline.render_lines(ENTRIES, "modes")[0].startswith("00:00:05  mcp__plugin_ultrawork_t__state")
    assert timeline.render_lines(ENTRIES, "hooks") == ["00:01:00  repeated itself"]
    assert len(timeline.render_lines(ENTRIES, "tools", 2)) == 2


def test_a_turn_of_the_person_is_named():
    assert timeline.render_lines([PROMPT]) == ["00:01:01  a prompt of the user"]


def test_the_summary_counts_and_names_what_is_slow():
    text = "\n".join(timeline.summarize(ENTRIES))
    assert "6 tool calls, 1 failed, over 60 s" in text
    assert "Bash: 1, 2500 ms on average  slow" in text
    assert "agent x1: 1 calls" in text
    assert "file a.py: 2" in text
    assert "repeated itself: 1 times" in text


def test_nothing_traced_is_nothing_said():
    assert timeline.render_lines([]) == timeline.summarize([]) == []


def test_a_call_of_our_toolbox_counts_once_and_modes_stand_between():
    own = {"at": 5.0, "tool": "notepad_read", "ok": True, "agent": "mcp"}
    told = {"at": 5.2, "tool": "mcp__plugin_ultrawork_t__notepad_read", "ok": True}
    alone = {"at": 9.0, "tool": "notepad_read", "ok": True, "agent": "mcp"}
    begun = {"at": 6.0, "kind": "modes", "what": "ralph begun"}
    found = timeline.merge_events([own, told, alone], [begun])
    assert found == [told, begun, alone]
    assert timeline.render_lines(found, "modes") == ["00:00:06  modes ralph begun"]

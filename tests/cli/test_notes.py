"""`ultrawork notepad …` and `ultrawork memory …`."""

HARD = "costs $1 and $&\n## a heading\n```\ncode\n```\r\nend"


def test_notes_come_back_letter_by_letter(program):
    program.done("notepad", "manual", "-", stdin=HARD.encode())
    program.done("notepad", "manual", "a second one")
    out = program.done("notepad", "read", "manual", "--json").data["text"]
    assert HARD.replace("\r\n", "\n").split("\n")[0] in out
    assert "## a heading" in out
    assert "a second one" in out


def test_priority_is_replaced_and_long_ones_are_warned_of(program):
    program.done("notepad", "priority", "the port is 8081")
    answer = program.call("notepad", "priority", "x" * 600)
    assert "shorten it to 500" in answer.err
    assert "8081" not in program.done("notepad", "read", "priority").out


def test_pruning_says_what_went(program):
    program.done("notepad", "add", "now")
    assert program.done("notepad", "prune").out == "0 deleted, 1 remaining\n"


def test_a_project_is_scanned_and_its_facts_stay(program):
    program.done("memory", "note", "build", "needs java")
    program.done("memory", "directive", "never touch vendor", "--priority", "high")
    with open(f"{program.place}/package.json", "w", encoding="utf-8") as file:
        file.write('{"scripts": {"test": "vitest"}, "devDependencies": {"vitest": "^1.0.0"}}')
    out = program.done("memory", "scan").out
    assert out == "JavaScript/TypeScript, vitest; uses npm; test: npm test\n"
    assert program.done("memory", "read", "notes", "--json").data[0]["content"] == "needs java"
    assert program.done("memory", "read", "directives", "--json").data[0]["priority"] == "high"


def test_what_is_missing_is_said(program):
    assert program.call("memory", "note", "build").status == 2
    assert program.call("notepad", "add").status == 2
    assert program.call("notepad", "read", "nothing").status == 2


def test_a_goal_is_drafted_into_tasks_when_no_model_plans(program):
    goal = "Build an app with a React frontend, an Express backend and a Postgres database"
    program.done("session", "new", "--goal", goal, "--session", "s1")
    assert program.done("task", "create", "--draft").out.startswith("3 tasks in session s1")
    rows = program.done("task", "list", "--json").data["tasks"]
    found = {one["subject"].partition(":")[0]: one["blockedBy"] for one in rows}
    assert found == {"database": [], "backend": ["t1"], "frontend": ["t2"]}
    told = {one["subject"].partition(":")[0]: one["description"] for one in rows}
    assert "Work as database-expert does (database work)" in told["database"]
    assert "Work as" not in told["backend"]

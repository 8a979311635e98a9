"""`ultrawork` alone says what is going on here and what to type next."""


def add_check(program):
    with open(f"{program.place}/ultrawork.toml", "w", encoding="utf-8") as file:
        file.write('[gates]\ntest = "make test"\n')


def test_an_empty_folder_is_told_how_to_start(program):
    out = program.call().out
    assert "session  none yet" in out
    assert "checks   none found" in out
    assert "ulw <task>" in out
    assert "ultrawork gates draft" in out


def test_checks_are_shown_with_whether_they_may_run(program):
    add_check(program)
    assert "checks   test: make test  (runs after you type ulw)" in program.call().out
    assert "ultrawork verify" in program.call().out


def test_an_active_session_is_shown_with_its_next_steps(program):
    program.done("session", "new", "--goal", "fix the login bug")
    out = program.call().out
    assert '"fix the login bug"' in out
    assert "ultrawork cancel" in out
    assert "ulw <task>" not in out


def test_scripts_get_the_same_as_json(program):
    add_check(program)
    data = program.call("--json").data
    assert data["session"] is None
    assert data["checks"] == [{"name": "test", "command": "make test", "may_run": "runs after you type ulw"}]
    assert data["next"] == ["ulw <task>", "ultrawork verify"]

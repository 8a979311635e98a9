"""`ultrawork config show`."""


def test_every_setting_is_shown_with_its_source(program):
    with open(f"{program.place}/ultrawork.toml", "w", encoding="utf-8") as file:
        file.write('[stop]\nrefusals = 3\n\n[gates]\ntest = "make test"\n')
    answer = program.call("config", "show", env={"ULTRAWORK_STOP_BUDGET": "60s"})
    rows = {line.split()[0]: line.split()[1:] for line in answer.out.splitlines()}
    assert rows["SETTING"] == ["VALUE", "FROM"]
    assert rows["stop.budget"] == ["60.0", "environment"]
    assert rows["stop.refusals"] == ["3", "ultrawork.toml"]
    assert rows["stop.repeats"] == ["2", "default"]
    assert rows["gates.test"] == ['"make', 'test"', "ultrawork.toml"]


def test_a_slip_in_a_file_is_one_sentence(program):
    with open(f"{program.place}/ultrawork.toml", "w", encoding="utf-8") as file:
        file.write('[stop]\nbudgte = "60s"\n')
    answer = program.call("config", "show")
    assert answer.status == 2
    assert answer.err == (
        'ultrawork: ultrawork.toml: no setting "stop.budgte"; did you mean stop.budget?\n'
    )

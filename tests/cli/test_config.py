"""`ultrawork config show` and `prices`."""

import os


def test_every_setting_is_shown_with_its_source(program):
    with open(f"{program.place}/ultrawork.toml", "w", encoding="utf-8") as file:
        file.write('[stop]\nrefusals = 3\n\n[gates]\ntest = "make test"\n')
    answer = program.call("config", "show", env={"ULTRAWORK_STOP_BUDGET": "60s"})
    rows = {line.split()[0]: line.split()[1:] for line in answer.out.splitlines() if line}
    assert rows["SETTING"] == ["VALUE", "FROM"]
    assert rows["stop.budget"] == ['"1m"', "environment"]
    assert rows["stop.refusals"] == ["3", "ultrawork.toml"]
    assert rows["stop.repeats"] == ["2", "default"]
    assert rows["gates.test"] == ['"make', 'test"', "ultrawork.toml"]


def test_a_slip_in_a_file_is_one_sentence(program):
    with open(f"{program.place}/ultrawork.toml", "w", encoding="utf-8") as file:
        file.write('[stop]\nbudgte = "60s"\n')
    answer = program.call("config", "show")
    assert answer.status == 2
    assert answer.err == ('ultrawork: ultrawork.toml: no setting "stop.budgte"; did you mean stop.budget?\n')


def test_prices_are_shown_with_the_file_that_says_them(program):
    rates = "{ input = 2, output = 10, cache_read = 0.2, cache_write = 2.5 }"
    os.makedirs(program.home, exist_ok=True)
    with open(f"{program.home}/models.toml", "w", encoding="utf-8") as file:
        file.write(f"[prices]\ngpt-5 = {rates}\n")
    answer = program.call("config", "prices")
    rows = {line.split()[0]: line.split()[1:] for line in answer.out.splitlines()}
    assert rows["opus-5-5"][:6] == ["4", "20", "0.2", "5", "estimate", "of"]
    assert "haiku-5-5 0.5 2.5 0.05 0.625 prompts above 100,000 tokens" in " ".join(answer.out.split())
    assert "A cost that a client reports takes precedence" in answer.out
    assert rows["gpt-5"][:4] == ["2", "10", "0.2", "2.5"]
    assert "Other models have no known price" in answer.out


def test_what_is_kept_is_no_affair_of_a_project(program):
    with open(f"{program.place}/ultrawork.toml", "w", encoding="utf-8") as file:
        file.write('[keep]\nsessions = "1s"\n')
    answer = program.call("config", "show")
    assert answer.status == 2
    assert "[keep] works only in your own" in answer.err

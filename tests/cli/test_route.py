"""`ultrawork route …` as people and scripts type it."""


def test_a_choice_comes_with_its_reasons(program):
    out = program.done("route", "Fix the authentication vulnerability").out
    assert out.startswith("opus (HIGH, confidence ")
    assert "because  security is at stake" in out
    assert "rule     security-domain; score 2" in out


def test_the_projects_own_models_are_named(program):
    with open(f"{program.place}/ultrawork.toml", "w", encoding="utf-8") as file:
        file.write('[models]\nsimple = "tiny"\n')
    assert program.done("route", "--json", "find the file").data["model"] == "tiny"


def test_a_task_is_judged_by_its_words_and_its_failed_attempts(program):
    program.done("session", "new", "--goal", "g", "--session", "s1")
    program.done("task", "create", "--id", "t1", "--subject", "find the file")
    assert program.done("route", "--task", "t1", "--json").data["tier"] == "LOW"
    assert program.done("route", "find it", "--failures", "2", "--json").data["tier"] == "HIGH"


def test_without_words_it_says_what_is_missing(program):
    answer = program.call("route")
    assert answer.status == 2
    assert "say what is to be done" in answer.err

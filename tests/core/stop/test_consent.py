import pytest

from ultrawork.core.stop.gate_limits import ConsentFacts, is_allowed_by_rules, may_run_command


def may(mode, command="make test", *, allowed=False, typed=(), **facts):
    return may_run_command(ConsentFacts(mode, **facts), command, allowed=allowed, is_asked_for=typed.__contains__)


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan", "auto", "dontAsk", "", "bypass"])
def test_a_mode_that_asks_covers_nothing_by_itself(mode):
    assert not may(mode)


def test_the_mode_that_lets_everything_pass_covers_everything():
    assert may("bypassPermissions")


def test_what_the_person_allowed_or_the_client_let_run_is_covered():
    assert may("default", allowed=True)
    assert may("acceptEdits", ruled={"make test"})
    assert may("plan", ran={"make test"})
    assert not may("default", ran={"make"})


def test_what_was_asked_for_by_the_word_is_covered_but_in_plan_mode():
    assert may("default", typed=("make test",))
    assert not may("default", typed=("make",))
    assert not may("plan", typed=("make test",))


HOWS = [{"ruled": {"make test"}}, {"typed": ("make test",)}, {}]


@pytest.mark.parametrize("how", [{"allowed": True}, {"ran": {"make test"}}, *HOWS])
@pytest.mark.parametrize("mode", ["default", "bypassPermissions"])
def test_in_a_sandbox_nothing_is_covered(mode, how):
    assert not may(mode, sandboxed=True, **how)


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("mode", ["default", "bypassPermissions"])
def test_a_denial_leaves_only_what_was_let_run_after_it(mode, how):
    assert not may(mode, denied=True, **how)
    assert may(mode, denied=True, ran={"make test"})
    assert may(mode, denied=True, allowed=True)


@pytest.mark.parametrize(
    ("rule", "command", "covered"),
    [
        ("Bash", "make test", True),
        ("Bash(make test)", "make test", True),
        ("Bash(make test)", "make tests", False),
        ("Bash(make:*)", "make test", True),
        ("Bash(make:*)", "makeshift", False),
        ("Bash(make *)", "make test", True),
        ("Bash(make*)", "makeshift", True),
        ("Bash(npm run test:*)", "npm run test", True),
        ("Bash(npm:*)", "npm test && rm -rf x", False),
        ("Bash(npm:*)", "npm test | tee log", False),
        ("Bash(npm:*)", "npm test $(evil)", False),
        ("Bash(npm test && npm run lint)", "npm test && npm run lint", True),
        ("Bash(*)", "make test", True),
        ("Bash(git * main)", "git push main", False),
        ("Edit", "make test", False),
        ("Bash(make test", "make test", False),
        ("", "make test", False),
    ],
)
def test_a_rule_covers_what_the_client_would_let_pass(rule, command, covered):
    assert is_allowed_by_rules(command, allow=[rule], refuse=[]) is covered


@pytest.mark.parametrize("rule", ["Bash", "Bash(make:*)", "Bash(make test)", "Bash(make*)", "Bash()"])
def test_a_rule_that_asks_or_denies_wins(rule):
    assert not is_allowed_by_rules("make test", allow=["Bash(make:*)"], refuse=[rule])


def test_rules_about_other_commands_do_not_matter():
    assert is_allowed_by_rules("make test", allow=["Bash(make:*)"], refuse=["Bash(rm:*)", "Read(./secrets/**)"])


@pytest.mark.parametrize("rule", ["Bash(rm:*)", "Bash(at:*)", "Read(*)"])
def test_a_rule_about_another_program_is_not_meant_by_letters_within_a_word(rule):
    assert is_allowed_by_rules("npm run format", allow=["Bash(npm:*)"], refuse=[rule])


@pytest.mark.parametrize("command", ["cd x; rm y", "env rm y", "/bin/rm y", "$(rm y)", "rm y"])
def test_a_rule_that_denies_is_found_wherever_a_program_is_named(command):
    assert not is_allowed_by_rules(command, allow=["Bash"], refuse=["Bash(rm:*)"])

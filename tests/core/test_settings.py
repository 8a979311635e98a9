"""Settings: what is known, how each is read, and which source wins."""

import pytest

from ultrawork.core import settings
from ultrawork.core.errors import UsageError


def resolve(*sources):
    return {key: (one.value, one.source) for key, one in settings.resolve(sources).items()}


def test_without_sources_every_setting_has_its_default():
    found = resolve()
    assert set(found) == set(settings.KNOWN)
    assert found["stop.budget"] == (120.0, "default")
    assert found["stop.refusals"] == (8, "default")
    assert found["trigger.words"] == (["ulw", "ultrawork"], "default")
    assert found["run.max_iterations"] == (5, "default")


def test_the_strongest_source_that_has_a_value_wins():
    found = resolve(
        ("environment", {"stop.budget": "60s"}), ("ultrawork.toml", {"stop.budget": "90s", "stop.refusals": 3})
    )
    assert found["stop.budget"] == (60.0, "environment")
    assert found["stop.refusals"] == (3, "ultrawork.toml")
    assert found["stop.repeats"] == (2, "default")


@pytest.mark.parametrize(
    ("key", "given", "value"),
    [
        ("stop.cooldown", "1.5s", 1.5),
        ("stop.refusals", "4", 4),
        ("stop.questions", "no", False),
        ("stop.questions", True, True),
        ("trigger.plain", "1", True),
        ("tests.changed", "refuse", "refuse"),
        ("tests.paths", "a, b,,", ["a", "b"]),
        ("tests.paths", ["a", "b"], ["a", "b"]),
        ("run.budget_usd", "2.50", 2.5),
        ("run.budget_usd", 3, 3.0),
        ("run.backend", "claude", "claude"),
    ],
)
def test_a_value_is_read_by_its_kind(key, given, value):
    assert resolve(("x", {key: given}))[key] == (value, "x")


@pytest.mark.parametrize(
    ("key", "given"),
    [
        ("stop.budget", "soon"),
        ("stop.refusals", -1),
        ("stop.refusals", True),
        ("stop.refusals", 1.5),
        ("stop.refusals", 10**30),
        ("stop.questions", "maybe"),
        ("tests.changed", "shout"),
        ("tests.changed", 3),
        ("tests.paths", [1]),
        ("tests.paths", {}),
        ("run.budget_usd", "much"),
        ("run.budget_usd", -1),
        ("run.budget_usd", True),
        ("run.backend", 3),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_with_its_source_and_key(key, given):
    with pytest.raises(UsageError, match=rf"^ultrawork.toml: .*{key}"):
        resolve(("ultrawork.toml", {key: given}))


def test_sections_become_dotted_names_and_gates_are_left_to_others():
    table = {"stop": {"budget": "60s", "refusals": 3}, "gates": {"test": "make test"}}
    assert settings.flatten(table, "x") == {"stop.budget": "60s", "stop.refusals": 3}


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({"stop": {"budgte": 1}}, 'no setting "stop.budgte"; did you mean stop.budget'),
        ({"zzzz": {"qqqq": 1}}, "ultrawork config show lists them"),
        ({"stop": 3}, '"stop" is not a section'),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_known_one(table, why):
    with pytest.raises(UsageError, match=f"^here: .*{why}"):
        settings.flatten(table, "here")


def test_the_environment_speaks_in_capitals():
    environ = {"ULTRAWORK_STOP_BUDGET": "60s", "ULTRAWORK_TRIGGER_WORDS": "", "ULTRAWORK_HOME": "/x"}
    assert settings.read_environment(environ) == {"stop.budget": "60s"}

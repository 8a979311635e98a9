import pytest

from ultrawork.core.agent_variables import remove_agent_variables, remove_session_variables

KEYS = ("ANTHROPIC_API_KEY", "CODEX_API_KEY", "OPENAI_API_KEY", "COPILOT_GITHUB_TOKEN")
SESSION = ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT", "CODEX_THREAD_ID", "GEMINI_CLI")


@pytest.mark.parametrize("name", KEYS + SESSION)
def test_a_program_of_the_project_gets_nothing_of_the_agent(name):
    assert remove_agent_variables({name: "x", "HOME": "/h"}) == {"HOME": "/h"}


def test_a_declared_key_stays_but_never_that_of_the_agent_itself():
    given = {"OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a"}
    assert remove_agent_variables(given, set(given)) == {"OPENAI_API_KEY": "o"}


@pytest.mark.parametrize("name", SESSION)
def test_an_agent_takes_no_session_from_whoever_started_us(name):
    assert remove_session_variables({name: "x"}) == {}


@pytest.mark.parametrize("name", KEYS)
def test_an_agent_keeps_its_keys(name):
    assert remove_session_variables({name: "x"}) == {name: "x"}


@pytest.mark.parametrize("name", ["ULTRAWORK_JOBS_KEY_FILE", "ULTRAWORK_JOURNAL_KEY_FILE", "GIT_DIR", "GIT_INDEX_FILE"])
def test_no_one_gets_keys_of_a_run_or_another_checkout(name):
    assert remove_session_variables({name: "x"}) == remove_agent_variables({name: "x"}) == {}

"""An agent is followed by all that it was told and all that came of it."""

import pytest

from ultrawork.clients.headless import table
from ultrawork.content.models import list_prices
from ultrawork.core.run.subagents import LOOPING, AgentLiveness, AgentSample
from ultrawork.engine.agents.prompts import AgentFollower, count_spent
from ultrawork.store.codec import dumps
from ultrawork.store.paths import Home


class Agent:
    """A program at work, as its output shows it."""

    def __init__(self, folder, backend="claude"):
        self.out = folder / "out.jsonl"
        self.follower = AgentFollower(table.get(backend), str(folder))
        self.count = 0

    def print(self, *events):
        with self.out.open("a") as file:
            file.writelines(dumps(event) + "\n" for event in events)

    def say(self, text):
        self._assistant({"type": "text", "text": text})

    def do(self, name, result="ok", **given):
        self.count += 1
        call = {"type": "tool_use", "id": f"toolu_{self.count}", "name": name, "input": given}
        self._assistant(call)
        came = {"type": "tool_result", "tool_use_id": call["id"], "content": result}
        self.print({"type": "user", "message": {"content": [came]}})

    def _assistant(self, block):
        self.print({"type": "assistant", "message": {"id": f"m{self.count}", "content": [block]}})

    def judge(self):
        pulse = AgentLiveness(0.0)
        pulse.feel(AgentSample(1, calls=self.follower.look().steps), 1.0)
        return pulse.judged(1.0)


@pytest.fixture
def agent(tmp_path):
    return Agent(tmp_path)


def test_many_different_edits_of_one_file_are_work(agent):
    for number in range(20):
        agent.do("Edit", file_path="/p/calc.py", old_string=f"a{number}", new_string="b")
    assert agent.judge() == ""


def test_pages_of_one_file_are_work(agent):
    for number in range(20):
        agent.do("Read", f"page {number}", file_path="/p/calc.py", offset=number * 100)
    assert agent.judge() == ""


def test_rounds_of_an_edit_and_a_test_are_work(agent):
    for number in range(20):
        agent.do("Edit", file_path="/p/calc.py", old_string=f"a{number}", new_string="b")
        agent.do("Bash", "1 failed", command="pytest -q")
    assert agent.judge() == ""


def test_the_same_command_with_another_result_is_work(agent):
    for number in range(20):
        agent.do("Bash", f"{number} of 20", command="cat progress.txt")
    assert agent.judge() == ""


def test_other_words_between_the_same_calls_are_work(agent):
    for number in range(20):
        agent.say(f"Waiting, round {number}")
        agent.do("Bash", "running", command="cat state")
    assert agent.judge() == ""


def test_the_same_words_calls_and_results_over_and_over_are_not(agent):
    for _ in range(10):
        agent.say("Let me try again")
        agent.do("Bash", "no such file", command="cat nothing")
    assert agent.judge() == LOOPING


def test_a_line_that_is_not_whole_yet_waits_for_the_next_look(agent):
    agent.say("one")
    with agent.out.open("a") as file:
        file.write('{"type": "assistant", "message": {"content": [{"type": "text",')
    assert agent.follower.look().text == "one"
    with agent.out.open("a") as file:
        file.write(' "text": "two"}]}}\n')
    assert agent.follower.look().text == "two"


def priced(folder):
    claude = table.get("claude")
    claude.prices = list_prices(Home(str(folder)))
    return claude


def test_what_an_agent_has_spent_is_known_before_its_end(agent, tmp_path):
    usage = {"input_tokens": 1000, "output_tokens": 1, "cache_read_input_tokens": 10_000}
    text = {"type": "text", "text": "word " * 400}
    for name in ("m1", "m1", "m2"):
        message = {"id": name, "model": "claude-opus-5", "usage": usage, "content": [text]}
        agent.print({"type": "assistant", "message": message})
    tokens, usd = count_spent(priced(tmp_path), str(tmp_path))
    assert 2 * 11_000 < tokens < 2 * 11_600
    assert usd == pytest.approx(2 * (1000 * 5 + 10_000 * 0.5 + 507 * 25) / 1e6, rel=0.01)


def test_what_a_model_without_a_price_costs_is_not_guessed(agent, tmp_path):
    message = {"id": "m", "model": "somebody-else", "usage": {"input_tokens": 9}, "content": []}
    agent.print({"type": "assistant", "message": message})
    assert count_spent(priced(tmp_path), str(tmp_path)) == (9, None)


def test_the_programs_own_sum_wins_over_what_was_counted_on_the_way(agent, tmp_path):
    usage = {"input_tokens": 1000}
    message = {"id": "m", "model": "claude-opus-5", "usage": usage, "content": []}
    result = {"type": "result", "is_error": False, "result": "done", "total_cost_usd": 0.25}
    result["modelUsage"] = {"claude-opus-5": {"inputTokens": 7}}
    agent.print({"type": "assistant", "message": message}, result)
    assert count_spent(priced(tmp_path), str(tmp_path)) == (7, 0.25)

"""The backends of real programs, each with a scripted model behind it."""

import json
import time
from contextlib import ExitStack

import pytest

from support import clients
from support.backends import BackendSuite
from support.opencode import Opencode
from support.seats import ModelSeat

pytestmark = pytest.mark.client


@pytest.fixture
def backend(tmp_path):
    """A function from a backend's name and a seat at its client to a seat for attempts."""
    with ExitStack() as seats:

        def seat(name, client):
            folder = str(tmp_path / "seat")
            made = ModelSeat(name, folder, client.program, client.env, client.model)
            return seats.enter_context(made)

        yield seat


class TestClaude(BackendSuite):
    @pytest.fixture
    def seat(self, claude, backend):
        return backend("claude", claude([]))

    def test_an_api_key_that_is_not_accepted_is_told(self, seat):
        seat.answer({"error": {"status": 401, "message": "bad key"}})
        outcome = seat.run(seat.attempt())
        assert (outcome.trouble, "401 bad key" in outcome.detail) == ("auth", True)

    def test_a_refusing_model_is_told(self, seat):
        seat.answer({"text": "no", "stop_reason": "refusal"})
        assert seat.run(seat.attempt()).trouble == "refused"

    def test_a_run_over_its_budget_ends_and_says_what_it_cost(self, seat):
        usage = {"input_tokens": 1_000_000, "output_tokens": 10}
        seat.answer({"tool": {"name": "Bash", "input": {"command": "true"}}, "usage": usage})
        outcome = seat.run(seat.attempt(budget_usd=0.01))
        assert outcome.trouble == "budget"
        assert outcome.cost_usd > 0.01
        assert outcome.tokens >= 1_000_000

    def test_the_time_of_a_retry_is_known_while_the_client_waits_for_it(self, seat):
        seat.play({"limit": 40})
        running = seat.start(attempt := seat.attempt())
        try:
            while not (seen := seat.backend.read(attempt)).trouble:
                assert not running.ended()
            assert (seen.trouble, seen.last) == ("limit", "waiting 40 s: rate_limit")
            assert 20 < seen.retry_at - time.time() <= 40
        finally:
            running.cancel()

    def test_a_used_up_subscription_says_when_it_is_filled_again(self, seat):
        reset = int(time.time()) + 3600
        told = {"status": "rejected", "reset": reset, "5h-status": "rejected", "5h-reset": reset}
        told["representative-claim"] = "five_hour"
        headers = {f"anthropic-ratelimit-unified-{name}": str(told[name]) for name in told}
        seat.answer({"error": {"status": 429, "message": "limit"}, "headers": headers})
        del seat.environ["ANTHROPIC_API_KEY"]
        seat.environ["CLAUDE_CODE_OAUTH_TOKEN"] = "not-a-real-token"
        outcome = seat.run(seat.attempt())
        assert (outcome.trouble, outcome.retry_at) == ("limit", float(reset))

    def test_the_wanted_model_is_asked_and_its_own_tools_write_nothing_outside_its_place(self, seat, tmp_path):
        seat.play({"write": "../outside.txt", "text": "x"}, {"say": "done"})
        assert seat.run(seat.attempt(model="haiku")).text == "done"
        assert not (tmp_path / "seat" / "outside.txt").exists()
        main = [request for request in seat.model.requests if request.get("agent") == "main"]
        assert "haiku" in main[-1]["model"]

    def test_an_unknown_session_is_a_crash_that_says_so(self, seat):
        seat.play({"say": "done"})
        outcome = seat.run(seat.attempt(resume="00000000-0000-4000-8000-000000000000"))
        assert outcome.trouble == "crash"
        assert "No conversation found" in outcome.detail


class TestCodex(BackendSuite):
    @pytest.fixture
    def seat(self, codex, backend):
        return backend("codex", codex([]))

    def test_an_api_key_that_is_not_accepted_is_told(self, seat):
        seat.answer({"error": {"status": 401, "message": "bad key"}})
        outcome = seat.run(seat.attempt())
        assert (outcome.trouble, "401 Unauthorized" in outcome.detail) == ("auth", True)

    def test_a_tier_is_how_hard_it_thinks_any_other_name_a_model_and_it_starts_no_agents(self, seat):
        seat.play({"say": "done"})
        seat.run(seat.attempt(model="opus"))
        seat.run(seat.attempt(model="gpt-of-tomorrow"))
        bodies = [request["body"] for request in seat.model.requests]
        assert [body["model"] for body in bodies] == ["mock", "gpt-of-tomorrow"]
        assert bodies[0]["reasoning"]["effort"] == "high"
        assert "spawn_agent" not in str(bodies[0]["tools"])

    def test_an_unknown_session_is_a_crash_that_says_so(self, seat):
        seat.play({"say": "done"})
        outcome = seat.run(seat.attempt(resume="00000000-0000-4000-8000-000000000000"))
        assert outcome.trouble == "crash"
        assert "no rollout found" in outcome.detail


class TestGemini(BackendSuite):
    @pytest.fixture
    def seat(self, gemini, backend):
        # Left to choose, the program asks a router model first, which nobody plays here.
        return backend("gemini", gemini([], env={"GEMINI_MODEL": "gemini-2.5-flash"}))

    def test_an_api_key_that_is_not_accepted_is_told(self, seat):
        seat.answer({"error": {"status": 400, "message": "API key not valid"}})
        assert seat.run(seat.attempt()).trouble == "auth"

    def test_a_tier_is_one_of_its_models(self, seat):
        seat.play({"say": "done"})
        seat.run(seat.attempt(model="opus"))
        assert "pro" in seat.model.requests[-1]["path"]


class TestOpencode(BackendSuite):
    announces = False

    @pytest.fixture
    def seat(self, seat_at, backend):
        program = clients.program(clients.OPENCODE)
        return backend("opencode", seat_at(Opencode, program, []))

    def test_an_api_key_that_is_not_accepted_is_told(self, seat):
        seat.answer({"error": {"status": 401, "message": "bad key"}})
        assert seat.run(seat.attempt()).trouble == "auth"

    def test_it_may_not_start_agents_of_its_own(self, seat):
        seat.play({"say": "done"})
        seat.run(seat.attempt())
        main = [request for request in seat.model.requests if request.get("agent") == "main"]
        assert '"task"' not in json.dumps(main[0]["body"]["tools"])

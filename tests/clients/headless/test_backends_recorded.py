"""
What real programs printed, read without them.

The recordings are of Claude Code 2.1.325 and 2.1.197, Codex 0.166.0, Gemini CLI 0.61.0 and opencode 1.18.18
with a scripted model; `tests/clients/test_backends.py` asks the programs themselves.
"""

import json
import os
import shutil

import pytest

from ultrawork.clients.headless import table
from ultrawork.clients.headless.attempt import ENDED, RUNNING, Attempt, AttemptReport

DATA = os.path.join(os.path.dirname(__file__), "data", "backends")
CLIENTS = ["claude", "claude-197", "codex", "gemini", "opencode"]


@pytest.fixture
def attempt(tmp_path):
    return Attempt(
        "s", "1", "worker", 1, backend="", place=str(tmp_path), folder=str(tmp_path), prompt="go"
    )  # fmt: skip


@pytest.fixture
def read(attempt):
    """A function from a client and a recording to the outcome."""

    def read(client, case, code=0):
        out = f"{attempt.folder}/out.jsonl"
        shutil.copyfile(f"{DATA}/{client}.{case}.jsonl", out)
        os.utime(out, (5000, 5000))
        report = AttemptReport(ENDED, code=code, why="ended", ended_at=5001.0)
        return table.get(client.partition("-")[0]).read(attempt, report)

    return read


def told(attempt, name, *events):
    with open(f"{attempt.folder}/out.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(event) + "\n" for event in events)
    return table.get(name).read(attempt, AttemptReport(ENDED, code=1, why="ended", ended_at=5001.0))


@pytest.mark.parametrize("client", CLIENTS)
def test_work_that_was_done_is_told_with_its_last_words_and_tokens(read, client):
    outcome = read(client, "work")
    assert (outcome.text, outcome.last, outcome.trouble) == ("all\ndone", "done", "")
    assert outcome.tokens == 360
    assert len(outcome.session) > 20
    assert outcome.answer is None


NASTY = (10**400, 1e308, -1.5, "1e400", "nan", "half \ud83d", "\0", None, [], {"a": 1}, True)


def list_leaves(value, path=()):
    if isinstance(value, dict | list):
        keys = value if isinstance(value, dict) else range(len(value))
        return [leaf for key in keys for leaf in list_leaves(value[key], (*path, key))]
    return [path]


def replace_leaf(event, path, by):
    copy = json.loads(json.dumps(event))
    place = copy
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = by
    return copy


@pytest.mark.parametrize("client", CLIENTS)
def test_whatever_an_agent_prints_can_be_summed_and_stored(attempt, client):
    """Each value of each event of a recording is replaced by some that no program means."""
    for case in ("work", "answer"):
        with open(f"{DATA}/{client}.{case}.jsonl", encoding="utf-8") as file:
            events = [json.loads(line) for line in file if line.startswith("{")]
        bent = [
            replace_leaf(event, path, NASTY[number % len(NASTY)])
            for event in events
            for number, path in enumerate(list_leaves(event), start=len(event))
        ]
        for start in range(0, len(bent), 5):  # a sum shows itself only beside others
            outcome = told(attempt, client.partition("-")[0], *bent[start : start + 5])
            assert 0 <= outcome.tokens < 2**62
            assert outcome.cost_usd is None or 0 <= outcome.cost_usd < 1e12
            assert 0 <= outcome.retry_at < 1e12
            for counts, usd in outcome.bills.values():
                assert all(0 <= count < 2**62 for count in (*counts, usd))
            for text in (outcome.text, outcome.last, outcome.detail, outcome.session):
                text.encode()


@pytest.mark.parametrize("client", CLIENTS)
def test_a_structured_answer_is_found(read, attempt, client):
    attempt.schema = {"type": "object"}
    assert read(client, "answer").answer == {"sum": 4}


@pytest.mark.parametrize(("client", "cost"), [("claude", 0.0024), ("claude-197", 0.003)])
def test_what_it_cost_is_told_where_the_program_tells_it(read, client, cost):
    assert read(client, "work").cost_usd == pytest.approx(cost)


@pytest.mark.parametrize("client", ["codex", "gemini", "opencode"])
def test_a_program_that_tells_no_cost_leaves_it_open(read, client):
    """opencode says 0 for a model whose price it does not know."""
    assert read(client, "work").cost_usd is None


def test_opencode_tells_what_a_model_of_known_price_cost(attempt):
    finish = {"reason": "stop", "tokens": {"total": 90}}
    steps = [{"type": "step_finish", "part": {**finish, "id": key, "cost": 0.25}} for key in "ab"]
    assert told(attempt, "opencode", *steps).cost_usd == 0.5


@pytest.mark.parametrize(
    ("client", "until"), [("claude", 5002), ("claude-197", 5002), ("opencode", 5002), ("codex", 0)]
)
def test_a_limit_ends_at_the_time_that_the_provider_named(read, client, until):
    outcome = read(client, "limit", code=1)
    assert (outcome.trouble, outcome.retry_at) == ("limit", until)


@pytest.mark.parametrize("client", ["claude", "codex", "opencode"])
def test_a_key_that_is_not_accepted_is_no_crash(read, client):
    outcome = read(client, "auth", code=1)
    assert outcome.trouble == "auth"
    assert "invalid api key" in outcome.detail


@pytest.mark.parametrize("client", ["claude", "claude-197"])
def test_a_model_that_refuses_is_told(read, client):
    assert read(client, "refused", code=1).trouble == "refused"


def test_a_budget_that_is_used_up_is_told_with_what_was_spent(read):
    outcome = read("claude", "budget", code=1)
    assert (outcome.trouble, outcome.detail) == ("budget", "Reached maximum budget ($0.01)")
    assert (outcome.tokens, outcome.cost_usd) == (1_000_010, pytest.approx(4.0002))


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("lines", [1, 3])
def test_a_recording_that_breaks_off_is_a_crash_with_its_session(read, attempt, client, lines):
    read(client, "work")
    with open(f"{attempt.folder}/out.jsonl", encoding="utf-8") as file:
        kept = file.readlines()[:lines]
    with open(f"{attempt.folder}/out.jsonl", "w", encoding="utf-8") as file:
        file.writelines(kept)
    backend = table.get(client.partition("-")[0])
    outcome = backend.read(attempt, AttemptReport(ENDED, code=-9, why="ended"))
    assert (outcome.trouble, outcome.detail) == ("crash", "killed by signal 9")
    assert len(outcome.session) > 20


def test_too_many_turns_are_told(attempt):
    ended = {"type": "result", "subtype": "error_max_turns", "is_error": True}
    outcome = told(attempt, "claude", {**ended, "errors": ["Reached maximum number of turns (2)"]})
    assert (outcome.trouble, outcome.detail) == ("turns", "Reached maximum number of turns (2)")


def test_a_subscription_says_itself_when_it_is_filled_again(attempt):
    info = {"status": "rejected", "resetsAt": 9000, "rateLimitType": "five_hour"}
    ended = {"type": "result", "subtype": "success", "is_error": True, "api_error_status": 429}
    outcome = told(attempt, "claude", {"type": "rate_limit_event", "rate_limit_info": info}, ended)
    assert (outcome.trouble, outcome.retry_at) == ("limit", 9000.0)


@pytest.mark.parametrize("status", ["allowed", "allowed_warning", "rejected"])
def test_a_subscription_that_lets_the_run_end_is_no_limit(attempt, status):
    info = {"status": status, "resetsAt": 9000, "rateLimitType": "five_hour"}
    ended = {"type": "result", "subtype": "success", "is_error": False, "result": "well"}
    outcome = told(attempt, "claude", {"type": "rate_limit_event", "rate_limit_info": info}, ended)
    assert (outcome.text, outcome.trouble, outcome.retry_at) == ("well", "", 0.0)


def test_a_warning_of_a_subscription_names_no_time_for_another_limit(attempt):
    info = {"status": "allowed_warning", "resetsAt": 9000, "rateLimitType": "seven_day"}
    ended = {"type": "result", "subtype": "success", "is_error": True, "api_error_status": 429}
    outcome = told(attempt, "claude", {"type": "rate_limit_event", "rate_limit_info": info}, ended)
    assert (outcome.trouble, outcome.retry_at) == ("limit", 0.0)


def test_a_resumed_session_is_counted_from_here_on(attempt):
    def used(tokens, cost):
        return {"m": {"inputTokens": tokens, "outputTokens": 0, "costUSD": cost}}

    ended = {"type": "result", "subtype": "success", "is_error": False, "total_cost_usd": 9.0}
    counts = {"modelUsage": used(900, 9.0), "model_usage_since_last_result": used(100, 1.0)}
    outcome = told(attempt, "claude", {**ended, **counts}, {**ended, **counts})
    assert (outcome.tokens, outcome.cost_usd) == (200, 2.0)


def test_a_warning_of_codex_is_not_its_last_line(read):
    assert read("codex", "auth", code=1).last == ""


def test_the_status_of_an_answer_says_more_than_its_words(attempt):
    error = {"name": "APIError", "data": {"message": "slow down", "statusCode": 429}}
    assert told(attempt, "opencode", {"type": "error", "error": error}).trouble == "limit"


def test_a_wait_that_was_worth_it_is_forgotten(attempt):
    wait = {"type": "system", "subtype": "api_retry", "retry_delay_ms": 9000, "error_status": 429}
    said = {"type": "assistant", "message": {"content": [{"type": "text", "text": "well"}]}}
    with open(f"{attempt.folder}/out.jsonl", "w", encoding="utf-8") as file:
        file.write(json.dumps(wait) + "\n")
    backend = table.get("claude")
    waiting = backend.read(attempt, AttemptReport(RUNNING))
    assert (waiting.trouble, waiting.retry_at > 0) == ("limit", True)
    with open(f"{attempt.folder}/out.jsonl", "a", encoding="utf-8") as file:
        file.write(json.dumps(said) + "\n")
    going = backend.read(attempt, AttemptReport(RUNNING))
    assert (going.trouble, going.retry_at, going.last) == ("", 0.0, "well")


def test_a_subagents_words_are_not_the_agents(attempt):
    blocks = {"message": {"content": [{"type": "text", "text": "theirs"}]}}
    inner = {"type": "assistant", "parent_tool_use_id": "t1", **blocks}
    assert told(attempt, "claude", inner).text == ""


def test_gemini_waits_for_its_provider_where_only_its_errors_tell_it(attempt):
    out, err = f"{attempt.folder}/out.jsonl", f"{attempt.folder}/err.log"
    shutil.copyfile(f"{DATA}/gemini.work.jsonl", out)
    with open(err, "w", encoding="utf-8") as file:
        file.write("Attempt 1 failed with status 429. Retrying with backoff... _ApiError\n")
    backend = table.get("gemini")
    os.utime(out, (5000, 5000))
    assert backend.read(attempt).trouble == "limit"
    os.utime(err, (4000, 4000))
    assert backend.read(attempt).trouble == ""


def test_words_that_come_in_pieces_are_put_together_up_to_the_next_step(attempt):
    def piece(text):
        return {"type": "message", "role": "assistant", "content": text, "delta": True}

    tool = {"type": "tool_use", "tool_name": "run_shell_command", "parameters": {"command": "ls"}}
    result = {"type": "result", "status": "success", "stats": {"total_tokens": 1}}
    outcome = told(attempt, "gemini", piece("first"), tool, piece("sec"), piece("ond"), result)
    assert outcome.text == "second"


def test_an_exhausted_quota_says_how_long(attempt):
    message = "You exceeded your current quota. Please retry in 33.5s."
    failed = {"type": "result", "status": "error", "error": {"message": message}}
    outcome = told(attempt, "gemini", {**failed, "stats": {"total_tokens": 0}})
    assert outcome.trouble == "limit"
    assert outcome.retry_at - os.stat(f"{attempt.folder}/out.jsonl").st_mtime == pytest.approx(33.5)


def argv(name, attempt, **options):
    for option, value in options.items():
        setattr(attempt, option, value)
    return table.get(name).command(attempt, {"PATH": ""}).argv


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("claude", "--permission-mode default"),
        ("codex", 'sandbox_mode="read-only"'),
        ("gemini", "--approval-mode default"),
    ],
)
def test_a_reader_is_held_to_reading_by_the_programs_own_means(attempt, name, words):
    assert words in " ".join(argv(name, attempt, read_only=True))
    assert words not in " ".join(argv(name, attempt, read_only=False))


def test_opencode_is_held_by_permissions_in_a_variable(attempt):
    attempt.read_only = True
    environ = table.get("opencode").command(attempt, {"PATH": ""}).environ
    rules = json.loads(environ["OPENCODE_PERMISSION"])
    assert (rules["edit"], rules["bash"], rules["external_directory"]) == ("deny", "deny", "deny")


@pytest.mark.parametrize(
    ("name", "words"),
    [("claude", "--resume abc"), ("codex", "exec resume abc"), ("gemini", "--resume abc"), ("opencode", "-s abc")],
)
def test_a_session_is_resumed_by_its_id(attempt, name, words):
    assert words in " ".join(argv(name, attempt, resume="abc"))
    assert words not in " ".join(argv(name, attempt, resume=""))


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "opencode"])
def test_a_prompt_never_stands_among_the_arguments(attempt, name):
    attempt.prompt = "secret words \ud800"
    command = table.get(name).command(attempt, {"PATH": ""})
    assert "secret words" not in " ".join(command.argv)
    assert command.stdin.startswith(b"secret words ")
    assert command.environ["ULTRAWORK_DISABLE"] == "1"


def test_the_first_program_that_answers_is_chosen(tmp_path):
    for name, status in (("claude", 1), ("gemini", 0), ("opencode", 0)):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\necho 1.0\nexit {status}\n")
        path.chmod(0o755)
    assert table.choose("auto", {"PATH": str(tmp_path)}).name == "gemini"


def test_with_no_program_at_all_the_known_ones_are_named():
    from ultrawork.core.errors import NotFound

    with pytest.raises(NotFound, match="none of claude, codex, gemini, opencode is installed"):
        table.choose("", {"PATH": ""})

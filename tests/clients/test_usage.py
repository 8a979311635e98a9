"""What transcripts of clients report of tokens: each answer once, with its model, its final counts and its agent."""

import json

import pytest

from ultrawork.clients.find import get_client
from ultrawork.core.times import format_iso

NOON = 1_700_000_000.0


def put(path, *records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def answer(name, second, output=20, model="claude-opus-5-5", **more):
    usage = {"input_tokens": 100, "output_tokens": output, "cache_read_input_tokens": 7}
    message = {"id": name, "model": model, "usage": usage, "content": []}
    return {"type": "assistant", "timestamp": format_iso(NOON + second), "message": message, **more}


def read(client, path, since=NOON):
    return list(get_client(client).list_usage(path, since))


def test_an_answer_of_several_lines_counts_once_with_its_last_counts(tmp_path):
    path = put(tmp_path / "s.jsonl", answer("m1", 1, 3), answer("m1", 2, 50), answer("m2", 3, costUSD=0.5))
    newest, first = read("claude", path)
    assert (newest.message, newest.cost_usd) == ("m2", 0.5)
    assert (first.counts, first.tokens, first.cost_usd) == ((100, 50, 7, 0), 157, None)
    assert first.model == "claude-opus-5-5"


def test_agents_of_a_session_have_their_own_records(tmp_path):
    path = put(tmp_path / "s.jsonl", answer("m1", 1))
    put(tmp_path / "s" / "subagents" / "agent-7.jsonl", answer("m2", 2, model="haiku"))
    assert [(one.agent, one.model) for one in read("claude", path)] == [("", "claude-opus-5-5"), ("agent-7", "haiku")]


@pytest.mark.parametrize(
    "record",
    [
        answer("m1", -5),
        answer("m1", 1, model="<synthetic>"),
        answer("", 1),
        {"type": "user", "timestamp": format_iso(NOON + 1), "message": {"usage": {}}},
        {"type": "assistant", "message": {"id": "m1", "usage": {}}},
        {"type": "assistant", "timestamp": format_iso(NOON + 1), "message": "usage"},
    ],
)
def test_what_is_older_made_up_or_garbled_counts_nothing(tmp_path, record):
    assert read("claude", put(tmp_path / "s.jsonl", record)) == []


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "opencode"])
def test_a_missing_record_reports_nothing(client):
    assert read(client, "/nowhere/t.jsonl") == []


def codex(kind, second, **payload):
    return {"type": kind, "timestamp": format_iso(NOON + second), "payload": payload}


USED = {"input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 20, "total_tokens": 120}
TURN = codex("turn_context", 0, turn_id="t1", model="gpt-6.1")


def count(second, total):
    info = {"total_token_usage": {"total_tokens": total}, "last_token_usage": USED}
    return codex("event_msg", second, type="token_count", info=info)


def test_codex_answers_have_the_model_of_their_turn_and_no_cost(tmp_path):
    used = codex("token_usage_record", 1, response_id="r1", usage=USED)
    path = put(tmp_path / "rollout-1.jsonl", TURN, used, count(1, 120), count(2, 120))
    (one,) = read("codex", path)
    assert (one.model, one.counts, one.cost_usd) == ("gpt-6.1", (40, 20, 60, 0), None)


def test_an_older_codex_repeats_its_counts_and_each_counts_once(tmp_path):
    path = put(tmp_path / "rollout-1.jsonl", TURN, count(1, 120), count(2, 120), count(3, 240))
    assert [one.tokens for one in read("codex", path)] == [120, 120]


def test_a_codex_agent_is_found_by_the_session_it_belongs_to(tmp_path):
    used = codex("token_usage_record", 1, response_id="r1", usage=USED)
    names = [("a", "a"), ("b", "a"), ("c", "c")]
    paths = [
        put(tmp_path / f"rollout-{name}.jsonl", codex("session_meta", 0, id=name, session_id=session), TURN, used)
        for name, session in names
    ]
    assert [one.agent for one in read("codex", paths[0])] == ["", "b"]


def test_numbers_that_no_answer_has_are_left_out_and_names_are_shortened(tmp_path):
    """Others can write into a transcript, and a stop reads it: nothing in it may end the hook."""
    path = tmp_path / "s.jsonl"
    huge = answer("m" * 5000, 1, output=10**400, model="x" * 5000, costUSD=10**400)
    path.write_text("".join(json.dumps(one) + "\n" for one in (huge, answer("m2", 2, costUSD=float("nan")))))
    second, first = read("claude", str(path))
    assert (first.counts, first.cost_usd) == ((100, 0, 7, 0), None)
    assert (len(first.message), len(first.model)) == (200, 200)
    assert second.cost_usd is None

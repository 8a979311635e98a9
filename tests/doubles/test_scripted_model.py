import gzip
import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from support.floor import TESTS
from support.scripted_model import ScriptedModel, ScriptError

CALL = [{"reply": {"text": "hi", "tool": {"name": "Bash", "input": {"command": "ls"}}}}]


def post(url, body, headers=None):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def message(text, **extra):
    return {"model": "m", "messages": [{"role": "user", "content": text}], "tools": [{"name": "Bash"}], **extra}


def ask(model, text, headers=None, **extra):
    return json.loads(post(model.url + "/v1/messages", message(text, **extra), headers)[1])


def said(model, text, headers=None, **extra):
    return ask(model, text, headers, **extra)["content"][0]["text"]


def events(text):
    lines = (line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: "))
    return [json.loads(line) for line in lines if line != "[DONE]"]


def test_the_first_matching_rule_answers_and_the_default_where_none_does():
    script = {"rules": [{"match": {"last": "apple"}, "reply": {"text": "A"}}], "default": {"text": "D"}}
    with ScriptedModel(script) as model:
        assert said(model, "an apple") == "A"
        assert said(model, "a pear") == "D"
        assert [request["rule"] for request in model.requests] == ["rule0", "default"]


@pytest.mark.parametrize(
    ("after", "expected"), [("stop", ["1", "2", "ok"]), ("repeat", ["1", "2", "2"]), ("cycle", ["1", "2", "1"])]
)
def test_after_says_what_follows_the_last_reply(after, expected):
    script = [{"replies": [{"text": "1"}, {"text": "2"}], "after": after}]
    with ScriptedModel(script) as model:
        assert [said(model, "same") for _ in range(3)] == expected


@pytest.mark.parametrize(("scope", "expected"), [("conversation", ["1", "1", "2"]), ("global", ["1", "2", "2"])])
def test_replies_are_counted_by_conversation_unless_global(scope, expected):
    rule = {"replies": [{"text": "1"}, {"text": "2"}], "after": "repeat", "scope": scope}
    with ScriptedModel([rule]) as model:
        assert [said(model, text) for text in ("a", "b", "a")] == expected


def test_nth_and_times_limit_a_rule():
    script = [
        {"match": {"last": "again", "nth": 2}, "reply": {"text": "nth"}},
        {"times": 1, "match": {"tools": ["Bash"]}, "reply": {"text": "once"}},
    ]
    with ScriptedModel(script) as model:
        assert [said(model, "again") for _ in range(3)] == ["once", "nth", "ok"]


def test_turn_counts_the_answers_already_given():
    grown = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": "y"},
        {"role": "assistant", "content": "y2"},
        {"role": "user", "content": "z"},
    ]
    with ScriptedModel([{"match": {"turn": {"min": 2, "max": 2}}, "reply": {"text": "second"}}]) as model:
        assert said(model, "", messages=grown) == "second"
        assert said(model, "x") == "ok"


def test_main_sub_and_aux_requests_are_told_apart():
    script = [{"match": {"agent": kind}, "reply": {"text": kind}} for kind in ("main", "sub", "aux")]
    with ScriptedModel(script) as model:
        assert said(model, "x") == "main"
        assert said(model, "x", tools=[]) == "aux"
        assert said(model, "x", {"x-claude-code-agent-id": "a1"}) == "sub"
        assert model.requests[-1]["agent_id"] == "a1"


def test_tool_results_and_their_errors_can_be_matched():
    result = {"type": "tool_result", "tool_use_id": "t", "content": "exit 2", "is_error": True}
    with ScriptedModel([{"match": {"tool_error": True, "tool_result": "exit 2"}, "reply": {"text": "saw"}}]) as model:
        assert said(model, "", messages=[{"role": "user", "content": [result]}]) == "saw"
        assert said(model, "", messages=[{"role": "user", "content": [{**result, "is_error": False}]}]) == "ok"


def test_headers_can_be_matched():
    with ScriptedModel([{"match": {"header": {"X-Kind": "^blue"}}, "reply": {"text": "blue"}}]) as model:
        assert said(model, "x", {"x-kind": "blueish"}) == "blue"
        assert said(model, "x") == "ok"


def test_placeholders_are_filled_from_the_conversation():
    wanted = {"id": "{{last:id=(\\w+)}}", "turn": "{{turn}}", "none": "{{any:zzz}}"}
    with ScriptedModel([{"reply": {"tool": {"name": "Go", "input": wanted}}}]) as model:
        answer = ask(model, "id=one id=two")
        assert answer["content"][0]["input"] == {"id": "two", "turn": "1", "none": ""}
        assert answer["stop_reason"] == "tool_use"


@pytest.mark.parametrize(
    "script",
    [
        [{"match": {"lst": "x"}, "reply": {}}],
        [{"reply": {"txt": "x"}}],
        [{}],
        [{"reply": {}, "replies": [{}]}],
        [{"replies": []}],
        [{"reply": {}, "after": "never"}],
        [{"reply": {}, "scope": "world"}],
        [{"match": {"last": "("}, "reply": {}}],
        [7],
        "x",
    ],
)
def test_a_mistake_in_the_script_is_refused_at_once(script):
    with pytest.raises(ScriptError):
        ScriptedModel(script)


def test_anthropic_stream_carries_the_tool_call_in_pieces():
    with ScriptedModel(CALL) as model:
        got = events(post(model.url + "/v1/messages?beta=true", message("x", stream=True))[1])
    assert (got[0]["type"], got[-1]["type"]) == ("message_start", "message_stop")
    deltas = [event["delta"] for event in got if event["type"] == "content_block_delta"]
    pieces = (delta["partial_json"] for delta in deltas if delta["type"] == "input_json_delta")
    assert json.loads("".join(pieces)) == {"command": "ls"}
    assert got[-2]["delta"]["stop_reason"] == "tool_use"


def test_thinking_is_streamed_with_its_signature():
    with ScriptedModel([{"reply": {"thinking": "hm", "text": "yes"}}]) as model:
        got = events(post(model.url + "/v1/messages", message("x", stream=True))[1])
    kinds = [event["delta"]["type"] for event in got if event["type"] == "content_block_delta"]
    assert kinds == ["thinking_delta", "signature_delta", "text_delta"]


def test_chat_completions_end_with_tool_calls():
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "x"}]}
    with ScriptedModel(CALL) as model:
        got = events(post(model.url + "/v1/chat/completions", body)[1])
        whole = json.loads(post(model.url + "/v1/chat/completions", {**body, "stream": False})[1])
    assert got[-2]["choices"][0]["finish_reason"] == "tool_calls"
    assert whole["choices"][0]["message"]["content"] == "hi"


def test_responses_end_with_the_completed_response():
    content = [{"type": "input_text", "text": "x"}]
    body = {"model": "m", "stream": True, "input": [{"type": "message", "role": "user", "content": content}]}
    with ScriptedModel(CALL) as model:
        got = events(post(model.url + "/v1/responses", body)[1])
        assert model.requests[0]["last"] == "x"
    assert got[-1]["response"]["output"][1]["name"] == "Bash"


def test_responses_split_a_namespaced_tool_and_send_a_custom_one_as_text():
    tools = [{"name": "space.go", "input": {}}, {"name": "patch", "input": "text", "custom": True}]
    with ScriptedModel([{"reply": {"tools": tools}}]) as model:
        output = json.loads(post(model.url + "/v1/responses", {"input": "x"})[1])["output"]
    assert (output[0]["namespace"], output[0]["name"]) == ("space", "go")
    assert (output[1]["type"], output[1]["input"]) == ("custom_tool_call", "text")


def test_gemini_calls_functions_with_and_without_an_envelope():
    body = {"contents": [{"role": "user", "parts": [{"text": "x"}]}]}
    with ScriptedModel(CALL) as model:
        url = model.url + "/v1beta/models/g:streamGenerateContent?alt=sse"
        got = events(post(url, body)[1])[0]
        wrapped = events(post(url, {"model": "inner", "request": body})[1])[0]["response"]
        assert [request["model"] for request in model.requests] == ["g", "inner"]
    for answer in (got, wrapped):
        call = answer["candidates"][0]["content"]["parts"][1]["functionCall"]
        assert call["args"] == {"command": "ls"}


def test_tokens_are_counted_models_listed_and_requests_summed_up():
    with ScriptedModel([]) as model:
        assert "input_tokens" in post(model.url + "/v1/messages/count_tokens", {"messages": []})[1]
        assert "totalTokens" in post(model.url + "/v1beta/models/g:countTokens", {})[1]
        for path, key in (("/v1/models", "data"), ("/__stats", "requests")):
            with urllib.request.urlopen(model.url + path, timeout=60) as answer:
                assert key in json.load(answer)
        assert post(model.url + "/v1/other", {})[0] == 404
        assert post(model.url + "/v1/messages", b"[1")[0] == 404


def test_scripted_errors_have_the_status_and_the_usual_type():
    script = [{"replies": [{"error": {"status": 529}}, {"error": {"status": 429, "retry_after": 3}}]}]
    with ScriptedModel(script) as model:
        status, text = post(model.url + "/v1/messages", message("x"))
        assert (status, json.loads(text)["error"]["type"]) == (529, "overloaded_error")
        assert post(model.url + "/v1/messages", message("x"))[0] == 429


def test_an_answer_can_be_delayed_and_held_until_a_file_appears(tmp_path):
    awaited = tmp_path / "go"
    script = [{"replies": [{"text": "late", "delay": 0.3}, {"text": "held", "wait_file": str(awaited)}]}]
    with ScriptedModel(script) as model:
        start = time.monotonic()
        assert said(model, "x") == "late"
        assert time.monotonic() - start >= 0.3
        awaited.touch()
        assert said(model, "x") == "held"


def test_a_stream_can_be_cut_short():
    with ScriptedModel([{"reply": {"text": "x" * 5000, "drop_after": 3}}]) as model:
        try:
            text = post(model.url + "/v1/messages", message("x", stream=True))[1]
        except OSError:
            text = ""
    assert "message_stop" not in text


def test_a_compressed_body_is_read():
    with ScriptedModel([{"match": {"last": "packed"}, "reply": {"text": "read"}}]) as model:
        body = gzip.compress(json.dumps(message("packed")).encode())
        assert "read" in post(model.url + "/v1/messages", body, {"content-encoding": "gzip"})[1]


def test_logged_bodies_hide_the_key(tmp_path):
    log = tmp_path / "log"
    with ScriptedModel([], log=str(log), log_bodies=True) as model:
        said(model, "x", {"x-api-key": "sk-secret"})
    record = json.loads(log.read_text())
    assert record["headers"]["x-api-key"] == "***"
    assert record["body"]["model"] == "m"


def start(*arguments):
    child = subprocess.Popen(
        [sys.executable, "-m", "support.scripted_model", *arguments],
        cwd=TESTS,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    return child, json.loads(child.stdout.readline())


def test_as_a_process_it_names_its_port_logs_and_ends_with_stdin(tmp_path):
    script, log = tmp_path / "s.json", tmp_path / "r.jsonl"
    script.write_text(json.dumps([{"reply": {"text": "hello"}}]))
    child, first = start("--script", str(script), "--log", str(log))
    with child:
        assert first["pid"] == child.pid
        assert "hello" in post(first["url"] + "/v1/messages", message("q"))[1]
        child.stdin.close()
        assert child.wait(60) == 0
    assert json.loads(log.read_text())["last"] == "q"


def test_as_a_process_it_ends_on_sigterm():
    child, _ = start()
    with child:
        child.send_signal(signal.SIGTERM)
        assert child.wait(60) == 0


def test_as_a_process_it_refuses_a_broken_script(tmp_path):
    script = tmp_path / "s.json"
    script.write_text("[{]")
    command = [sys.executable, "-m", "support.scripted_model", "--script", str(script)]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("scripted_model: ")

"""`ultrawork export --otlp`: a session as spans, sent to a collector on this machine."""

import json
import os

import pytest

from support.play import Play
from support.receiver import Receiver
from support.scene import QUICK, SESSION, Scene
from ultrawork.core.errors import UsageError
from ultrawork.core.plan import task
from ultrawork.core.plan.task import Task
from ultrawork.core.session.session import Session
from ultrawork.flow.notices import complete_address, read_headers
from ultrawork.report.spans import list_spans
from ultrawork.store import attempts, sessions, tasks
from ultrawork.store.paths import Home
from ultrawork.store.store import Store


@pytest.fixture
def collector():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def scene(tmp_path):
    scene = Scene(os.fspath(tmp_path), QUICK)
    scene.prompt("ulw change the secret words")
    scene.edit("app.txt", "right, too\n")
    scene.stop("Done.")
    return scene


def list_sent(body):
    (resource,) = body["resourceSpans"]
    return resource["scopeSpans"][0]["spans"]


def read_attributes(span):
    return {one["key"]: next(iter(one["value"].values())) for one in span["attributes"]}


def test_a_session_and_its_checks_arrive_as_spans_without_a_word_of_the_request(scene, collector):
    told = scene.run("export", "--otlp", collector.url, "--session", SESSION)
    spans = list_sent(collector.bodies[0])
    assert told == f"sent {len(spans)} spans of session {SESSION[:8]}\n"
    assert collector.paths == ["/v1/traces"]
    root, check = spans[0], spans[1]
    assert (root["name"], check["name"]) == ("session", "check test")
    assert "parentSpanId" not in root
    assert check["parentSpanId"] == root["spanId"]
    assert read_attributes(root)["ultrawork.verdict"] == "PASS"
    assert read_attributes(check)["ultrawork.check.result"] == "green"
    assert root["status"] == check["status"] == {"code": 1}
    assert int(check["startTimeUnixNano"]) < int(check["endTimeUnixNano"])
    assert "secret" not in json.dumps(collector.bodies)


def test_a_second_export_gives_the_same_spans(scene, collector):
    for _ in range(2):
        scene.run("export", "--otlp", collector.url, "--session", SESSION)
    first, second = ([(one["traceId"], one["spanId"]) for one in list_sent(body)] for body in collector.bodies)
    assert first == second
    assert len(set(first)) == len(first)
    assert all((len(trace), len(span)) == (32, 16) for trace, span in first)


def test_agents_of_a_run_hang_below_their_task_and_carry_their_cost(tmp_path):
    store = Store(Home(os.fspath(tmp_path)), actor="person", clock=lambda: 100.0)
    with store.change("run1") as change:
        sessions.create(change, Session("run1", "a goal", "/p", 10.0))
        tasks.create(change, [Task("a", "one"), Task("b", "two")])
        opened = attempts.claim(change, "a", "worker", folder="/f", backend="claude", is_task=True, model="haiku")
        end = attempts.AttemptEnd(task.FAILED, "red", started_at=20.0, ended_at=50.0, tokens=7, cost_usd=0.25)
        attempts.finish(change, "a", opened.epoch, end, is_task=True)
    spans = {one.name: one for one in list_spans(store, sessions.get(store.database, "run1"))}
    store.database.close()
    assert list(spans) == ["session", "task a", "agent a.1"]
    agent = spans["agent a.1"]
    assert (agent.parent, agent.start, agent.end, agent.status) == ("task a", 20.0, 50.0, 2)
    assert agent.attributes["ultrawork.cost_usd"] == 0.25
    assert agent.attributes["gen_ai.request.model"] == "haiku"
    assert spans["session"].attributes["ultrawork.cost_usd"] == 0.25


def test_agents_inside_a_client_are_spans_too(tmp_path):
    play = Play(os.fspath(tmp_path))
    play.begin()
    play.planned()
    play.worked("a")
    store = Store(play.state_folder, actor="person", clock=lambda: 0.0)
    session = sessions.list_all(store.database)[0]
    found = [(one.title, one.parent) for one in list_spans(store, session) if one.kind == "agent"]
    store.database.close()
    assert ("agent worker", "task a") in found
    assert ("agent planner", "session") in found


def test_headers_for_the_collector_come_from_the_usual_variable(scene, collector):
    env = {"OTEL_EXPORTER_OTLP_HEADERS": "x-team=blue%20one, authorization=Bearer abc"}
    scene.run("export", "--otlp", collector.url, "--session", SESSION, env=env)
    assert collector.headers[0]["x-team"] == "blue one"
    assert collector.headers[0]["authorization"] == "Bearer abc"
    assert read_headers("") == {}


def test_a_collector_that_refuses_or_is_not_there_is_named(scene, collector):
    collector.status = 503
    status, said = scene.status_and_text("export", "--otlp", collector.url, "--session", SESSION)
    assert (status, "refused the spans: 503" in said) == (6, True)
    status, said = scene.status_and_text("export", "--otlp", "http://127.0.0.1:9", "--session", SESSION)
    assert (status, "could not send the spans to http://127.0.0.1:9/v1/traces" in said) == (6, True)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
        ("https://c.example/", "https://c.example/v1/traces"),
        ("https://c.example/otlp/v1/traces", "https://c.example/otlp/v1/traces"),
    ],
)
def test_a_collector_without_a_path_gets_the_usual_one(given, expected):
    assert complete_address(given) == expected


@pytest.mark.parametrize("given", ["localhost:4318", "file:///etc/passwd", "http://"])
def test_anything_but_a_web_address_is_refused(given):
    with pytest.raises(UsageError, match="not an http or https address"):
        complete_address(given)

"""Where a cluster is, what is refused before anything begins, and that its keys go to nobody."""

import asyncio
import json
import socket
import threading
import time

import pytest

from support.cluster import NotInstalled, TemporalServer, find_port, require_packages
from support.grpc_double import NOT_FOUND, OK, PERMISSION_DENIED, UNAUTHENTICATED, UNAVAILABLE, AnsweringServer
from ultrawork.clients.headless import table
from ultrawork.clients.headless.base import make_agent_environment
from ultrawork.clients.headless.login import find_account, has_login
from ultrawork.cluster.place import (
    ClusterPlace,
    connect,
    hide_secrets,
    make_worker_name,
    name_queue,
    read_place,
    read_secret,
    read_worker_name,
    require_remote,
)
from ultrawork.cluster.self_test import Readiness, SelfTest
from ultrawork.cluster.slots import QueueAsker, SlotPool
from ultrawork.core.agent_variables import CLUSTER_SECRETS, remove_agent_variables
from ultrawork.core.errors import NotFound, Trouble, UsageError
from ultrawork.store.paths import Home, read_version
from ultrawork.store.settings import load_at
from ultrawork.store.witness import ClusterMachine

PATH = "/usr/local/bin:/usr/bin:/bin"


def settings(tmp_path, **given):
    environ = {f"ULTRAWORK_CLUSTER_{key.upper()}": value for key, value in given.items()}
    return load_at(environ, Home(str(tmp_path)), str(tmp_path))


def test_a_place_is_read_from_ones_own_settings(tmp_path):
    found = settings(tmp_path, temporal="t.example:7233", remote="/srv/x.git", lease="10s")
    assert read_place(found) == ClusterPlace(
        address="t.example:7233", remote="/srv/x.git", namespace="default", lease=10.0
    )


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"remote": "/srv/x.git"}, "give HOST:PORT"),
        ({"temporal": "t.example", "remote": "/srv/x.git"}, "give HOST:PORT"),
        ({"temporal": "t:1"}, "no git remote for the cluster"),
        ({"temporal": "t:1", "remote": "https://u:p@x/y.git"}, "contains a user or a token"),
        ({"temporal": "t:1", "remote": "ext::sh -c id"}, "is not a URL or a path"),
        ({"temporal": "t:1", "remote": "--upload-pack=id"}, "is not a URL or a path"),
    ],
)
def test_what_is_missing_or_dangerous_is_refused_with_a_sentence(tmp_path, given, told):
    with pytest.raises(UsageError, match=told):
        read_place(settings(tmp_path, **given))


def test_a_project_has_no_word_in_where_code_goes(tmp_path):
    (tmp_path / "ultrawork.toml").write_text('[cluster]\nremote = "https://evil.example/x.git"\n')
    with pytest.raises(UsageError, match="works only in your own"):
        settings(tmp_path)


@pytest.mark.parametrize("url", ["git@host:x.git", "ssh://git@host/x.git", "https://host/x.git", "/srv/x"])
def test_remotes_of_every_kind_are_taken(url):
    assert require_remote(url) == url


def test_a_secret_comes_from_its_file_before_its_variable(tmp_path):
    path = tmp_path / "token"
    path.write_text("from-file\n")
    assert read_secret({"T": "x", "T_FILE": str(path)}, "T", "T_FILE") == "from-file"
    assert read_secret({"T": "x"}, "T", "T_FILE") == "x"
    with pytest.raises(NotFound, match="T_FILE"):
        read_secret({"T_FILE": str(tmp_path / "none")}, "T", "T_FILE")


def test_no_agent_and_no_check_gets_a_key_of_the_cluster():
    environ = {**dict.fromkeys(CLUSTER_SECRETS, "secret"), "ANTHROPIC_API_KEY": "key", "PATH": PATH}
    for left in (hide_secrets(environ), make_agent_environment(environ), remove_agent_variables(environ)):
        assert "secret" not in left.values()
    assert make_agent_environment(environ)["ANTHROPIC_API_KEY"] == "key", "its own key it keeps"


def test_a_queue_says_version_agent_and_what_the_machine_can():
    version = read_version()
    assert name_queue("claude") == f"ultrawork-{version}-claude"
    assert name_queue("claude", "gpu") == f"ultrawork-{version}-claude-label-gpu"
    assert name_queue("claude", host="box") == f"ultrawork-{version}-claude-host-box"
    paid = name_queue("claude", "gpu", account="ab")
    assert paid == f"ultrawork-{version}-claude-label-gpu-account-ab"


def test_a_machine_is_known_by_how_its_worker_is_called():
    machine = ClusterMachine("box", 4, labels="gpu,linux", version="1.2", seen_at=7.0, accounts="claude:ab,codex:box")
    assert read_worker_name(make_worker_name(machine), 7.0) == machine
    assert read_worker_name("1234@somebody", 7.0) is None


class Proof:
    """A self-test of a machine where all is well, until something is taken away."""

    def __init__(self, tmp_path):
        script = tmp_path / "agents.toml"
        script.write_text("")
        self.environ = {"PATH": PATH, "HOME": str(tmp_path), "ULTRAWORK_SCRIPT": str(script)}
        self.folder = str(tmp_path)
        self.remotes = [str(tmp_path / "none.git")]
        self.tools = ["sh"]

    def run(self, backend="script"):
        test = SelfTest(
            environ=self.environ, folder=self.folder, remotes=self.remotes, backend=backend,
            tools=self.tools,
        )  # fmt: skip
        return test.run()


@pytest.fixture
def proof(tmp_path):
    return Proof(tmp_path)


def test_a_machine_without_the_agent_says_how_to_get_it(proof):
    proof.environ.pop("ULTRAWORK_SCRIPT")
    with pytest.raises(NotFound, match="a scripted agent is not installed: set ULTRAWORK_SCRIPT"):
        proof.run()


def test_a_remote_that_cannot_be_reached_keeps_a_machine_from_polling(proof):
    with pytest.raises(Trouble, match=r"git ls-remote of .* failed"):
        proof.run()


def test_a_machine_that_serves_no_remote_is_refused(proof):
    proof.remotes = []
    with pytest.raises(NotFound, match="no git remote to serve"):
        proof.run()


def test_a_tool_that_checks_need_is_asked_for(proof, tmp_path):
    import subprocess

    subprocess.run(["git", "init", "-q", "--bare", proof.remotes[0]], check=True)
    assert proof.run()[-1] == "tools: sh"
    proof.tools = ["no-such-tool"]
    with pytest.raises(NotFound, match="no-such-tool is not on PATH"):
        proof.run()


def test_a_login_is_a_variable_or_a_file(tmp_path):
    environ = {"HOME": str(tmp_path)}
    assert not has_login(table.get("codex").login, environ)
    assert has_login(table.get("codex").login, {**environ, "OPENAI_API_KEY": "x"})
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex/auth.json").write_text("{}")
    assert has_login(table.get("codex").login, environ)
    assert not has_login(table.get("claude").login, environ)
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text('{"apiKeyHelper": "pass show key"}')
    assert has_login(table.get("claude").login, environ)
    assert has_login(table.get("opencode").login, environ), "of one that we know nothing of it is believed"


def write(path, document):
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document))


def test_machines_with_one_login_find_the_same_account_and_tell_no_secret(tmp_path):
    one, two = ({"HOME": str(tmp_path / name)} for name in ("one", "two"))
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write(tmp_path / name / ".claude.json", {"oauthAccount": {"accountUuid": "u-1"}})
        write(tmp_path / name / ".codex/auth.json", {"tokens": {"account_id": f"of-{name}"}})
    assert find_account("claude", table.get("claude").login, one, "box1") == find_account(
        "claude", table.get("claude").login, two, "box2"
    )
    assert find_account("codex", table.get("codex").login, one, "box1") != find_account(
        "codex", table.get("codex").login, two, "box2"
    )
    key = {**one, "ANTHROPIC_API_KEY": "sk-secret-key"}
    found = find_account("claude", table.get("claude").login, key, "box1")
    assert found != find_account("claude", table.get("claude").login, one, "box1"), "a key goes before a login"
    assert len(found) == 8
    assert found not in "sk-secret-key"


@pytest.mark.parametrize("more", [{}, {"CLAUDE_CODE_USE_BEDROCK": "1", "ANTHROPIC_API_KEY": "x"}], ids=["no", "cloud"])
def test_where_nothing_tells_whose_it_is_a_machine_is_an_account_of_its_own(tmp_path, more):
    assert find_account("claude", table.get("claude").login, {"HOME": str(tmp_path), **more}, "box") == "box"
    (tmp_path / ".claude.json").write_text("{broken")
    assert find_account("claude", table.get("claude").login, {"HOME": str(tmp_path), **more}, "box") == "box"


def test_a_machine_whose_agent_was_told_to_wait_asks_for_nothing_of_that_kind(tmp_path):
    ready = Readiness(str(tmp_path), {"HOME": str(tmp_path)})
    assert ready.may_ask("claude")
    ready.note_limit("claude", time.time() + 3600)
    assert not ready.may_ask("claude")
    assert ready.may_ask("codex")
    ready.note_limit("claude", time.time() - 1)
    assert ready.may_ask("claude")


def test_a_machine_that_could_not_begin_an_attempt_rests_before_the_next(tmp_path):
    ready = Readiness(str(tmp_path), {"HOME": str(tmp_path)})
    assert ready.may_ask("claude")
    ready.note(began=False)
    assert not ready.may_ask("claude")
    ready.note(began=True)
    assert ready.may_ask("claude")


def test_a_machine_out_of_quota_asks_for_nothing_of_that_kind(tmp_path):
    day = tmp_path / ".codex/sessions/2026/01/01"
    day.mkdir(parents=True)
    limits = {"primary": {"used_percent": 100.0, "resets_in_seconds": 3600, "window_minutes": 300}}
    event = {"type": "event_msg", "payload": {"type": "token_count", "rate_limits": limits}}
    (day / "rollout.jsonl").write_text(json.dumps(event) + "\n")
    ready = Readiness(str(tmp_path), {"HOME": str(tmp_path)})
    assert not ready.may_ask("codex")
    assert ready.may_ask("claude")


def play(script):
    """In a loop of its own, with an end."""
    asyncio.run(asyncio.wait_for(script(), 10))


def test_a_full_machine_asks_again_when_a_place_is_free():
    async def script():
        pool = SlotPool(1)
        asker = QueueAsker(pool, lambda: True, 30)
        await asker.reserve()
        asker.take()
        assert pool.is_full
        again = asyncio.create_task(asker.reserve())
        await asyncio.sleep(0.01)
        assert not again.done()
        asker.release(taken=True)
        await again
        assert pool.used == 0

    play(script)


def test_an_idle_queue_holds_no_place_and_is_asked_by_one_at_a_time():
    async def script():
        pool = SlotPool(1)
        first, second = (QueueAsker(pool, lambda: True, 30) for _ in range(2))
        await first.reserve()
        await second.reserve()
        again = asyncio.create_task(first.reserve())
        await asyncio.sleep(0.01)
        assert not again.done(), "what it answers is not counted yet"
        first.release(taken=False)
        await again

    play(script)


def test_a_machine_that_is_not_ready_asks_for_nothing():
    async def script():
        ready = []
        asker = QueueAsker(SlotPool(1), lambda: bool(ready), 0.01)
        waiting = asyncio.create_task(asker.reserve())
        await asyncio.sleep(0.05)
        assert not waiting.done()
        ready.append(1)
        await waiting

    play(script)


@pytest.fixture
def packages():
    try:
        require_packages()
    except NotInstalled as error:
        pytest.skip(str(error))
    # Loading it takes longer than a server takes to start: nothing would be waited for.
    import temporalio.client
    import temporalio.service  # noqa: F401 (only loaded)


def reach(port, patience):
    """Claim meanwhile; the sentence that it ended with is raised. Whoever is connected can ask at once."""
    said, place = [], ClusterPlace(address=f"127.0.0.1:{port}", remote="x")

    async def ask():
        from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest

        client = await connect(place, {}, say=said.append, patience=patience)
        question = DescribeNamespaceRequest(namespace="default")
        await client.workflow_service.describe_namespace(question)

    asyncio.run(ask())
    return said


@pytest.mark.slow
def test_a_server_that_does_not_answer_is_waited_for_a_while_and_that_is_said(packages, capsys):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        place = ClusterPlace(address=f"127.0.0.1:{silent.getsockname()[1]}", remote="x")
        begun = time.monotonic()
        with pytest.raises(Trouble, match="is unreachable: no answer"):
            asyncio.run(connect(place, {}, say=print, patience=0.6))
    assert 0.6 <= time.monotonic() - begun < 5
    said = f"Temporal at {place.address} does not answer yet; waiting for 1 s at most\n"
    assert capsys.readouterr().out == said


@pytest.mark.slow
def test_where_nobody_listens_is_told_in_plain_words(packages):
    with pytest.raises(Trouble, match="is unreachable: no server listens there"):
        reach(find_port(), 0.1)


@pytest.mark.slow
def test_a_server_that_is_starting_is_waited_for(packages, tmp_path):
    """Its port is closed at first; whoever connects meanwhile can work with it."""
    server = TemporalServer(str(tmp_path))
    starting = threading.Thread(target=server.start)
    starting.start()
    try:
        said = reach(server.port, 30.0)
    finally:
        starting.join()
        server.kill()
    waiting = f"Temporal at {server.address} does not answer yet; waiting for 30 s at most"
    assert said in ([], [waiting])


@pytest.mark.slow
def test_a_server_is_asked_again_until_it_answers_and_knows_its_namespace(packages):
    """By turns it is asked who it is and for the namespace; the last question is the test's own."""
    with AnsweringServer(UNAVAILABLE, OK, UNAVAILABLE, OK, NOT_FOUND, OK) as server:
        assert reach(server.port, 20.0) == []
        assert server.calls == 8
    with AnsweringServer(*(OK, NOT_FOUND) * 20) as server:
        with pytest.raises(Trouble, match="rejected us: not you"):
            reach(server.port, 2.0)
        assert server.calls > 2


@pytest.mark.slow
def test_a_key_that_may_not_ask_for_its_namespace_is_good_enough(packages):
    with AnsweringServer(OK, PERMISSION_DENIED, OK) as server:
        assert reach(server.port, 20.0) == []
        assert server.calls == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ((UNAUTHENTICATED,), "rejected our credentials; set TEMPORAL_API_KEY_FILE to a valid key"),
        ((OK, UNAUTHENTICATED), "rejected our credentials; set TEMPORAL_API_KEY_FILE to a valid key"),
        ((PERMISSION_DENIED,), "rejected us: the key in TEMPORAL_API_KEY_FILE has no permission there"),
    ],
)
def test_a_key_that_is_not_taken_is_told_at_once_in_one_sentence(packages, answers, told):
    with AnsweringServer(*answers) as server:
        with pytest.raises(Trouble) as caught:
            reach(server.port, 20.0)
        assert str(caught.value) == f"Temporal at 127.0.0.1:{server.port} {told}"
        assert server.calls == len(answers), "it is not asked again"

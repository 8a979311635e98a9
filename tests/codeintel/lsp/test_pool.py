"""Servers that die, hang, babble or idle: the caller is told, and the next question is answered."""

import json
import os
import signal
import sys
import time

import pytest

from ultrawork.codeintel.lsp.questions import FilePosition
from ultrawork.core.errors import Trouble

ODD = os.path.join(os.path.dirname(__file__), "odd_server.py")


@pytest.fixture
def odd(tmp_path, monkeypatch, languages):
    """Languages whose only Python server misbehaves as named."""

    def make(how, **options):
        program = tmp_path / "bin" / "pylsp"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\necho >>"{tmp_path}/starts"\nexec "{sys.executable}" "{ODD}" {how}\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
        (tmp_path / "a.py").write_text("x = 1\n")
        return languages(str(tmp_path), **options)

    return make


@pytest.fixture
def here(tmp_path):
    return FilePosition(str(tmp_path / "a.py"), 1, 0)


def test_the_servers_own_questions_are_answered(odd, here, tmp_path):
    heard = json.loads(odd("asks").hover(here).result())
    assert heard["q1"] == [{}, None]
    assert heard["q2"] == [{"uri": f"file://{tmp_path}", "name": tmp_path.name}]
    assert heard["q3"]["code"] == -32601


def test_a_server_that_does_not_start_is_quoted(odd, here):
    with pytest.raises(Trouble, match="pylsp ended with exit 3: cannot find my runtime"):
        odd("refuses").hover(here).result()


def test_a_server_that_dies_of_every_question_is_given_up(odd, here):
    asked = odd("dies")
    with pytest.raises(Trouble, match="pylsp ended with exit 9: out of memory"):
        asked.hover(here).result()
    with pytest.raises(Trouble, match="crashed 3 times within a minute"):
        asked.hover(here).result()


def test_a_server_that_hangs_is_stopped_and_said_so(odd, here):
    asked = odd("hangs", patience=0.5)
    with pytest.raises(Trouble, match=r"pylsp said nothing for 0\.5 s and was stopped"):
        asked.hover(here).result()
    assert asked._pool.running() == []


def count_starts(tmp_path):
    return len((tmp_path / "starts").read_text().splitlines())


def troubles(answers):
    found = []
    for answer in answers:
        with pytest.raises(Trouble) as raised:
            answer.result()
        found.append(str(raised.value))
    return set(found)


def test_a_server_that_is_silent_from_the_start_costs_all_who_wait_one_wait(odd, here, tmp_path):
    asked = odd("mute", start=0.5)
    assert troubles([asked.hover(here) for _ in range(8)]) == {
        "pylsp said nothing for 0.5 s and was stopped; try again"
    }
    began = time.monotonic()
    (told,) = troubles([asked.hover(here)])
    assert time.monotonic() - began < 0.4
    assert told.startswith("pylsp said nothing for 0.5 s and was stopped; next attempt in ")
    assert count_starts(tmp_path) == 1


def test_a_server_that_falls_silent_is_replaced_once_and_then_left_alone(odd, here, tmp_path):
    asked = odd("hangs", patience=0.5)
    for _ in range(2):
        assert troubles([asked.hover(here) for _ in range(4)]) == {
            "pylsp said nothing for 0.5 s and was stopped; try again"
        }
    (told,) = troubles([asked.hover(here)])
    assert "next attempt in " in told
    assert count_starts(tmp_path) == 2


def test_a_start_goes_on_for_the_others_when_one_gives_up(odd, here, tmp_path):
    asked = odd("plain")
    answers = [asked.hover(here) for _ in range(3)]
    answers[0].cancel()
    assert [answer.result() for answer in answers[1:]] == ["odd", "odd"]
    assert count_starts(tmp_path) == 1


@pytest.mark.slow
def test_a_server_that_is_busy_is_not_stopped(odd, here):
    asked = odd("works", patience=2.0)
    with pytest.raises(Trouble, match=r"did not answer hover within 2 s"):
        asked.hover(here).result()
    assert len(asked._pool.running()) == 1


def test_a_server_that_sends_nonsense_is_ended(odd, here):
    with pytest.raises(Trouble, match="pylsp ended by signal 9"):
        odd("garbles").hover(here).result()


@pytest.mark.skipif(not os.path.exists("/proc/self"), reason="looks into /proc")
def test_an_idle_server_is_stopped_and_comes_back(odd, here):
    asked = odd("plain", idle=0.2)
    asked.hover(here).result()
    pid = asked._pool.running()[0].client.pid
    end = time.monotonic() + 60
    while os.path.exists(f"/proc/{pid}") and time.monotonic() < end:
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{pid}")
    assert asked.hover(here).result() == "odd"


def test_many_questions_at_once_start_one_server(odd, here):
    asked = odd("plain")
    answers = [asked.hover(here) for _ in range(20)]
    assert len({answer.result() for answer in answers}) == 1
    assert len(asked._pool.running()) == 1


def test_a_question_can_be_given_up(odd, here):
    asked = odd("works")
    answer = asked.hover(here)
    while not asked._pool.running():
        time.sleep(0.01)
    assert answer.cancel()
    assert asked.known_servers().splitlines()[1] == "Python: pylsp (running)"


@pytest.mark.parametrize("how", ["portions", "indexes"])
def test_what_is_pushed_in_portions_is_waited_for(odd, here, how):
    """Until it stays as it is; longer where the server was at work, which tells of that only afterwards."""
    found = odd(how).diagnostics(here.path).result()
    assert [line.rpartition(" ")[2] for line in found] == ["first", "second"]


def test_without_a_server_diagnostics_are_an_error(tmp_path, monkeypatch, languages):
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "a.py").write_text("x = 1\n")
    asked = languages(str(tmp_path))
    with pytest.raises(Trouble, match="not checked: 1 files: no Python language server"):
        asked.directory(str(tmp_path), "auto", lambda *_: None).result()


@pytest.mark.slow
@pytest.mark.parametrize("program", ["ty", "basedpyright-langserver"])
def test_a_real_server_that_was_killed_is_started_again(program, only, project, languages):
    only(program)
    top = project({"a.py": "x: int = 'no'\n"})
    asked = languages(top)
    assert asked.diagnostics(f"{top}/a.py").result()
    pid = asked._pool.running()[0].client.pid
    os.killpg(pid, signal.SIGKILL)
    assert asked.diagnostics(f"{top}/a.py").result()
    assert asked._pool.running()[0].client.pid != pid


@pytest.mark.slow
def test_a_real_server_that_is_killed_while_it_answers_is_asked_again(only, project, languages):
    only("basedpyright-langserver")
    functions = "\n".join(f"def f{n}(x: int) -> str:\n    return f{n + 1}(x)" for n in range(3000))
    top = project({"a.py": functions})
    asked = languages(top)
    asked.hover(FilePosition(f"{top}/a.py", 1, 4)).result()
    answer = asked.diagnostics(f"{top}/a.py")
    time.sleep(0.3)
    os.killpg(asked._pool.running()[0].client.pid, signal.SIGKILL)
    assert any("f3000" in line for line in answer.result())


def suspend(pid):
    """Stopped, every thread of it: one that was just running may answer until it is."""
    os.killpg(pid, signal.SIGSTOP)
    end = time.monotonic() + 10
    while os.path.isdir(f"/proc/{pid}") and states_of(pid) != {"T"}:
        assert time.monotonic() < end, states_of(pid)
        time.sleep(0.01)


def states_of(pid):
    found = set()
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/stat", encoding="utf-8") as file:
            found.add(file.read().rpartition(")")[2].split()[0])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("program", ["ty", "basedpyright-langserver"])
def test_a_real_server_that_hangs_is_replaced(program, only, project, languages):
    only(program)
    top = project({"a.py": "x: int = 'no'\n"})
    asked = languages(top, patience=10.0)
    assert asked.diagnostics(f"{top}/a.py").result()
    workspace = asked._pool.running()[0]
    workspace.client.patience = 1.0
    suspend(workspace.client.pid)
    with pytest.raises(Trouble, match="said nothing for 1 s and was stopped"):
        # What it still had to say of the file may be on its way; this it can only answer.
        asked.hover(FilePosition(f"{top}/a.py", 1, 1)).result()
    assert asked.diagnostics(f"{top}/a.py").result()

"""The files over which a team is led."""

import json
import os

import pytest

from ultrawork.core.errors import NotFound, Trouble, UsageError
from ultrawork.features.swarm.store import team_mail
from ultrawork.features.swarm.store.team_mail import DRAIN, SHUTDOWN, TeamMail, list_workers
from ultrawork.store.omc.folder import Omc


@pytest.fixture
def mail(tmp_path):
    made = TeamMail(Omc(str(tmp_path)), "port", "w1")
    made.open()
    return made


def write(mail, text):
    with open(f"{mail.folder}/inbox.jsonl", "a", encoding="utf-8") as file:
        file.write(text)


def test_each_message_is_read_once_and_half_a_line_when_it_is_whole(mail):
    mail.send("one", 0.0, "person")
    write(mail, '{"type": "message", "content": "tw')
    assert mail.receive() == ["one"]
    write(mail, 'o"}\nno json\n{"content": 7}\n[]\n')
    assert mail.receive() == ["two"]
    assert mail.receive() == []


def test_an_inbox_that_was_emptied_is_read_from_its_beginning(mail):
    mail.send("a long first message", 0.0, "person")
    mail.receive()
    os.truncate(f"{mail.folder}/inbox.jsonl", 0)
    mail.send("new", 0.0, "person")
    assert mail.receive() == ["new"]


def test_an_inbox_that_nobody_can_read_whole_is_refused(mail):
    with open(f"{mail.folder}/inbox.jsonl", "wb") as file:
        file.truncate(team_mail.LARGEST_INBOX + 1)
    with pytest.raises(Trouble, match="more than 10 MB unread"):
        mail.receive()


def test_an_outbox_keeps_its_newest_lines_and_the_log_all(mail, tmp_path):
    for number in range(700):
        mail.say("idle", 0.0, number=number)
    with open(f"{mail.folder}/outbox.jsonl", encoding="utf-8") as file:
        kept = [json.loads(line)["number"] for line in file]
    assert kept[-1] == 699
    assert 500 <= len(kept) <= 600
    assert len((tmp_path / ".omc/logs/team-port.jsonl").read_text().splitlines()) == 700


def test_an_order_is_heard_until_the_worker_begins_anew_and_now_wins_over_soon(mail):
    assert mail.find_order() == ""
    mail.order(DRAIN)
    assert mail.find_order() == DRAIN
    mail.order(SHUTDOWN)
    assert mail.find_order() == SHUTDOWN
    mail.open()
    assert mail.find_order() == ""


def test_a_heartbeat_tells_who_does_what(mail):
    assert mail.read_beat() == {}
    mail.beat(0.0, "working", task="7")
    assert mail.read_beat() | {"status": "working", "task": "7", "pid": os.getpid()} == mail.read_beat()  # fmt: skip


def test_workers_are_listed_and_a_team_that_never_was_is_told(mail, tmp_path):
    assert list_workers(Omc(str(tmp_path)), "port") == ["w1"]
    with pytest.raises(NotFound, match="no team other here"):
        list_workers(Omc(str(tmp_path)), "other")


@pytest.mark.parametrize("name", ["../x", "a/b", "", "."])
def test_names_that_lead_elsewhere_are_refused(tmp_path, name):
    with pytest.raises(UsageError):
        TeamMail(Omc(str(tmp_path)), "port", name)
    with pytest.raises(UsageError):
        TeamMail(Omc(str(tmp_path)), name, "w1")

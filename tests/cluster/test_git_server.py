"""The remote that `serve-git` gives: who may, what may be written, and that git itself is content with it."""

import os
import socket
import subprocess
import threading
import time
from base64 import b64encode

import pytest

from ultrawork.cluster.git_server import GitServer, make_repository, name_address
from ultrawork.cluster.refusal import RemoteRefusal
from ultrawork.cluster.remote import GitRemote, RefPush
from ultrawork.core.errors import Conflict, Trouble, UsageError
from ultrawork.store.paths import Home

PATH = "/usr/local/bin:/usr/bin:/bin"


@pytest.fixture
def served(tmp_path):
    home, environ = Home(str(tmp_path / "state")), {"PATH": PATH, "HOME": str(tmp_path)}
    make_repository(home, environ, "shop")
    server = GitServer(home, environ, address=("127.0.0.1", 0))
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    yield server
    server.close()
    thread.join()


@pytest.fixture
def place(tmp_path):
    path = tmp_path / "place"
    for words in (["init", "-q", str(path)], ["-C", str(path), "commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run(["git", "-c", "user.name=P", "-c", "user.email=p@x", *words], check=True)
    return str(path)


def connect(served, place, token):
    environ = {"PATH": PATH, "HOME": place, "ULTRAWORK_GIT_TOKEN": token}
    return GitRemote(place, f"{served.url}/shop.git", environ)


def test_what_is_pushed_with_the_token_can_be_fetched(served, place):
    remote = connect(served, place, served.token)
    head = remote.git.head()
    remote.push([RefPush("refs/ultrawork/s/base", head)])
    assert remote.list_refs("refs/ultrawork/s/*") == {"refs/ultrawork/s/base": head}
    remote.fetch("refs/ultrawork/s/base")
    assert remote.git.commit("refs/ultrawork/s/base") == head


@pytest.mark.slow
def test_much_is_pushed_in_pieces_of_no_known_length(served, place):
    with open(f"{place}/large", "wb") as file:
        file.write(os.urandom(3 << 20))
    remote = connect(served, place, served.token)
    blob = remote.git.ask(["hash-object", "-w", "large"]).decode().strip()
    tree = remote.git.ask(["mktree"], f"100644 blob {blob}\tlarge\n".encode()).decode().strip()
    commit = remote.git.ask(["commit-tree", tree, "-m", "x"]).decode().strip()
    remote.push([RefPush("refs/ultrawork/s/large", commit)])
    assert remote.list_refs("refs/ultrawork/s/large")


@pytest.mark.parametrize("token", ["", "wrong"])
def test_nobody_gets_in_without_the_token(served, place, token):
    with pytest.raises(RemoteRefusal, match="was rejected"):
        connect(served, place, token).list_refs("HEAD")


def test_a_branch_cannot_be_written(served, place):
    remote = connect(served, place, served.token)
    with pytest.raises((Trouble, Conflict)):
        remote.push([RefPush("refs/heads/main", remote.git.head())])
    assert remote.git.ask(["ls-remote", remote.url, "refs/heads/*"]) == b""


def test_a_ref_that_somebody_else_moved_is_not_overwritten(served, place):
    remote = connect(served, place, served.token)
    head = remote.git.head()
    other = remote.git.ask(["commit-tree", f"{head}^{{tree}}", "-m", "other"]).decode().strip()
    remote.push([RefPush("refs/ultrawork/s/journal", head)])
    with pytest.raises(Conflict, match="another process moved"):
        remote.push([RefPush("refs/ultrawork/s/journal", other, "")])


def test_others_than_this_machine_are_served_only_with_tls(tmp_path):
    with pytest.raises(UsageError, match="without TLS only this machine"):
        GitServer(Home(str(tmp_path)), {"PATH": PATH}, address=("0.0.0.0", 0))


def test_a_server_for_all_machines_is_named_as_they_reach_it():
    assert name_address("0.0.0.0") == socket.gethostname()
    assert name_address("127.0.0.1") == "127.0.0.1"


def test_the_token_is_in_no_argument_url_or_file_of_the_clone(served, place):
    connect(served, place, served.token).list_refs("HEAD")
    for folder, _, names in os.walk(place):
        for name in names:
            with open(f"{folder}/{name}", "rb") as file:
                assert served.token.encode() not in file.read()


def test_a_request_that_nobody_can_read_is_one_line(served, capsys):
    host, port = served.url.removeprefix("http://").split(":")
    login = b64encode(f"ultrawork:{served.token}".encode()).decode()
    lines = ["POST /project.git/git-receive-pack HTTP/1.1", f"Authorization: Basic {login}"]
    with socket.create_connection((host, int(port)), 10) as door:
        door.sendall("\r\n".join([*lines, "Content-Length: many", "", ""]).encode())
        door.shutdown(socket.SHUT_WR)
        while door.recv(1000):
            pass
    end = time.monotonic() + 10
    said = ""
    while "invalid request" not in said and time.monotonic() < end:
        said += capsys.readouterr().err
        time.sleep(0.05)
    assert (said.count("\n"), "Traceback" in said) == (1, False), said

"""Both ways between machines, by TLS with certificates that sign themselves."""

import asyncio
import shutil
import socket
import subprocess
import threading

import pytest

from support.cluster import WorkerProcess, git, require_packages
from support.tls import Certificate, TlsDoor
from ultrawork.cluster.git_server import GitServer, make_repository
from ultrawork.cluster.place import ClusterPlace, connect
from ultrawork.cluster.remote import GitRemote, RefPush
from ultrawork.core.errors import Trouble
from ultrawork.store.paths import Home

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes the certificates")
PATH = "/usr/local/bin:/usr/bin:/bin"


@pytest.mark.slow
def test_git_pushes_by_tls_to_whom_it_trusts_and_to_nobody_else(tmp_path):
    ours = Certificate(str(tmp_path), "git")
    home, environ = Home(str(tmp_path / "state")), {"PATH": PATH, "HOME": str(tmp_path)}
    make_repository(home, environ, "shop")
    server = GitServer(home, environ, address=("127.0.0.1", 0), tls=(ours.path, ours.key))
    threading.Thread(target=server.serve, daemon=True).start()
    place = str(tmp_path / "place")
    subprocess.run(["git", "init", "-q", place], check=True)
    git(place, "commit", "-q", "--allow-empty", "-m", "start")
    known = {"PATH": PATH, "HOME": place, "ULTRAWORK_GIT_TOKEN": server.token}
    url = f"{server.url}/shop.git"
    move = RefPush("refs/ultrawork/s/base", git(place, "rev-parse", "HEAD"))
    try:
        assert url.startswith("https://127.0.0.1:")
        with pytest.raises(Trouble, match="certificate"):
            GitRemote(place, url, known).push([move])
        silent = socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2])))
        trusting = GitRemote(place, url, {**known, "GIT_SSL_CAINFO": ours.path})
        trusting.push([move])
        assert trusting.list_refs(move.ref) == {move.ref: move.new}
        silent.close()
    finally:
        server.close()


@pytest.mark.slow
def test_temporal_is_spoken_to_by_tls_with_a_certificate_of_ones_own(tmp_path, server, remote):
    require_packages()
    theirs, ours = Certificate(str(tmp_path), "temporal"), Certificate(str(tmp_path), "worker")
    trust = {"TEMPORAL_TLS_SERVER_CA_CERT_PATH": theirs.path}
    shown = {"TEMPORAL_TLS_CLIENT_CERT_PATH": ours.path, "TEMPORAL_TLS_CLIENT_KEY_PATH": ours.key}
    with TlsDoor(server.port, theirs, ours) as door:
        place = ClusterPlace(address=door.address, remote=remote)
        for environ in ({}, shown, trust):
            with pytest.raises(Trouble, match="is unreachable"):
                asyncio.run(connect(place, environ, patience=1.2))
        machine = WorkerProcess(str(tmp_path), "safe", server, remote, labels="safe")
        machine.reach(door.address)
        machine.environ |= {**trust, **shown}
        try:
            machine.start().wait_ready()
        finally:
            machine.end()

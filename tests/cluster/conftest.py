"""One server and one worker for many tests; each test is a session of its own."""

import subprocess

import pytest

from support.cluster import ClusterSite, NotInstalled, TemporalServer, WorkerProcess


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("temporal")
    try:
        server = TemporalServer(str(folder)).start()
    except NotInstalled as error:
        pytest.skip(str(error))
    yield server
    server.kill()


@pytest.fixture(scope="session")
def remote(tmp_path_factory):
    path = tmp_path_factory.mktemp("bare") / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    return str(path)


@pytest.fixture(scope="session")
def worker(tmp_path_factory, server, remote):
    root = tmp_path_factory.mktemp("machines")
    worker = WorkerProcess(str(root), "one", server, remote, slots="8", drain="2s").start()
    yield worker.wait_ready()
    worker.end()


@pytest.fixture
def site(tmp_path, server, remote, worker):
    site = ClusterSite(str(tmp_path), server, remote, worker)
    yield site
    site.close()

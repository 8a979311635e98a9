"""A server in a project of its own."""

import pytest

from support.toolbox import ALL_TOOLS, Client, Seat


@pytest.fixture
def serve(tmp_path):
    """Starts a server; it is ended after the test."""
    clients = []

    def start(name=ALL_TOOLS, **env):
        clients.append(Client(Seat(str(tmp_path), env)))
        clients[-1].greet(name)
        return clients[-1]

    yield start
    for client in clients:
        client.close()


@pytest.fixture
def client(serve):
    return serve()

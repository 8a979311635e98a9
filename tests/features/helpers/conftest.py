"""A server in a project of its own, as the tests of the toolbox have one."""

from mcp.conftest import client, serve

__all__ = ["client", "serve"]

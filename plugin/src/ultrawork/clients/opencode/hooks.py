"""opencode: it has none of our hooks, so its sessions are judged only by their files."""

from ..client import ClientAdapter


class OpencodeCli(ClientAdapter):
    name = "opencode"
    title = "opencode"
    one_shot = "opencode run"


ADAPTER = OpencodeCli()

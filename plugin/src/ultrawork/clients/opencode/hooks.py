"""opencode: it has no hooks of ours, so its sessions are only judged by their files."""

from ..client import ClientAdapter


class OpencodeCli(ClientAdapter):
    name = "opencode"
    title = "opencode"
    one_shot = "opencode run"


ADAPTER = OpencodeCli()

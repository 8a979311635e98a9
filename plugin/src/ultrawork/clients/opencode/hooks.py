"""opencode: it has none of our hooks, so its sessions are judged only by their files."""

from ..client import ClientAdapter, late


class OpencodeCli(ClientAdapter):
    name = "opencode"
    title = "opencode"
    one_shot = "opencode run"
    plan_install = late("install")


ADAPTER = OpencodeCli()

"""Our tools in opencode: an entry of its settings file. It has no hooks that we could use."""

from collections.abc import Mapping

from ..install import NAME, ClientInstall, find_folder, make_entry_edit


def plan_install(environ: Mapping[str, str], root: str) -> ClientInstall | None:
    folder = f"{find_folder(environ, 'XDG_CONFIG_HOME', '.config')}/opencode"
    server = {"type": "local", "command": [f"{root}/bin/{NAME}", "mcp"], "enabled": True}
    edit = make_entry_edit(f"{folder}/opencode.json", ("mcp", NAME), server, f'"mcp": "{NAME}"')
    note = 'opencode runs no hooks of ours; to get a verdict: ultrawork with opencode run "…"'
    return ClientInstall(edits=(edit,), note=note)

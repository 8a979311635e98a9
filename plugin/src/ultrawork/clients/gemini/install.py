"""Our hooks and tools in Gemini CLI: entries of its settings file, under its own event names."""

from collections.abc import Mapping

from ..install import NAME, ClientInstall, Settings, SettingsEdit, find_launcher, make_entry_edit

# Its events, ours, and the time limit of each in seconds.
_EVENTS = {
    "SessionStart": ("SessionStart", 60),
    "BeforeAgent": ("UserPromptSubmit", 60),
    "BeforeTool": ("PreToolUse", 60),
    "AfterTool": ("PostToolUse", 60),
    "AfterAgent": ("Stop", 300),
    "SessionEnd": ("SessionEnd", 10),
}


def plan_install(environ: Mapping[str, str], root: str) -> ClientInstall | None:
    launcher = find_launcher(root)
    if not launcher:
        return None
    path = f"{environ.get('HOME', '')}/.gemini/settings.json"
    server = {"command": f"{root}/bin/{NAME}", "args": ["mcp"]}
    tools = make_entry_edit(path, ("mcpServers", NAME), server, f'"mcpServers": "{NAME}"')
    return ClientInstall(edits=(_make_hooks_edit(path, launcher), tools))


def _make_hooks_edit(path: str, launcher: str) -> SettingsEdit:
    def put(settings: Settings) -> None:
        take(settings)
        hooks = settings.setdefault("hooks", {})
        for event, (ours, seconds) in _EVENTS.items():
            command = f'[ ! -r "{launcher}" ] || exec /bin/sh "{launcher}" {ours}'
            entry = {"type": "command", "name": NAME, "command": command, "timeout": seconds * 1000}
            hooks.setdefault(event, []).append({"hooks": [entry]})

    def take(settings: Settings) -> bool:
        hooks = settings.get("hooks")
        if not isinstance(hooks, dict):
            return False
        is_taken = False
        for event in [name for name in _EVENTS if isinstance(hooks.get(name), list)]:
            left = [group for group in hooks[event] if not _is_ours(group)]
            is_taken = is_taken or len(left) < len(hooks[event])
            hooks[event] = left
            if not left:
                del hooks[event]
        if not hooks:
            del settings["hooks"]
        return is_taken

    return SettingsEdit(path, f'"hooks" with the name "{NAME}"', put, take)


def _is_ours(group: object) -> bool:
    given = group.get("hooks") if isinstance(group, dict) else None
    entries = [entry for entry in given if isinstance(entry, dict)] if isinstance(given, list) else []
    return bool(entries) and all(entry.get("name") == NAME for entry in entries)

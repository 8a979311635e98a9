"""Our plugin in Claude Code, by its own commands; and its status line."""

import shlex
from collections.abc import Mapping

from ..install import NAME, PLUGIN, ClientInstall, Settings, SettingsEdit, find_folder, find_marketplace

_KEY = "statusLine"
_AFTER = "--after"
_OURS = f"{NAME} statusline"


def plan_install(environ: Mapping[str, str], root: str) -> ClientInstall | None:
    market = find_marketplace(root)
    folder = find_folder(environ, "CLAUDE_CONFIG_DIR", ".claude")
    own = f"{environ.get('CLAUDE_CONFIG_DIR') or environ.get('HOME', '')}/.claude.json"
    noise = (
        own,
        f"{folder}/.claude.json",
        f"{folder}/backups",
        f"{folder}/telemetry",
        f"{folder}/plugins/.install-manifests",
    )
    return ClientInstall(
        commands=(("plugin", "marketplace", "add", market), ("plugin", "install", PLUGIN)) if market else (),
        removal=(("plugin", "uninstall", PLUGIN), ("plugin", "marketplace", "remove", NAME)),
        watched=(f"{folder}/settings.json", f"{folder}/plugins", *noise),
        noise=noise,
        caches=(
            f"{folder}/plugins/cache/{NAME}",
            f"{folder}/plugins/data/{NAME}-{NAME}",
            f"{folder}/plugins/data/{NAME}-inline",
        ),
    )


def make_statusline_edit(environ: Mapping[str, str], program: str) -> SettingsEdit:
    """Return our status line alone, or after the existing one: that runs first, and both are shown."""
    path = f"{find_folder(environ, 'CLAUDE_CONFIG_DIR', '.claude')}/settings.json"
    ours = f"{shlex.quote(program)} statusline"

    def put(settings: Settings) -> None:
        setting = settings.get(_KEY)
        known = setting.get("command") if isinstance(setting, dict) else None
        if known and _OURS in str(known):
            return
        chained = f"{ours} {_AFTER} {shlex.quote(str(known))}" if known else ours
        kept = setting if isinstance(setting, dict) else {}
        settings[_KEY] = {**kept, "type": "command", "command": chained}

    def take(settings: Settings) -> bool:
        given = settings.get(_KEY)
        words = shlex.split(str(given.get("command"))) if isinstance(given, dict) else []
        if not isinstance(given, dict) or "statusline" not in words:
            return False
        del settings[_KEY]
        if _AFTER in words[:-1]:
            settings[_KEY] = {**given, "command": words[words.index(_AFTER) + 1]}
        return True

    return SettingsEdit(path, f'"{_KEY}": {ours}', put, take)

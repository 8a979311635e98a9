"""Whether Codex runs our hooks. It silently skips those that were not trusted since they changed, so no hook can
report it; its own server lists them."""

import glob
from collections import Counter
from collections.abc import Mapping
from typing import Any

from ...store.codec import dumps, loads
from ...system.process import run_program

_PATIENCE = 10.0
_OURS = "ultrawork@"
_TRUSTED, _CHANGED = ("trusted", "managed"), "modified"
_ANSWER = 2
_MARK = f'{{"id":{_ANSWER},'
_ROOM = 1_000_000
# It answers while its input is open; the wait ends with it.
_ASKED = '(printf "%s\\n" "$2"; exec sleep "$3") | exec "$1" app-server 2>/dev/null'
_MEND = 'start codex in a terminal and choose "Trust all and continue"; until then nothing is checked'


def examine_trust(program: str, environ: Mapping[str, str], place: str) -> tuple[str, str] | None:
    """Return what to report about our hooks there, and the fix; None if Codex has no plugin of ours."""
    home = environ.get("CODEX_HOME") or f"{environ.get('HOME', '')}/.codex"
    if not glob.glob(f"{glob.escape(home)}/plugins/cache/*/ultrawork"):
        return None
    listed = _list_hooks(program, environ, place)
    if listed is None:
        return "Codex did not report whether it runs our hooks", ""
    ours = [hook for hook in listed if _is_ours(hook)]
    if not ours:
        return ("the plugin is installed, but its hooks are missing", "check whether ~/.codex/config.toml disables it")
    counter = Counter(str(our.get("trustStatus")) for our in ours)
    skipped = sum(count for status, count in counter.items() if status not in _TRUSTED)
    if not skipped:
        return f"trusted, {len(ours)} hooks", ""
    why = "changed since you trusted them" if counter[_CHANGED] else "never trusted"
    return f"{skipped} of {len(ours)} hooks {why}: Codex skips them silently", _MEND


def _is_ours(hook: Mapping[str, Any]) -> bool:
    return str(hook.get("pluginId") or "").startswith(_OURS)


def _list_hooks(program: str, environ: Mapping[str, str], place: str) -> list[dict[str, Any]] | None:
    who = {"clientInfo": {"name": "ultrawork", "version": "1"}}
    questions = [
        {"id": 1, "method": "initialize", "params": who},
        {"method": "initialized"},
        {"id": _ANSWER, "method": "hooks/list", "params": {"cwds": [place]}},
    ]
    answered: list[str] = []
    done = run_program(
        ["/bin/sh", "-c", _ASKED, "sh", program, "\n".join(map(dumps, questions)), f"{_PATIENCE:.0f}"],
        cwd=place,
        env=environ,
        deadline=_PATIENCE,
        output_limit=_ROOM,
        on_line=lambda line: answered.extend([line] if line.startswith(_MARK) else []),
        should_stop=lambda: bool(answered),
    )
    lines = [line for line in done.output.splitlines() if line.startswith(_MARK)]
    return _read_hooks(lines[0]) if lines else None


def _read_hooks(line: str) -> list[dict[str, Any]] | None:
    """Return the hooks of all requested folders; None if the answer is something else."""
    try:
        folders = loads(line)["result"]["data"]
        return [hook for folder in folders for hook in folder["hooks"] if isinstance(hook, dict)]
    except (ValueError, KeyError, TypeError):
        return None

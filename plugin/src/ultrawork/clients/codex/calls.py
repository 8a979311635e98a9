"""Tool calls of Codex in our names: agents, patches, and calls through the toolbox's finder."""

from os.path import join
from typing import Any

PATCH = "apply_patch"
# Codex's names of its agent tools: without a namespace, in the older and in the newer set.
_SPAWNS = ("spawn_agent", "multi_agent_v1spawn_agent", "collaborationspawn_agent")
_WAITS = ("wait_agent", "multi_agent_v1wait_agent", "collaborationwait_agent")
_CLOSES = ("close_agent", "multi_agent_v1close_agent")
_SHELL = "Bash"


def translate_call(data: dict[str, Any]) -> dict[str, Any]:
    """Return a call for an agent in Claude Code's form; the end of a wait or a close is the end of an agent's call. A
    call through the toolbox's finder becomes a call of the tool it names, a patch one that names its files."""
    if data["tool_name"] in (PATCH, _SHELL):
        return _name_patched(data)
    if data["tool_name"] not in (*_SPAWNS, *_WAITS, *_CLOSES):
        return _resolve_found(data)
    from ...core.course import steps

    tool_input = data.get("tool_input")
    if data["tool_name"] in _CLOSES:
        target = _text(tool_input, "target") if isinstance(tool_input, dict) else ""
        return {**data, "tool_name": "Agent", "tool_input": {"closes": target}, "tool_response": {}}
    is_spawn = data["tool_name"] in _SPAWNS and isinstance(tool_input, dict)
    prompt, task = (_text(tool_input, key) if is_spawn else "" for key in ("message", "task_name"))
    request = {"prompt": prompt, "subagent_type": steps.parse_fields(prompt).get("AGENT", "")}
    request |= {"task_name": task} if task else {}
    answer = _read_answer(data.get("tool_response")) if prompt else {}
    return {**data, "tool_name": "Agent", "tool_input": request, "tool_response": answer}


def _name_patched(data: dict[str, Any]) -> dict[str, Any]:
    """Name the files of a patch. Codex reports a patch in a shell line before it is applied, and never again: it is
    `silent`."""
    from ...core.permission.shell_lines import find_patch, list_patched

    tool_input = data.get("tool_input")
    text = _text(tool_input, "command") if isinstance(tool_input, dict) else ""
    is_shell = data["tool_name"] == _SHELL
    patch, folder = find_patch(text) if is_shell else (text, "")
    files = [join(folder, path) for path in list_patched(patch)]
    if not files:
        return data
    named = {"command": patch, "file_path": files[0], "files": files, "silent": is_shell}
    return {**data, "tool_name": PATCH, "tool_input": named}


def _resolve_found(data: dict[str, Any]) -> dict[str, Any]:
    from ...core.toolbox import resolve_call

    tool_input = data.get("tool_input")
    name, arguments = resolve_call(data["tool_name"], tool_input if isinstance(tool_input, dict) else {})
    return {**data, "tool_name": name, "tool_input": arguments}


def _text(given: Any, key: str) -> str:
    value = given.get(key)
    return value if isinstance(value, str) else ""


def _read_answer(response: object) -> dict[str, Any]:
    """Return the agent's id from older tools, its name from newer ones; a refused call has neither."""
    from ...store.codec import loads

    try:
        document = loads(response) if isinstance(response, str) else None
    except ValueError:
        document = None
    fields = document if isinstance(document, dict) else {}
    name = _text(fields, "agent_id")
    return {"agentId": name, "spawned": bool(name or _text(fields, "task_name"))}

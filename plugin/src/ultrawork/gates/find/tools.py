"""Settings of tools as comparable values; each toolchain describes where its settings are."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...core.toolchains.toolchain import Toolchain
from .folder import ProjectFolder, get_table, matches_pattern


@dataclass(slots=True)
class ToolSetting:
    """One setting. `file` is relative to the project; `text` names the part and its value."""

    tool: str
    file: str
    part: str
    value: object

    @property
    def text(self) -> str:
        plain = self.value if isinstance(self.value, str) else _dump(self.value)
        return f"[{self.part}] {plain.strip()}"


def read_tool_settings(project: ProjectFolder, tool: Toolchain) -> Iterator[ToolSetting]:
    names = project.names() if tool.settings else []
    for where in tool.settings:
        pattern, _, keys = where.partition("#")
        for name in _files(project, names, pattern):
            value = _part(project, name, keys) if keys else project.read(name)
            if value is not None:
                yield ToolSetting(tool.name, project.path(name), f"{name} {keys}".strip(), value)


def find_setting(project: ProjectFolder, tool: str) -> ToolSetting | None:
    known = project.toolchains.get(tool)
    return next(read_tool_settings(project, known), None) if known else None


def _files(project: ProjectFolder, names: Sequence[str], pattern: str) -> list[str]:
    if "*" in pattern:
        return [name for name in names if matches_pattern(name, pattern)]
    there = project.exists(pattern) if "/" in pattern else pattern in names
    return [pattern] if there else []


def _part(project: ProjectFolder, name: str, keys: str) -> object:
    """Return the value under dotted keys. An INI section is one key; a star matches every key with that prefix."""
    if name.endswith((".cfg", ".ini")):
        sections = project.read_ini(name)
        if keys.endswith("*"):
            return {key: sections[key] for key in sections if key.startswith(keys[:-1])} or None
        return sections.get(keys)
    whole = project.read_toml(name) if name.endswith(".toml") else project.read_json(name)
    above, _, last = keys.rpartition(".")
    return get_table(whole, *above.split(".")).get(last) if above else whole.get(last)


def _dump(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)

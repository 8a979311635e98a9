"""
The settings of tools, as values that can be compared: where each keeps them is data of its toolchain.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from .folder import ProjectFolder, get_table, matches_pattern


@dataclass(slots=True)
class ToolSetting:
    """`file` as the whole project writes it; `text` names the part and holds its value."""

    tool: str
    file: str
    part: str
    value: object

    @property
    def text(self) -> str:
        plain = self.value if isinstance(self.value, str) else _dump(self.value)
        return f"[{self.part}] {plain.strip()}"


def list_settings(project: ProjectFolder, tool: str) -> Iterator[ToolSetting]:
    known = project.toolchains.get(tool)
    for where in known.settings if known else ():
        pattern, _, keys = where.partition("#")
        for name in _files(project, pattern):
            value = _part(project, name, keys) if keys else project.read(name)
            if value is not None:
                yield ToolSetting(tool, project.path(name), f"{name} {keys}".strip(), value)


def find_setting(project: ProjectFolder, tool: str) -> ToolSetting | None:
    return next(list_settings(project, tool), None)


def _files(project: ProjectFolder, pattern: str) -> list[str]:
    if "*" not in pattern:
        return [pattern] if project.exists(pattern) else []
    return [name for name in project.names() if matches_pattern(name, pattern)]


def _part(project: ProjectFolder, name: str, keys: str) -> object:
    """The value under dotted keys; an INI section is one key whatever it holds, a star all that begin so."""
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

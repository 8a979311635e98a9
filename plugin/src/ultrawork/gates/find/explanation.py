"""Show what is known about a toolchain, and from which file."""

from typing import Any

from ...core.check import find_nearest, quote
from ...core.errors import NotFound
from ...core.toolchains import schema
from ...core.toolchains.toolchain import Toolchains
from ..trees.files import DiskFiles
from .folder import ProjectFolder

_INDENT = 16
_BEYOND = ("name", "origin")


def explain_toolchains(root: str, names: list[str]) -> tuple[dict[str, Any], str]:
    """Return a document and its text: these toolchains, or the list of all."""
    known = ProjectFolder(DiskFiles(root)).toolchains
    if not names:
        return _list_all(known)
    tables = [known.tables[_find(known, name)] for name in names]
    return {"toolchains": tables}, "\n\n".join(map(_describe, tables))


def _find(known: Toolchains, name: str) -> str:
    """Return a toolchain by name, or by a command that starts it."""
    if name in known.tables:
        return name
    if name in known.calls:
        return known.calls[name][1]
    near = find_nearest(name, known.tables)
    hint = f"did you mean {near}?" if near else "list them: ultrawork gates explain"
    raise NotFound(f"no toolchain {quote(name)}; {hint}")


def _list_all(known: Toolchains) -> tuple[dict[str, Any], str]:
    families: dict[str, list[str]] = {}
    for name, table in known.tables.items():
        families.setdefault(str(table.get("family", "")) or "no family", []).append(name)
    lines = [f"{family:<{_INDENT}}{', '.join(names)}" for family, names in families.items()]
    own = [f"custom: {name}, see {known.tables[name]['origin']}" for name in sorted(known.own)]
    return {"families": families, "own": sorted(known.own)}, "\n".join([*lines, *own])


def _describe(table: dict[str, Any]) -> str:
    lines = [f"{table['name']}, from {table['origin']}"]
    for key, value in table.items():
        if key not in _BEYOND:
            lines += _list_lines(key, value)
    return "\n".join(lines)


def _list_lines(key: str, value: Any) -> list[str]:
    """Return a key with its value; a table key by key, with what each is for."""
    if key in schema.TABLES_OF:
        rows = value if isinstance(value, list) else [value]
        meaning = schema.TOOLCHAIN[key][1]
        inner = [f"    {name:<{_INDENT - 2}}{_show(entry)}" for row in rows for name, entry in row.items()]
        return [f"  {key}: {meaning}", *inner]
    return [f"  {key:<{_INDENT}}{_show(value)}"]


def _show(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_show(entry)}" for key, entry in value.items())
    return "yes" if value is True else str(value)

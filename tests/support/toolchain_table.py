"""
Toolchains as a module that loads fast, made from `toolchains/*.toml`.

`make generate` writes it, and it is committed: an installed plugin runs no make.
"""

import json
import os
import tomllib
from typing import Any

from ultrawork.core.toolchains import schema
from ultrawork.store import atomic

from .floor import PLUGIN, REPOSITORY

MODULE = "core/toolchains/table.py"
_HEAD = '''"""Made from toolchains/ by `make generate`: change the data there."""
# fmt: off

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

'''


FOLDER = f"{REPOSITORY}/toolchains"
# Beside the toolchains: languages and build systems, in the order in which their checks are preferred.
ECOSYSTEMS = "ecosystems.toml"


def read_toolchain_files() -> dict[str, dict[str, Any]]:
    """Return each file's table by the name of the file; a key that is none is refused."""
    found = {}
    for name in sorted(set(os.listdir(FOLDER)) - {ECOSYSTEMS}):
        table = _read(f"{FOLDER}/{name}")
        schema.check_toolchain(table, f"toolchains/{name}")
        found[name.removesuffix(".toml")] = table
    return found


def render_toolchains() -> str:
    toolchains = _render("TOOLCHAINS", read_toolchain_files())
    return _HEAD + toolchains + _render("ECOSYSTEMS", _read(f"{FOLDER}/{ECOSYSTEMS}"))


def _render(name: str, rows: dict[str, Any]) -> str:
    return f'{name}: "dict[str, dict[str, Any]]" = {_write(rows)}\n'


def _write(value: Any) -> str:
    """Return a value without a space: an install has all of these tables."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{_write(key)}:{_write(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_write, value)) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


PAGE = "docs/reference/toolchains.md"
_TABLES = (
    (schema.TOOLCHAIN, "At the top"),
    (schema.REPORT, "`[report]`: results of single tests"),
    (schema.NARROW, "`[narrow]`: some tests only"),
    (schema.FIND, "`[[find]]`: when, and by which command"),
    (schema.SEED, "`[[seeds]]`: the same order again"),
    (schema.REPLAYS, "`[replays]`: an earlier result in place of a run"),
)


# What a value is, in a word for the page.
_SHAPES = {
    schema.TEXT: "text",
    schema.TEXTS: "list",
    schema.SWITCH: "true or false",
    schema.NUMBERS: "numbers",
    schema.TABLE: "table",
    schema.TABLES: "tables",
    schema.TEXT_TABLE: "table",
}


def render_keys() -> str:
    lines = [
        "# Keys of a toolchain file",
        "",
        "Every key, its type and what it means. A *list* holds texts. Made by `make generate`. [Glossary](glossary.md)",
        "How to write a file: [own toolchain](../how-to/own-toolchain.md).",
        "Ours are in `toolchains/` of the repository, one file each; their ecosystems are in `toolchains/ecosystems.toml`.",
    ]
    for keys, title in _TABLES:
        lines += ["", f"## {title}", ""]
        lines += [f"- `{key}` ({_SHAPES[shape]}): {text}" for key, (shape, text) in keys.items()]
    return "\n".join([*lines, ""])


def _read(path: str) -> dict[str, Any]:
    with open(path, "rb") as file:
        return tomllib.load(file)


def main() -> None:
    atomic.write(f"{PLUGIN}/src/ultrawork/{MODULE}", render_toolchains(), mode=0o644)
    atomic.write(f"{REPOSITORY}/{PAGE}", render_keys(), mode=0o644)


if __name__ == "__main__":
    main()

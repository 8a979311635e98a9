"""
Toolchains as one packed file that loads fast, made from `toolchains/*.toml`.

`make generate` writes it, and it is committed: an installed plugin runs no make.
"""

import json
import os
import tomllib
import zlib
from typing import Any

from ultrawork.core.toolchains import schema
from ultrawork.store import atomic

from .floor import PLUGIN, REPOSITORY
from .word_modules import write_packed

PACKED = f"{PLUGIN}/src/ultrawork/core/toolchains/table.zlib"
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


def pack_toolchains() -> bytes:
    """Return them without a space: an install has all of these tables."""
    tables = [read_toolchain_files(), _read(f"{FOLDER}/{ECOSYSTEMS}")]
    return zlib.compress(json.dumps(tables, ensure_ascii=False, separators=(",", ":")).encode(), 9)


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
    write_packed(PACKED, pack_toolchains())
    atomic.write(f"{REPOSITORY}/{PAGE}", render_keys(), mode=0o644)


if __name__ == "__main__":
    main()

"""
Toolchains as a module that loads fast, made from `content/toolchains/*.toml` and `content/ecosystems.toml`.

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
_HEAD = '''"""Made from content/toolchains and content/ecosystems.toml by `make generate`: change the data there."""
# fmt: off

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

'''


def read_toolchain_files(root: str) -> dict[str, dict[str, Any]]:
    """Return each file's table by the name of the file; a key that is none is refused."""
    folder = f"{root}/content/toolchains"
    found = {}
    for name in sorted(os.listdir(folder)):
        table = _read(f"{folder}/{name}")
        schema.check_toolchain(table, f"content/toolchains/{name}")
        found[name.removesuffix(".toml")] = table
    return found


def render_toolchains(root: str) -> str:
    toolchains = _render("TOOLCHAINS", read_toolchain_files(root))
    return _HEAD + toolchains + _render("ECOSYSTEMS", _read(f"{root}/content/ecosystems.toml"))


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


def render_keys() -> str:
    lines = [
        "# Keys of a toolchain file",
        "",
        "Made by `make generate`. How to write one: [own toolchain](../how-to/own-toolchain.md). [Glossary](glossary.md)",
        "Ours are in `plugin/content/toolchains`, one file each; their ecosystems are in `plugin/content/ecosystems.toml`.",
    ]
    for keys, title in _TABLES:
        lines += ["", f"## {title}", "", "| key | holds | meaning |", "|---|---|---|"]
        lines += [f"| `{key}` | {shape} | {meaning} |" for key, (shape, meaning) in keys.items()]
    return "\n".join([*lines, ""])


def _read(path: str) -> dict[str, Any]:
    with open(path, "rb") as file:
        return tomllib.load(file)


def main() -> None:
    atomic.write(f"{PLUGIN}/src/ultrawork/{MODULE}", render_toolchains(PLUGIN), mode=0o644)
    atomic.write(f"{REPOSITORY}/{PAGE}", render_keys(), mode=0o644)


if __name__ == "__main__":
    main()

"""Settings on disk: the project's file, the user's defaults, the environment."""

import os
from collections.abc import Callable, Collection, Mapping
from stat import S_ISREG
from tomllib import TOMLDecodeError, loads
from typing import Any

from ..core import settings
from ..core.errors import UsageError
from ..core.value import Value, fresh
from ..core.verdict.gate import Gate
from .paths import Home

Read = Callable[[str], "str | None"]

PROJECT_FILE = "ultrawork.toml"
PROJECT_FILES = (PROJECT_FILE, "pyproject.toml")
LIMIT = 1_000_000
# The user's current defaults; no file can have this text.
NOW = "\0"


class Settings(Value):
    """All values with their sources, the project's own `[gates]`, and checks that the user asked for."""

    values: dict[str, settings.Setting]
    gates: dict[str, Any]
    gates_source: str
    requested: list[Gate] = fresh(list)

    def __getitem__(self, key: str) -> Any:
        return self.values[key].value


def load(
    environ: Mapping[str, str], home: Home, read: Read, own_text: str | None = NOW, leave_out: Collection[str] = ()
) -> Settings:
    """Load settings. `read` returns a project file's text, from the folder or the baseline tree; `own_text` is the
    user's defaults if a session stored them; `leave_out` are project sections that do not count."""
    source, table = read_project_table(read)
    for section in settings.OWN_SECTIONS:
        if section in table:
            raise UsageError(f"{source}: [{section}] works only in your own {home.settings}")
    table = {key: value for key, value in table.items() if key not in leave_out}
    text = read_own(home) if own_text == NOW else own_text
    own = {} if text is None else parse(text, home.settings)
    return Settings(
        settings.resolve(
            [
                ("environment", settings.read_environment(environ)),
                (source, settings.flatten(table, source)),
                (home.settings, settings.flatten(own, home.settings)),
            ]
        ),
        _gates(table, source) or _gates(own, home.settings),
        source if settings.GATES in table else home.settings,
    )


def load_at(
    environ: Mapping[str, str], home: Home, place: str, own_text: str | None = NOW, leave_out: Collection[str] = ()
) -> Settings:
    """Load settings with the project files in a folder."""
    return load(environ, home, lambda name: read_file(f"{place}/{name}"), own_text, leave_out)


def load_from(
    environ: Mapping[str, str], home: Home, files: Mapping[str, bytes | None], own_text: str | None = NOW
) -> Settings:
    """Load settings with the project files from a tree."""

    def read(name: str) -> str | None:
        data = files[name]
        return None if data is None else data.decode("utf-8", "replace")

    return load(environ, home, read, own_text)


def read_project_table(read: Read) -> tuple[str, dict[str, Any]]:
    """`ultrawork.toml`, else `[tool.ultrawork]`, with the name of its source."""
    text = read(PROJECT_FILE)
    if text is not None:
        return PROJECT_FILE, parse(text, PROJECT_FILE)
    text = read("pyproject.toml")
    if text is not None and "tool.ultrawork" in text:
        return "pyproject.toml", _tool_table(parse(text, "pyproject.toml"))
    return PROJECT_FILE, {}


def _tool_table(whole: dict[str, Any]) -> dict[str, Any]:
    tools = whole.get("tool", {})
    table = tools.get("ultrawork", {}) if isinstance(tools, dict) else None
    if not isinstance(table, dict):
        raise UsageError("pyproject.toml: tool.ultrawork is not a section; write [tool.ultrawork]")
    return table


def read_own(home: Home) -> str | None:
    """Return the text of the user's defaults; None without any."""
    return read_file(home.settings)


def _gates(table: Mapping[str, Any], source: str) -> dict[str, Any]:
    gates = table.get(settings.GATES, {})
    if not isinstance(gates, dict):
        raise UsageError(f"{source}: gates is not a section; write [gates] and name = command")
    return gates


def parse(text: str, source: str) -> dict[str, Any]:
    try:
        return loads(text)
    except (TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{source} is not valid TOML: {error}") from None


def read_file(path: str) -> str | None:
    """Read a regular file only: a FIFO in its place would block."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, "rb") as file:
            regular = S_ISREG(os.fstat(handle).st_mode)
            return file.read(LIMIT).decode("utf-8", "replace") if regular else None
    except OSError:
        return None

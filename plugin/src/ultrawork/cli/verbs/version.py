"""`ultrawork version`."""

from ...store.paths import read_version
from ..command import Command, Result
from ..environment import Args, VerbEnvironment


def show(_args: Args, _env: VerbEnvironment) -> Result:
    number = read_version()
    return Result({"version": number}, f"ultrawork {number}")


COMMANDS = (Command("", "Print the version", show, example="ultrawork version\nultrawork version --json"),)

"""`ultrawork completions`: print a shell's completion script, made from the table of verbs."""

from ...core.check import require_choice
from ...core.errors import UsageError
from ..command import Command, Result
from ..completions import SHELLS, render
from ..environment import Args, VerbEnvironment


def print_script(args: Args, _env: VerbEnvironment) -> Result:
    if len(args.rest) != 1:
        raise UsageError("name one shell: ultrawork completions bash")
    shell = require_choice(args.rest[0], SHELLS, "shell")
    script = render(shell)
    return Result({"shell": shell, "script": script}, script)


COMMANDS = (
    Command(
        "",
        "Load it in the shell's start-up file, such as ~/.bashrc",
        print_script,
        rest="bash|zsh|fish",
        example="source <(ultrawork completions bash)\nultrawork completions fish | source",
    ),
)

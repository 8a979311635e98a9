"""`ultrawork watch`: a headless run as it goes on, from any terminal."""

from ..command import Command
from ..flags import SESSION
from ..headless.follower import follow

COMMANDS = (
    Command(
        "",
        "It stops when the run ends",
        follow,
        flags=(SESSION,),
        example="ultrawork watch\nultrawork watch --session last",
    ),
)

"""
The sandbox that a client keeps its agent's commands in, for checks that a hook starts.

Codex notes the policy of each turn and comes with the program that applies it; `hooks.permissions` writes both into a
variable, which everything that the hook starts inherits. A check then reaches no further than the agent's own
commands, but for scratch folders of ours that are gone afterwards.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.agent_variables import remove_agent_variables
from ..core.errors import Trouble
from ..core.permission.codex_turn import CONFINED, READ_ONLY, make_state
from ..core.value import Value, fresh
from ..store.codec import dumps, loads
from ..system.process import run_program

_PATIENCE = 20.0


class Confinement(Value):
    """`program` applies `profile`, seen from `folder`; without one, nothing can be run in the sandbox of this `kind`."""

    kind: str
    program: str = ""
    profile: dict[str, Any] = fresh(dict)
    folder: str = "/"

    @property
    def name(self) -> str:
        return f"Codex's {self.kind or 'unknown'} sandbox"

    @property
    def remedy(self) -> str:
        return "ulw verify" + (", or codex --sandbox workspace-write" * (self.kind == READ_ONLY))

    def wrap(self, argv: Sequence[str], where: str, writable: Iterable[str] = ()) -> list[str]:
        """
        The command is begun in the folder that the policy is seen from, whatever ours is: a shell goes `where` it
        belongs, and says of a program that is not there what it says everywhere.
        """
        if not self.program:
            raise Trouble(f"nothing can be started in {self.name}")
        state = dumps(make_state(self.profile, self.folder, writable))
        inside = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', where, *argv]
        return [self.program, "sandbox", "--sandbox-state-json", state, "--", *inside]

    def is_working(self, environ: Mapping[str, str]) -> bool:
        """Not every version knows the option, and not every machine lets it build a sandbox."""
        if not self.program:
            return False
        env = remove_agent_variables(environ)
        done = run_program(self.wrap(["true"], "/"), cwd="/", env=env, deadline=_PATIENCE)
        return done.exit == 0

    def write(self) -> str:
        return dumps([self.kind, self.program, self.profile, self.folder])


def read_confinement(environ: Mapping[str, str]) -> Confinement | None:
    told = environ.get(CONFINED)
    if not told:
        return None
    return Confinement(*loads(told))

"""The sandbox of a client's agent commands, for checks that we start.

A hook writes it into a variable that everything it starts inherits. A check then reaches no further than the agent's
own commands, except for our temporary scratch folders."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.value import Value, fresh

CONFINED = "ULTRAWORK_CONFINED"
_PATIENCE = 20.0


class Confinement(Value):
    """`program` applies `profile`, seen from `folder`; without one, nothing can be run in the sandbox of this `kind`."""

    client: str
    kind: str
    program: str = ""
    profile: dict[str, Any] = fresh(dict)
    folder: str = "/"

    @property
    def adapter(self) -> Any:
        """The client's adapter, found by name: adapters know this class, it knows none of them."""
        module = f"ultrawork.clients.{self.client}.hooks"
        __import__(module)
        return sys.modules[module].ADAPTER

    @property
    def name(self) -> str:
        return f"{self.adapter.title}'s {self.kind or 'unknown'} sandbox"

    @property
    def remedy(self) -> str:
        wider = self.adapter.name_wider_sandbox(self.kind)
        return "ulw verify" + (f", or {wider}" if wider else "")

    @property
    def no_edits(self) -> str:
        """Why the agent could change no file, and what lets it; empty where it could."""
        wider = self.adapter.name_wider_sandbox(self.kind)
        return f"{self.name} forbids edits; use {wider}" if wider else ""

    def wrap(self, argv: Sequence[str], where: str, writable: Iterable[str] = ()) -> list[str]:
        """Return the command inside the sandbox. It starts in the policy's folder, whatever ours is: a shell changes
        to `where`, and reports a missing program as usual."""
        if not self.program:
            from ..core.errors import Trouble

            raise Trouble(f"programs cannot be started in {self.name}")
        inside = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', where, *argv]
        return [*self.adapter.make_sandbox_command(self, writable), *inside]

    def is_working(self, environ: Mapping[str, str]) -> bool:
        """Return whether it works: not every version knows the option, and not every machine allows a sandbox."""
        if not self.program:
            return False
        from ..core.agent_variables import remove_agent_variables
        from ..system.process import run_program

        env = remove_agent_variables(environ)
        done = run_program(self.wrap(["true"], "/"), cwd="/", env=env, deadline=_PATIENCE)
        return done.exit == 0

    def put_into(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Return the variables that confine checks to it."""
        from ..store.codec import dumps

        fields = [self.client, self.kind, self.program, self.profile, self.folder]
        return {**environ, CONFINED: dumps(fields)}


def read_confinement(environ: Mapping[str, str]) -> Confinement | None:
    text = environ.get(CONFINED)
    if not text:
        return None
    from ..store.codec import loads

    return Confinement(*loads(text))

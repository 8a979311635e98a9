"""`ultrawork features`: what of the project's memory and guidance is on; only a person switches it."""

from ...core.errors import UsageError
from ...store.omc import features
from ...store.omc.folder import Omc
from ..command import Command, Result, render_table
from ..environment import PERSON, VerbEnvironment
from ..flags import Args


def list_(_args: Args, env: VerbEnvironment) -> Result:
    return _shown(features.read(env.place))


def switch_on(args: Args, env: VerbEnvironment) -> Result:
    return _shown(features.switch_on(_switches(env), args.rest))


def switch_off(args: Args, env: VerbEnvironment) -> Result:
    return _shown(features.switch_off(_switches(env), args.rest))


def _switches(env: VerbEnvironment) -> Omc:
    if env.store.actor != PERSON:
        raise UsageError(
            "a project's features are switched by a person, in a terminal of their own"
        )
    return env.omc


def _shown(on: dict[str, str]) -> Result:
    rows = [
        (name, (on[name] or "on") if name in on else "-", what)
        for name, what in features.ALL.items()
    ]
    return Result(on, render_table(("FEATURE", "NOW", "WHAT IT DOES"), rows))


COMMANDS = (
    Command("list", "What is on in this project", list_, example="ultrawork features list"),
    Command(
        "on",
        "Switch all features on, or those named",
        switch_on,
        rest="[NAME …]",
        example="ultrawork features on rules delegation=strict",
    ),
    Command(
        "off",
        "Switch all features off, or those named",
        switch_off,
        rest="[NAME …]",
        example="ultrawork features off",
    ),
)

"""`ultrawork features`: show or change which project features are enabled; only a user may."""

from ...store import checkouts
from ...store.omc import features
from ...store.omc.folder import Omc
from ..command import Command, Result, render_table
from ..environment import Args, VerbEnvironment


def list_(_args: Args, env: VerbEnvironment) -> Result:
    home = env.store.home
    shown = _show(features.read(home, env.place))
    if checkouts.has_unsaid_features(home, env.place):
        shown.warnings.append(
            ".omc/features came with this checkout and is not active; to activate it: ultrawork features allow"
        )
    return shown


def switch_on(args: Args, env: VerbEnvironment) -> Result:
    return _show(features.switch_on(env.store.home, _find_switches(env), args.rest))


def switch_off(args: Args, env: VerbEnvironment) -> Result:
    return _show(features.switch_off(env.store.home, _find_switches(env), args.rest))


def allow(_args: Args, env: VerbEnvironment) -> Result:
    """Allow the features that a checkout ships, as they are now."""
    checkouts.allow_features(env.store.home, _find_switches(env).top)
    return _show(features.read(env.store.home, env.place))


def _find_switches(env: VerbEnvironment) -> Omc:
    env.require_person("can change a project's features", "ask the user to run it")
    return env.omc


def _show(on: dict[str, str]) -> Result:
    rows = [
        (name, (on[name] or "on") if name in on else "-", description) for name, description in features.ALL.items()
    ]
    return Result(on, render_table(("FEATURE", "NOW", "WHAT IT DOES"), rows))


COMMANDS = (
    Command("list", "List the features and whether they are enabled", list_, example="ultrawork features list"),
    Command(
        "on",
        "Enable all features, or the named ones",
        switch_on,
        rest="[NAME …]",
        example="ultrawork features on rules delegation=strict",
    ),
    Command(
        "off", "Disable all features, or the named ones", switch_off, rest="[NAME …]", example="ultrawork features off"
    ),
    Command(
        "allow", "Allow the feature settings that came with this checkout", allow, example="ultrawork features allow"
    ),
)

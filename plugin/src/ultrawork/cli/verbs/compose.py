"""`ultrawork compose`: what skills that are named together come to, or what a prompt would begin."""

from ...core import errors
from ...core.errors import UsageError
from ...core.prompt import composition, mode_request
from ...core.prompt.composition import PARTS, Composition
from ...core.prompt.request import ModeRequest
from ..command import Command, Result
from ..environment import Args, VerbEnvironment


def show(args: Args, env: VerbEnvironment) -> Result:
    """Compose names; anything longer is read as a user's prompt."""
    spoken = env.read(" ".join(args.rest), "words")
    names = spoken.split()
    if not names:
        raise UsageError("name modes or skills: ultrawork compose ralph team tdd")
    known = all(composition.is_known(name) for name in names)
    request = None if known else mode_request.find_modes(spoken)
    # A single word that requests nothing is a misspelled name.
    if known or (request is None and len(names) == 1):
        return _result(composition.compose(names))
    if request is None or request.composed is None:
        return _nothing(request)
    return _result(request.composed, request.goal)


def _result(made: Composition, goal: str = "") -> Result:
    block = composition.render_block(made)
    document = {**made.document(), "goal": goal or None, "block": block}
    return Result(document, render(made, goal))


def render(made: Composition, goal: str) -> str:
    rows = [("execution", made.execution)]
    rows += [("enhancement", name) for name in made.enhancements]
    rows += [("guarantee", made.guarantee)] if made.guarantee else []
    lines = [f"{layer:<12} {name:<16} {PARTS[name][1]}" for layer, name in rows]
    lines += [f"{'left out':<12} {name:<16} {why}" for name, why in made.left_out]
    lines += [f"{'modes':<12} {', '.join(made.modes) or 'none: the work continues as usual'}"]
    return "\n".join([*lines, *([f"{'goal':<12} {goal}"] if goal else [])])


def _nothing(mode_request: ModeRequest | None) -> Result:
    cancel, hint = (mode_request.cancel, mode_request.hint) if mode_request is not None else (False, "")
    text = "no mode: the prompt does not ask for one"
    if cancel:
        text = "no mode: the prompt turns the active mode off"
    elif hint:
        text = f"no mode: the prompt only mentions {hint}; start it with /ultrawork:{hint} and a task"
    return Result({"modes": [], "cancel": cancel, "hint": hint or None}, text, exit=errors.EXIT_NOTHING)


COMMANDS = (
    Command(
        "",
        "Show which modes and skills would start, and how they combine",
        show,
        rest="WORDS…",
        example='ultrawork compose ralph team tdd\nultrawork compose "ralph: fix the build"',
    ),
)

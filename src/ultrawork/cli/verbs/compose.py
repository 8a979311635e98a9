"""`ultrawork compose`: what skills that are named together come to, or what a prompt would begin."""

from ...core import exits
from ...core.errors import UsageError
from ..command import Command
from ..result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.composing import Composition
    from ...core.keywords import Found
    from ..edge import Edge
    from ..flags import Args


def show(args: "Args", edge: "Edge") -> Result:
    """Names as they are; anything longer is read as a person's prompt."""
    from ...core import composing, keywords

    spoken = edge.read(" ".join(args.rest), "words")
    names = spoken.split()
    if not names:
        raise UsageError("name what is to go together: ultrawork compose ralph team tdd")
    known = all(composing.knows(name) for name in names)
    found = None if known else keywords.detect(spoken)
    # One word that asks for nothing is a name that was written wrong.
    if known or (found is None and len(names) == 1):
        return _result(composing.compose(names))
    if found is None or found.composed is None:
        return _nothing(found)
    return _result(found.composed, found.goal)


def _result(made: "Composition", goal: str = "") -> Result:
    from ...core import composing

    told = composing.block(made)
    document = {**made.document(), "goal": goal or None, "block": told}
    return Result(document, text(made, goal))


def text(made: "Composition", goal: str) -> str:
    from ...core.composing import PARTS

    rows = [("execution", made.execution)]
    rows += [("enhancement", name) for name in made.enhancements]
    rows += [("guarantee", made.guarantee)] if made.guarantee else []
    lines = [f"{layer:<12} {name:<16} {PARTS[name][1]}" for layer, name in rows]
    lines += [f"{'left out':<12} {name:<16} {why}" for name, why in made.left_out]
    lines += [f"{'modes':<12} {', '.join(made.modes) or 'none: the work goes on as usual'}"]
    return "\n".join([*lines, *([f"{'goal':<12} {goal}"] if goal else [])])


def _nothing(found: "Found | None") -> Result:
    cancel, hint = (found.cancel, found.hint) if found is not None else (False, "")
    told = "no mode: the words ask for none"
    if cancel:
        told = "no mode: the words end what is on"
    elif hint:
        told = f"no mode: {hint} is only mentioned; start it with /ultrawork:{hint} and what to do"
    return Result({"modes": [], "cancel": cancel, "hint": hint or None}, told, exit=exits.NOTHING)


COMMANDS = (
    Command(
        "",
        "Say what skills that are named together come to, or what a prompt would begin",
        show,
        rest="WORDS…",
        example="ultrawork compose ralph team tdd",
    ),
)

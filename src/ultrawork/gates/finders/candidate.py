"""A gate that a finder proposes, with what it was seen to run."""

from ...core.gate import LINT, TEST, Gate
from .shell import quoted
from .trail import Trail, follow, follow_recipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .place import Place
    from .recipes import Recipe

_WATCHING = ("dev", "serve", "start", "watch")
# Programs that stand for a service: without them the gate cannot tell anything.
_NEEDED = {"docker": "docker", "docker-compose": "docker", "podman": "podman"}


class Candidate:
    """`family` is the ecosystem; `gate.name` becomes final once the choice is made."""

    __slots__ = ("family", "gate", "trail")

    def __init__(self, family: str, gate: Gate, trail: Trail) -> None:
        self.family = family
        self.gate = gate
        self.trail = trail

    def covered_by(self, other: "Candidate") -> bool:
        """True if the other one plainly runs all that this one would."""
        own = self.trail.recipes
        inside = bool(own) and next(iter(own)) in other.trail.recipes
        tools = self.trail.tools(self.gate.kind)
        return inside or (bool(tools) and tools <= other.trail.tools())


def of_command(
    place: "Place",
    family: str,
    kind: str,
    argv: "Sequence[str]",
    *,
    source: str,
    reason: str,
    definition: str = "",
    text: str = "",
) -> Candidate:
    """A command that stands in no script; `text` is shell text that `argv` hands to sh."""
    trail = follow(place, text or quoted(argv))
    return build(
        place,
        family,
        kind,
        argv,
        trail,
        source=source,
        reason=reason,
        definition=definition,
        command=text,
    )


def of_recipe(
    place: "Place", recipe: "Recipe", kind: str, argv: "Sequence[str]"
) -> Candidate | None:
    """A script of the project, unless there is an objection, which is noted."""
    trail = follow_recipe(place, recipe)
    why = objection(trail, recipe, kind)
    if why:
        place.leave(quoted(argv), why)
        return None
    reason = f"{recipe.book.noun} {recipe.name} in {recipe.file}"
    source = f"{recipe.file}:{recipe.line}"
    return build(place, recipe.book.family, kind, argv, trail, source=source, reason=reason)


def objection(trail: Trail, recipe: "Recipe", kind: str) -> str:
    """Why this script is no gate; "" if it may be one."""
    steps = [step for _, step in trail.steps]
    if recipe.parameters:
        return "asks for arguments"
    if any("no test specified" in line for line in recipe.body):
        return "only says that no test is specified"
    scripts = [(at, step.python_script()) for at, step in trail.steps]
    missing = next((script for at, script in scripts if script and not at.exists(script)), "")
    if missing:
        return f"starts {missing}, which is not there"
    if trail.idle():
        return "checks nothing, it only prints"
    if any(step.watches() for step in steps) or any(watches(name) for _, _, name in trail.recipes):
        return "watches and never ends by itself"
    if kind == LINT and any(step.rewrites() for step in steps):
        return "rewrites files"
    return ""


def build(
    place: "Place",
    family: str,
    kind: str,
    argv: "Sequence[str]",
    trail: Trail,
    *,
    source: str,
    reason: str,
    definition: str = "",
    command: str = "",
) -> Candidate:
    argv = [storable(word) for word in argv]
    command = storable(command or quoted(argv))
    told = trail.definition() if trail.recipes else [command, *trail.definition()]
    gate = Gate(
        name="",
        kind=kind,
        argv=argv,
        command=command,
        source=place.path(source),
        reason=reason,
        definition=storable("\n".join([*told, definition]).rstrip()),
        files=list(dict.fromkeys([place.path(source.partition(":")[0]), *trail.files()])),
        where=place.where,
        runner=runner(trail),
        needs=sorted({_NEEDED[p] for p in trail.programs() if p in _NEEDED}),
    )
    return Candidate(family, gate, trail)


def runner(trail: Trail) -> str:
    """The one test runner behind it; "" if none or several are seen."""
    found = trail.tools(TEST) or {step.tool for _, step in trail.steps if step.kind == TEST}
    return found.pop() if len(found) == 1 else ""


def storable(text: str) -> str:
    """Files and JSON escapes can hold what no database and no command line takes."""
    return (
        text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
    )


def watches(name: str) -> bool:
    """True for `watch`, `dev`, `start:api`, `test:watch`; a `build:dev` ends like any build."""
    words = name.lower().replace("-", ":").replace("_", ":").split(":")
    return words[0] in _WATCHING or words[-1] == "watch"

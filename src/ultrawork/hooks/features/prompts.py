"""A person's prompt: wishes that stay, the asking for careful thought, skills that fit."""

from ...core import directives, learned, think
from ...core.trigger import MACHINE_MADE
from ...store.omc import memory, skills, told
from ...store.omc.place import HASTE, Omc
from ..answer import Answer
from .light import fitted, masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event

THINK = "The person asks for careful thought: weigh at least two ways and what could go wrong before you act."
SKILL, ALL_SKILLS, MOST_SKILLS = 4_000, 8_000, 10
QUALITY = 50


def _words(event: "Event") -> str:
    """What a person wrote; empty for prompts that a machine made."""
    prompt = event.text("prompt")
    made = prompt.lstrip().lower().startswith(MACHINE_MADE)
    return "" if made or event.text("agent_id") else prompt


def wishes(event: "Event") -> Answer | None:
    for wish, priority in directives.wishes(_words(event)):
        kept = masked(event, wish)
        memory.add_directive(Omc(event.place, HASTE), kept, "", priority, event.clock())
    return None


def thought(event: "Event") -> Answer | None:
    """The client understands English; it is told what the other languages mean, once a prompt."""
    return Answer(context=THINK) if think.wants(_words(event)) else None


def fitting(event: "Event") -> Answer | None:
    """Skills of the project and the person whose triggers occur; each once a session, ten at most."""
    words, omc = _words(event), Omc(event.place, HASTE)
    if not words:
        return None
    usable = {str(one.meta["id"]): one for one in skills.every(omc, event.environ.get("HOME", "")) if _usable(one)}  # fmt: skip
    left = MOST_SKILLS - len(told.known(omc, event.session, "skill "))
    pairs = [(name, one.meta["triggers"]) for name, one in usable.items()]
    wanted = learned.calls_for(words, pairs, max(0, left)) if pairs and left > 0 else []
    fresh = told.first(omc, event.session, *(f"skill {name}" for name in wanted))
    texts = [_text(usable[key.removeprefix("skill ")]) for key in fresh]
    return Answer(context=fitted("\n\n".join(texts), ALL_SKILLS, "skills")) if texts else None


def _usable(skill: skills.Skill) -> bool:
    quality = skill.meta.get("quality")
    triggers = skill.meta.get("triggers")
    good = not isinstance(quality, int) or quality >= QUALITY
    return not skill.errors and good and isinstance(triggers, list) and bool(triggers)


def _text(skill: skills.Skill) -> str:
    name = skill.meta.get("name")
    return f"Learned skill {name}:\n{fitted(skill.content, SKILL, skill.path)}"

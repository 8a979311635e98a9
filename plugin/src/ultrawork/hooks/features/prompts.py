"""A user's prompt: standing wishes, requests for careful thought, matching skills."""

from ...core.project import directives, skill_triggers
from ...core.prompt import thinking
from ...core.prompt.order import MACHINE_MADE
from ...store.omc import failures, memory, skills
from ...store.omc.folder import HASTE, Omc
from ..event import Answer, Event
from .common import fit, mask_secrets

THINK = "The user asks for careful thought. Weigh at least two approaches and their risks before you act."
SKILL, ALL_SKILLS, MOST_SKILLS = 4_000, 8_000, 10
QUALITY = 50


def _words(event: Event) -> str:
    """Return what the user wrote; empty for machine-made prompts."""
    prompt = event.text("prompt")
    made = prompt.lstrip().lower().startswith(MACHINE_MADE)
    return "" if made or event.text("agent_id") else prompt


def keep_wishes(event: Event) -> Answer | None:
    for wish, priority in directives.find_directives(_words(event)):
        kept = mask_secrets(event, wish)
        memory.add_directive(Omc(event.place, HASTE), kept, "", priority, event.clock())
    return None


def ask_for_thought(event: Event) -> Answer | None:
    """Pass on a request for careful thought in other languages; the client understands only English."""
    return Answer(context=THINK) if thinking.wants_thinking(_words(event)) else None


def find_skills(event: Event) -> Answer | None:
    """Return skills whose triggers occur; each once per session, ten at most."""
    words, omc = _words(event), Omc(event.place, HASTE)
    if not words:
        return None
    usable = {str(learned_skill.meta["id"]): learned_skill for learned_skill in skills.list_all(omc, event.environ.get("HOME", "")) if _usable(learned_skill)}  # fmt: skip
    left = MOST_SKILLS - len(failures.list_known(omc, event.session, "skill "))
    pairs = [(name, learned_skill.meta["triggers"]) for name, learned_skill in usable.items()]
    wanted = skill_triggers.list_called(words, pairs, max(0, left)) if pairs and left > 0 else []
    fresh = failures.take_new(omc, event.session, *(f"skill {name}" for name in wanted))
    texts = [_text(usable[key.removeprefix("skill ")]) for key in fresh]
    return Answer(context=fit("\n\n".join(texts), ALL_SKILLS, "skills")) if texts else None


def _usable(skill: skills.LearnedSkill) -> bool:
    quality = skill.meta.get("quality")
    triggers = skill.meta.get("triggers")
    good = not isinstance(quality, int) or quality >= QUALITY
    return not skill.errors and good and isinstance(triggers, list) and bool(triggers)


def _text(skill: skills.LearnedSkill) -> str:
    name = skill.meta.get("name")
    return f"Learned skill {name}:\n{fit(skill.content, SKILL, skill.path)}"

"""Skills that were written down in earlier sessions."""

from ..arguments import text
from ..tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...store.omc.skills import Skill
    from ..call import Call

ROOT = {"projectRoot": text("folder in the worktree")}


def local(call: "Call") -> str:
    from ...store.omc import skills

    return _listed(skills.local(call.room.omc(call["projectRoot"])))


def personal(call: "Call") -> str:
    from ...store.omc import skills

    return _listed(skills.personal(call.room.person))


def every(call: "Call") -> str:
    from ...store.omc import skills

    return _listed(skills.every(call.room.omc(call["projectRoot"]), call.room.person))


def _listed(found: "Sequence[Skill]") -> str:
    return "\n".join(map(_line, found)) or "no skills"


def _line(skill: "Skill") -> str:
    meta = skill.meta
    triggers = meta.get("triggers")
    words = ", ".join(map(str, triggers)) if isinstance(triggers, list) else ""
    wrong = f"; unusable: {'; '.join(skill.errors)}" if skill.errors else ""
    about = f"{meta.get('name', 'unnamed')}: {meta.get('description', '')}"
    return f"{meta.get('id', '?')} ({skill.scope}) {about} [{words}] {skill.path}{wrong}"


_ALL = (
    Tool("load_omc_skills_local", "Skills written down in this project.", local, ROOT, reads=True),
    Tool("load_omc_skills_global", "Skills written down by this person.", personal, reads=True),
    Tool("list_omc_skills", "All skills; the project's hide a person's.", every, ROOT, reads=True),
)
TOOLS = {tool.name: tool for tool in _ALL}

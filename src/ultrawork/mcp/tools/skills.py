"""Skills that were written down in earlier sessions."""

from ..tool import Tool, take_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...store.omc.skills import LearnedSkill
    from ..call import ToolCall

ROOT = {"projectRoot": take_text("folder in the worktree")}


def list_local(call: "ToolCall") -> str:
    from ...store.omc import skills

    return _listed(skills.list_local(call.environment.omc(call["projectRoot"])))


def list_personal(call: "ToolCall") -> str:
    from ...store.omc import skills

    return _listed(skills.list_personal(call.environment.person))


def list_all(call: "ToolCall") -> str:
    from ...store.omc import skills

    return _listed(
        skills.list_all(call.environment.omc(call["projectRoot"]), call.environment.person)
    )


def _listed(found: "Sequence[LearnedSkill]") -> str:
    return "\n".join(map(_line, found)) or "no skills"


def _line(skill: "LearnedSkill") -> str:
    meta = skill.meta
    triggers = meta.get("triggers")
    words = ", ".join(map(str, triggers)) if isinstance(triggers, list) else ""
    wrong = f"; unusable: {'; '.join(skill.errors)}" if skill.errors else ""
    about = f"{meta.get('name', 'unnamed')}: {meta.get('description', '')}"
    return f"{meta.get('id', '?')} ({skill.scope}) {about} [{words}] {skill.path}{wrong}"


_ALL = (
    Tool(
        "load_omc_skills_local",
        "Skills written down in this project.",
        list_local,
        ROOT,
        reads=True,
    ),
    Tool(
        "load_omc_skills_global", "Skills written down by this person.", list_personal, reads=True
    ),
    Tool(
        "list_omc_skills", "All skills; the project's hide a person's.", list_all, ROOT, reads=True
    ),
)
TOOLS = {tool.name: tool for tool in _ALL}

"""Skills written in earlier sessions, and ultrawork's own catalogue."""

from collections.abc import Sequence

from ...store.omc.skills import LearnedSkill
from ..call import ToolCall
from ..tool import Tool, take_text

NAME = {"name": take_text("name from the list, to read it in full")}
ROOT = {**NAME, "projectRoot": take_text("folder in the worktree")}


def list_local(call: ToolCall) -> str:
    """List the project's skills."""
    from ...store.omc import skills

    return _answer(call, skills.list_local(call.environment.omc(call["projectRoot"])), ours=False)


def list_personal(call: ToolCall) -> str:
    """List what this user has everywhere: their own skills, and ultrawork's."""
    from ...store.omc import skills

    return _answer(call, skills.list_personal(call.environment.person), ours=True)


def list_all(call: ToolCall) -> str:
    from ...store.omc import skills

    omc = call.environment.omc(call["projectRoot"])
    return _answer(call, skills.list_all(omc, call.environment.person), ours=True)


def _answer(call: ToolCall, learned: Sequence[LearnedSkill], *, ours: bool) -> str:
    """Return the list, or the named one."""
    name = call["name"]
    if name:
        return _load(str(name), learned, ours=ours)
    lines = [_line(learned_skill) for learned_skill in learned]
    if ours:
        from ...content import library
        from ...store.paths import find_root

        lines += library.list_lines(library.load(find_root()))
    return "\n".join(lines) or "no skills"


def _load(name: str, learned: Sequence[LearnedSkill], *, ours: bool) -> str:
    for learned_skill in learned:
        if name in (learned_skill.meta.get("id"), learned_skill.meta.get("name")):
            return learned_skill.content
    if not ours:
        from ...core.check import quote
        from ...core.errors import NotFound

        raise NotFound(f"no skill {quote(name)} in this project; call list_omc_skills to see all")
    from ...content import library
    from ...store.paths import find_root

    return library.find_page(name, find_root(), ()).text


def _line(skill: LearnedSkill) -> str:
    meta = skill.meta
    triggers = meta.get("triggers")
    words = ", ".join(map(str, triggers)) if isinstance(triggers, list) else ""
    wrong = f"; unusable: {'; '.join(skill.errors)}" if skill.errors else ""
    about = f"{meta.get('name', 'unnamed')}: {meta.get('description', '')}"
    return f"{meta.get('id', '?')} ({skill.scope}) {about} [{words}] {skill.path}{wrong}"


_ALL = (
    Tool("load_omc_skills_local", "List this project's skills, or read one.", list_local, ROOT, reads=True),
    Tool(
        "load_omc_skills_global",
        "List the user's skills and the built-in skills and agents, or read one.",
        list_personal,
        NAME,
        reads=True,
    ),
    Tool(
        "list_omc_skills",
        "List all skills and agents, or read one; the project's override the user's.",
        list_all,
        ROOT,
        reads=True,
    ),
)
TOOLS = {tool.name: tool for tool in _ALL}

"""Find checks that a goal names: `make links must pass` is a check of this session."""

from collections.abc import Sequence

from ...core.goal import goals
from ...core.verdict.gate import BUILD, FUNCTIONALITY, LINT, TEST, TYPES, Gate
from .candidate import Candidate, build_candidate, find_objection
from .folder import ProjectFolder
from .recipes.package import MANAGERS, make_script_argv
from .recipes.recipe import Recipe
from .shell import quote_words
from .trace import find_book, follow_recipe, follow_text

_BOOKS = ("make", "just", "npm")
# Wanting these to pass does not permit starting them.
_NEVER = (
    "deploy", "publish", "release", "install", "uninstall", "clean", "distclean", "push", "upload", "migrate",
    "seed", "reset", "run", "serve", "start", "dev", "watch", "format", "fmt", "fix", "update", "up", "down",
)  # fmt: skip


def find_named_gates(project: ProjectFolder, goal: str, standing: Sequence[Gate]) -> list[Gate]:
    """Return targets that the goal wants to pass, except those that another check runs."""
    if not goal:
        return []
    known = _list_recipes(project)
    chosen = goals.find_named_checks(goal, known)
    proposes = [_propose(project, known[name], standing) for name in chosen]
    return [candidate.gate for candidate in proposes if candidate is not None]


def _list_recipes(project: ProjectFolder) -> dict[str, Recipe]:
    """Return each way to call a target, as people write it."""
    recipes: dict[str, Recipe] = {}
    for tool in _BOOKS:
        book = find_book(project, tool)
        for name, recipe in book.recipes.items() if book else ():
            if name.lower() not in _NEVER and not name.lower().startswith(_NEVER[:3]):
                recipes |= dict.fromkeys(_list_calls(tool, name), recipe)
    return recipes


def _list_calls(tool: str, name: str) -> list[str]:
    if tool != "npm":
        return [f"{tool} {name}"]
    calls = [f"{manager} run {name}" for manager in sorted(MANAGERS)]
    calls += [f"{manager} {name}" for manager in ("pnpm", "yarn")]
    return calls + ([f"{manager} test" for manager in sorted(MANAGERS)] if name == "test" else [])


def _propose(project: ProjectFolder, recipe: Recipe, standing: Sequence[Gate]) -> Candidate | None:
    tool = recipe.book.tool
    argv = make_script_argv(project, recipe.name) if tool == "npm" else [tool, recipe.name]
    trace = follow_recipe(project, recipe)
    kinds = trace.kinds()
    kind = next((choice for choice in (TEST, LINT, TYPES, BUILD) if choice in kinds), FUNCTIONALITY)
    why = _is_run_by(project, recipe, standing) or find_objection(trace, recipe, kind)
    if why:
        project.leave_out(quote_words(argv), why)
        return None
    source = f"{recipe.file}:{recipe.line}"
    candidate = build_candidate(
        project, recipe.book.family, kind, argv, trace, source=source, reason=goals.NAMED_IN_GOAL
    )
    taken = {gate.name for gate in standing}
    name = recipe.name if recipe.name not in taken else f"{recipe.name}-{tool}"
    candidate.gate.name = name
    return candidate


def _is_run_by(project: ProjectFolder, recipe: Recipe, standing: Sequence[Gate]) -> str:
    key = (project.where, recipe.book.tool, recipe.name)
    for gate in standing:
        if key in follow_text(project, gate.command).recipes:
            return f"{gate.command} already runs it"
    return ""

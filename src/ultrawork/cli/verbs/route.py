"""`ultrawork route`: which tier of model a piece of work deserves, and why."""

from ...core.course import review_tier
from ...core.course.pipeline import Pipeline, StageMember
from ...core.errors import NotFound, UsageError
from ...core.routing import catalogue, routes
from ...core.routing.routes import COMPLEXITY, EFFORTS, Category, Route
from ...core.wording import count_things
from ...store import settings as stored
from ...store import tasks
from ..command import Command, Result
from ..environment import VerbEnvironment
from ..flags import NUMBER, SESSION, SWITCH, Args, Flag


def show(args: Args, env: VerbEnvironment) -> Result:
    if args.on("--review"):
        return _review(env)
    name = args.text("--task")
    words = env.read(" ".join(args.rest), "request")
    if not words and name is None:
        raise UsageError("say what is to be done, or name a task: ultrawork route --task ID")
    failures = args.number("--failures") or 0
    if name is not None:
        words, failures = _task(args, env, name)
    asked, given = args.text("--category") or "", _agent(args, env)
    found = routes.detect_category(words)
    who, why, _ = catalogue.choose_agent(words, kind=asked or (found.name if found else ""))
    route = routes.choose_route(
        words,
        agent=given or who,
        model=args.text("--model") or "",
        failures=failures,
        models=_models(env),
        category=asked,
    )
    kind = routes.choose_category(words, route.tier, asked)
    agent = {"name": given or who, "why": "it was named" if given else why}
    data = {**route.document(), "category": kind.document(), "agent": agent}
    return Result(data, render(route, kind, agent))


def _agent(args: Args, env: VerbEnvironment) -> str:
    """One that a pipeline could name here, too; a slip of the pen would choose a model for nobody."""
    from ...flow.stage_agents import resolve_agents

    name = args.text("--agent") or ""
    if name:
        resolve_agents(Pipeline([[StageMember(name)]], ""), env.place, env.environ)
    return name


def _task(args: Args, env: VerbEnvironment, name: str) -> tuple[str, int]:
    """A task's own words, and how often it was tried in vain."""
    task = tasks.get(env.store.database, env.session(args).id, name)
    return f"{task.subject}\n{task.description}", task.attempts


def _review(env: VerbEnvironment) -> Result:
    """Who should look over what is not committed yet: by its size, and by what it touches."""
    paths, lines, tested = _uncommitted(env)
    tier = review_tier.choose_for_files(paths, lines, tested=tested)
    word = review_tier.COMPLEXITY[tier]
    model = next(name for one, name in _models(env).items() if COMPLEXITY[one] == word)
    reasons = [
        f"{count_things(len(paths), 'file')}, {count_things(lines, 'line')}",
        *(f"security: {path}" for path in paths if review_tier.is_sensitive(path)),
        *(f"shapes other files: {path}" for path in paths if review_tier.is_architectural(path)),
        "tests were changed with it" if tested else "no test was changed with it",
    ]
    document = {
        "tier": tier,
        "model": model,
        "reasons": reasons,
        "files": len(paths),
        "lines": lines,
    }
    told = "\n".join(f"  because  {reason}" for reason in reasons)
    return Result(document, f"{model} ({tier})\n{told}")


def _uncommitted(env: VerbEnvironment) -> tuple[list[str], int, bool]:
    """The changed paths, the number of changed lines, and whether a test is among them."""
    from ...gates.testcode import files
    from ...gates.trees import tree
    from ...system.git import Git

    cache = env.store.home.cache
    base = Git(env.place, env.environ).tree_id("HEAD")
    if base is None:
        raise NotFound("there is no commit here to compare with; commit once, then ask again")
    before = tree.get_recorded(base, env.place, cache, env.environ)
    changes = tree.diff(before, tree.take_snapshot(env.place, cache, env.environ))
    if not changes:
        raise NotFound("nothing has changed since the last commit; there is nothing to look over")
    paths = [one.path for one in changes]
    lines = sum(one.added + one.removed for one in changes)
    return paths, lines, any(files.is_test_path(path) for path in paths)


def _models(env: VerbEnvironment) -> dict[str, str]:
    found = stored.load_at(env.environ, env.store.home, env.place)
    return {tier: str(found[f"models.{word}"]) for tier, word in COMPLEXITY.items()}


def render(route: Route, kind: Category, agent: dict[str, str]) -> str:
    seen = [
        name if value is True else f"{name} {value}"
        for name, value in route.signals.items()
        if value not in (False, 0, "none", "generic", "easy", "local")
    ]
    return "\n".join(
        [
            f"{route.model} ({route.tier}, confidence {route.confidence:g})",
            *(f"  because  {reason}" for reason in route.reasons),
            f"  rule     {route.rule}; score {route.score}",
            f"  seen     {', '.join(seen)}",
            f"  kind     {kind.name}: {kind.effort} effort, {EFFORTS[kind.effort]:,} tokens of thinking",
            *([f"  agent    {agent['name']}: {agent['why']}"] if agent["name"] else []),
        ]
    )


COMMANDS = (
    Command(
        "",
        "Choose a model for a piece of work, and say why",
        show,
        flags=(
            SESSION,
            Flag("--task", "a task of a session instead of words", metavar="ID"),
            Flag("--agent", "who would do it", metavar="NAME"),
            Flag("--model", "a model that was asked for; it always stands", metavar="NAME"),
            Flag(
                "--category", "a kind of work that was asked for: quick, writing …", metavar="NAME"
            ),
            Flag("--failures", "how often it was tried in vain", kind=NUMBER),
            Flag("--review", "who should look over what is not committed", kind=SWITCH),
        ),
        rest="[WORDS]",
        example='ultrawork route "find the config file"',
    ),
)

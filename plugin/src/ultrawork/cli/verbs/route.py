"""`ultrawork route`: which tier of model a piece of work deserves, and why."""

from dataclasses import dataclass

from ...core import check, registry
from ...core.course import judges
from ...core.errors import NotFound, UsageError
from ...core.modes.modes import PIPELINE
from ...core.routing import catalogue, routes
from ...core.routing.routes import COMPLEXITY, EFFORTS, Category, Route
from ...core.wording import count_things
from ...gates.testcode import files
from ...gates.trees import tree
from ...store import tasks
from ...system.git import FileChange, Git
from ..command import Command, Result
from ..environment import NUMBER, SESSION, Args, Flag, VerbEnvironment, switch


def show(args: Args, env: VerbEnvironment) -> Result:
    if args.on("--review"):
        return _review(args, env)
    name = args.text("--task")
    words = env.read(" ".join(args.rest), "request")
    if not words and name is None:
        raise UsageError("describe the work, or name a task: ultrawork route --task ID")
    failures = args.number("--failures") or 0
    if name is not None:
        words, failures = _task(args, env, name)
    category, given = args.text("--category") or "", _agent(args, env)
    match = routes.detect_category(words)
    who, why, _ = catalogue.choose_agent(words, kind=category or (match.name if match else ""))
    route = routes.choose_route(
        words,
        agent=given or who,
        model=args.text("--model") or "",
        failures=failures,
        models=_models(env),
        category=category,
    )
    kind = routes.choose_category(words, route.tier, category)
    agent = {"name": given or who, "why": "requested by name" if given else why}
    data = {**route.document(), "category": kind.document(), "agent": agent}
    return Result(data, render(route, kind, agent))


def _agent(args: Args, env: VerbEnvironment) -> str:
    """Return an agent, including those that a pipeline could name here; a typo is an error."""
    name = args.text("--agent") or ""
    if name:
        registry.ask(PIPELINE, "require_agent")(name, env.place, env.environ)
    return name


def _task(args: Args, env: VerbEnvironment, name: str) -> tuple[str, int]:
    """Return a task's own words, and how often it failed."""
    task = tasks.get(env.store.database, env.session(args).id, name)
    return f"{task.subject}\n{task.description}", task.attempts


# Where reviewers without a shell read the change; inside the checkout, so that no permission is needed.
REVIEWED = ".omc/state/review.diff"
_FLAGS = ("--no-ext-diff", "--no-textconv", "--no-color", "-M")


def _review(args: Args, env: VerbEnvironment) -> Result:
    """Return who should review a change, by its size and content. Its diff is written where they can read it."""
    change = _find_change(env, " ".join(args.rest))
    paths, lines = [file.path for file in change.files], change.lines
    tier = judges.choose_for_files(paths, lines, tested=change.tested)
    word = judges.COMPLEXITY[tier]
    model = next(name for level, name in _models(env).items() if COMPLEXITY[level] == word)
    reasons = [
        f"{count_things(len(paths), 'file')}, {count_things(lines, 'line')}",
        *(f"security: {path}" for path in paths if judges.is_sensitive(path)),
        *(f"affects other files: {path}" for path in paths if judges.is_architectural(path)),
        "tests changed with it" if change.tested else "no test changed with it",
    ]
    env.omc.change(f"{env.omc.top}/{REVIEWED}", lambda _: change.text)
    document = {
        "tier": tier,
        "model": model,
        "reasons": reasons,
        "files": len(paths),
        "lines": lines,
        "range": change.range,
        "diff": REVIEWED,
    }
    explanation = "\n".join(f"  because  {reason}" for reason in reasons)
    where = f"  range    {change.range}\n  diff     {REVIEWED}"
    return Result(document, f"{model} ({tier})\n{explanation}\n{where}")


@dataclass(slots=True)
class ReviewedChange:
    """The change to review, as a git range and as text."""

    range: str
    files: list[FileChange]
    text: str

    @property
    def lines(self) -> int:
        return sum(file.added + file.removed for file in self.files)

    @property
    def tested(self) -> bool:
        return any(files.is_test_path(file.path) for file in self.files)


def _find_change(env: VerbEnvironment, given: str) -> ReviewedChange:
    """Return the given range, else uncommitted changes, else this branch against its origin."""
    git = Git(env.place, env.environ)
    if git.tree_id("HEAD") is None:
        raise NotFound("this repository has no commits to compare with; commit once, then try again")
    reviewed_change = _compare(env, git, given or "HEAD")
    if not reviewed_change.files and not given:
        start = git.merge_base(git.upstream() or "origin/HEAD", "HEAD")
        reviewed_change = _compare(env, git, f"{start}..HEAD") if start else reviewed_change
    if not reviewed_change.files:
        raise NotFound(f"nothing changed in {reviewed_change.range}, so there is nothing to review")
    return reviewed_change


def _compare(env: VerbEnvironment, git: Git, given: str) -> ReviewedChange:
    start, dots, end = given.partition("..")
    cache = env.store.home.cache
    ids = [git.tree_id(name) for name in (start, *([end or "HEAD"] if dots else []))]
    if None in ids:
        raise UsageError(f"{check.quote(given)} is not a range of commits here; try main..HEAD")
    before = tree.get_recorded(str(ids[0]), env.place, cache, env.environ)
    if dots:
        after = tree.get_recorded(str(ids[1]), env.place, cache, env.environ)
    else:
        after = tree.take_snapshot(env.place, cache, env.environ)
    text = after.ask(["diff", *_FLAGS, before.id, after.id]).decode("utf-8", "replace")
    shown = given if dots else f"{given}..working tree"
    return ReviewedChange(shown, tree.diff(before, after), text)


def _models(env: VerbEnvironment) -> dict[str, str]:
    settings = env.read_settings()
    return {tier: str(settings[f"models.{word}"]) for tier, word in COMPLEXITY.items()}


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
        "With --review: choose the reviewers of a change",
        show,
        flags=(
            SESSION,
            Flag("--task", "route a task of a session instead of words", metavar="ID"),
            Flag("--agent", "the agent that would do it", metavar="NAME"),
            Flag("--model", "the requested model; it is always used", metavar="NAME"),
            Flag("--category", "the requested kind of work: quick, writing ...", metavar="NAME"),
            Flag("--failures", "number of failed attempts", kind=NUMBER),
            switch("--review", "choose reviewers of RANGE or of uncommitted changes"),
        ),
        rest="[WORDS | RANGE]",
        example='ultrawork route "find the config file"\nultrawork route --review main..HEAD',
    ),
)

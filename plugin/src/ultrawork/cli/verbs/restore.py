"""`ultrawork restore`: restore work that a session destroyed, or the files of the last PASS."""

from ...core import errors
from ...core.course.chain import LostFile
from ...core.errors import NotFound, UsageError
from ...core.wording import count_things, join_lines, name_some
from ...gates.session import restoration
from ...gates.session.restoration import LEAVE, RestoreStep
from ...gates.trees import tree as trees
from ...store import receipts
from ..command import Command, Result
from ..environment import SESSION, Args, VerbEnvironment, switch

_ALL, _LAST_GREEN, _YES = "--all", "--last-green", "--yes"


def restore(args: Args, env: VerbEnvironment) -> Result:
    if args.on(_LAST_GREEN):
        if args.rest or args.on(_ALL):
            raise UsageError("--last-green restores every file; remove the paths")
        return _restore_last_green(args, env)
    session = env.session(args)
    lost = restoration.open_lost(env.store, env.environ, session)
    lost_files = lost.find()
    if not args.rest and not args.on(_ALL):
        return _list(lost_files)
    wanted = lost_files if args.on(_ALL) else [_find(lost_files, path) for path in args.rest]
    if not wanted:
        return Result({"restored": []}, "no work of yours is missing")
    steps = restoration.plan_lost(lost, wanted, env.store, env.environ)
    return _apply(args, env, steps, session.working_dir)


def _list(lost_files: list[LostFile]) -> Result:
    data = {
        "lost": [{"path": lost_file.path, "kind": lost_file.kind, "held": lost_file.held} for lost_file in lost_files]
    }
    if not lost_files:
        return Result(data, "no work of yours is missing")
    rows = [
        f"{lost_file.kind:<8} {join_lines(lost_file.path)}{'' if lost_file.held else '  (not kept)'}"
        for lost_file in lost_files
    ]
    return Result(data, "\n".join([*rows, "Restore: ultrawork restore --all"]))


def _find(lost_files: list[LostFile], path: str) -> LostFile:
    plain = path.removeprefix("./")
    for lost_file in lost_files:
        if lost_file.path == plain:
            return lost_file
    raise NotFound(f"nothing of {path} is missing; list what is: ultrawork restore")


def _restore_last_green(args: Args, env: VerbEnvironment) -> Result:
    wanted = receipts.find_last_pass(env.store.database, env.place)
    if wanted is None:
        raise NotFound("no PASS in this checkout yet; run ultrawork verify")
    cache = env.store.home.cache
    now = trees.take_snapshot(env.place, cache, env.environ)
    green = trees.get_recorded(wanted, env.place, cache, env.environ)
    steps = restoration.plan_tree(now, green)
    if not steps:
        return Result({"restored": []}, "the files are already those of the last PASS")
    return _apply(args, env, steps, now.root)


def _apply(args: Args, env: VerbEnvironment, steps: list[RestoreStep], root: str) -> Result:
    way = "in a script, add --yes"
    shown = [join_lines(step.line) for step in steps]
    if not args.on(_YES) and not env.has_yes(shown, "Restore these?", way):
        return Result({"restored": []}, "nothing was restored")
    kept = restoration.apply_steps(steps, root, env.store.home, env.environ)
    done = [step.path for step in steps if step.action != LEAVE]
    paths = [step.path for step in steps if step.action == LEAVE]
    lines = [*shown, f"restored {count_things(len(done), 'path')}"]
    lines += [f"replaced files were saved to {kept}"] if kept and done else []
    lines += [f"merge by hand: your version of {name_some(paths)} was saved to {kept}"] if kept and paths else []
    return Result(
        {"restored": done, "left": paths, "kept": kept or None},
        "\n".join(lines),
        exit=errors.EXIT_CONFLICT if paths else errors.EXIT_DONE,
    )


COMMANDS = (
    Command(
        "",
        "Without a path, list lost work. Files that get replaced are saved first",
        restore,
        flags=(
            switch(_ALL, "restore everything that is missing"),
            switch(_LAST_GREEN, "restore every file as it was at the last PASS"),
            switch(_YES, "do not ask"),
            SESSION,
        ),
        rest="[PATH…]",
        example="ultrawork restore notes.py\nultrawork restore --last-green",
    ),
)

"""`ultrawork gates`: the checks that decide: what was found, where, why, and how to change it."""

from ...core.check import quote
from ...core.errors import NotFound
from ...gates.find import explanation
from ...gates.session import draft as drafts
from ...gates.session import preparation, trial
from ..command import Command, Result
from ..environment import Args, VerbEnvironment, switch


def list_(_args: Args, env: VerbEnvironment) -> Result:
    listing = preparation.read(env.store, env.environ, env.place, whole=env.json)
    return Result(listing.document(), listing.text())


def allow(args: Args, env: VerbEnvironment) -> Result:
    """Record the user's consent that a hook may run a check in this checkout."""
    terminal = env.require_person("can allow checks", "in the client, type: ulw gates allow")
    gates = preparation.read(env.store, env.environ, env.place, whole=True).list_all()
    chosen = [gate for gate in gates if not args.rest or gate.name in args.rest]
    missing = [name for name in args.rest if name not in [gate.name for gate in gates]]
    if missing or not chosen:
        subject = f"no check {quote(missing[0])}" if missing else "no check"
        raise NotFound(f"{subject} was found here; list them: ultrawork gates")
    commands = [gate.command for gate in chosen]
    how = f"ultrawork gates allow at {terminal}"
    preparation.allow_commands(env.store, env.place, commands, how=how)
    return Result({"allowed": commands}, "\n".join(f"allowed here: {command}" for command in commands))


def deny(_args: Args, env: VerbEnvironment) -> Result:
    """Record that hooks start no check here."""
    env.require_person("can deny checks", "in the client, type: ulw gates deny")
    preparation.deny_all(env.store, env.place)
    return Result({"denied": True}, "hooks will not run checks here; to allow them again: ultrawork gates allow")


def try_(args: Args, env: VerbEnvironment) -> Result:
    """Plants a small fault in a scratch copy: a gate that stays green is blind to it."""
    answer = trial.try_gates(env.store, env.environ, env.place, args.rest)
    return Result(answer.document(), answer.text(), exit=answer.exit)


def prepare(args: Args, env: VerbEnvironment) -> Result:
    """Run the install commands of the project's own package managers, after confirmation."""
    gates = preparation.read(env.store, env.environ, env.place).gates
    needed = preparation.list_needed(env.place, gates)
    if not needed:
        raise NotFound("nothing to install: found no manifest of a known package manager")
    shown = [install.describe() for install in needed]
    way = "in a script, run: ultrawork gates prepare --yes"
    if not args.on("--yes") and not env.has_yes(shown, "Run this?", way):
        return Result({"prepared": []}, "nothing was run")
    steps = preparation.run_steps(env.store, env.environ, env.place, needed)
    return Result(
        {"prepared": [step.document() for step in steps]},
        "\n".join(step.line for step in steps),
        exit=preparation.find_exit(steps),
    )


def draft(args: Args, env: VerbEnvironment) -> Result:
    """Draft a first check in the project's language, shown or written."""
    gates = preparation.list_gates(env.store, env.environ, env.place)
    made = drafts.make_draft(env.place, gates, env.environ)
    if not args.on("--write"):
        return Result({**made.document(), "written": []}, made.render("ultrawork gates draft --write"))
    written = drafts.write_draft(env.place, made)
    return Result({**made.document(), "written": written}, drafts.tell_written(written))


def explain(args: Args, env: VerbEnvironment) -> Result:
    """Show what is known about a toolchain, and from which file."""
    return Result(*explanation.explain_toolchains(env.place, args.rest))


COMMANDS = (
    Command("", "List the checks of this project", list_, example="ultrawork gates"),
    Command("list", "List the checks of this project", list_, example="ultrawork gates list"),
    Command(
        "allow",
        "Allow hooks to run these checks in this checkout",
        allow,
        rest="[NAME...]",
        example="ultrawork gates allow test",
    ),
    Command("deny", "Forbid hooks to run checks in this checkout", deny, example="ultrawork gates deny"),
    Command(
        "draft",
        "Draft a first check and a test for a project without one",
        draft,
        flags=(switch("--write", "write ultrawork.toml and the test"),),
        example="ultrawork gates draft --write",
    ),
    Command(
        "explain",
        "Show what is known about a toolchain and where that is written",
        explain,
        rest="[NAME...]",
        example="ultrawork gates explain pytest",
    ),
    Command(
        "try",
        "Plant a bug in a copy and see whether a check notices it",
        try_,
        rest="[NAME...]",
        example="ultrawork gates try test",
    ),
    Command(
        "prepare",
        "Install what the checks need, after asking",
        prepare,
        flags=(switch("--yes", "do not ask"),),
        example="ultrawork gates prepare",
    ),
)

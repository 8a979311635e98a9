"""`ultrawork install`: puts the program on the PATH and into clients; shows each change first, and records it."""

from ...clients import find, installation
from ...clients.installation import InstallStep
from ...core.check import require_choice
from ...core.errors import UsageError
from ...store.omc import features
from ...store.paths import find_root
from ..command import Command, Result, split_list
from ..environment import MANY, Args, Flag, VerbEnvironment, switch
from ..migration import list_findings

_WAY = "in a script: ultrawork install --yes"
_FEATURES = "features"
_ALL = "all"


def install(args: Args, env: VerbEnvironment) -> Result:
    """Install; nothing changes that was not shown, or that is not recorded for `uninstall`."""
    steps, notes = _list_steps(args, env), _list_notes(args, env)
    findings = [finding.line for finding in list_findings(env)]
    if not steps:
        text = "\n".join(["Nothing to do: ultrawork is on your PATH already.", *notes, *findings])
        return Result({"changes": [], "notes": notes}, text)
    shown = [step.says for step in steps]
    if not args.on("--yes") and not env.has_yes(shown, "Make these changes?", _WAY):
        return Result({"changes": []}, "nothing was changed")
    made = [change for step in steps for change in step.carry_out(env.store.home)]
    lines = [f"done: {line}" for line in shown]
    undo = "To take it back: ultrawork uninstall"
    data = {"steps": shown, "changes": [recorded_change.path for recorded_change in made], "notes": notes}
    return Result(data, "\n".join([*lines, *notes, *findings, undo]))


def _list_steps(args: Args, env: VerbEnvironment) -> list[InstallStep]:
    clients = dict.fromkeys(client for text in args.many("--client") for client in split_list(text))
    for name in clients:
        require_choice(name, find.NAMES, "value for --client")
    steps = installation.list_link_steps(env.environ)
    if args.on("--statusline"):
        program = f"{find_root()}/bin/ultrawork"
        steps += installation.list_statusline_steps(env.environ, program)
    for name in clients:
        steps += installation.list_client_steps(name, env.environ)
    named = args.text("--features")
    return steps + ([_make_features_step(env, named)] if named is not None else [])


def _make_features_step(env: VerbEnvironment, named: str) -> InstallStep:
    names = [] if named == _ALL else split_list(named)
    if not names and named != _ALL:
        raise UsageError("--features is empty; name some, or say --features all")
    for name in names:
        require_choice(name.partition("=")[0], features.ALL, "feature")
    omc = env.omc
    watched = (omc.root, f"{env.place}/.git/info/exclude")

    def switch() -> None:
        features.switch_on(env.store.home, omc, names)

    says = f"turn on project features in {env.place}: {', '.join(names) or 'all'}"
    return InstallStep(_FEATURES, says, watched, switch)


def _list_notes(args: Args, env: VerbEnvironment) -> list[str]:
    notes = []
    if not installation.is_link_folder_on_path(env.environ) and installation.list_link_steps(env.environ):
        folder = installation.find_link_folder(env.environ)
        notes.append(f'{folder} is not on your PATH; add it: export PATH="{folder}:$PATH"')
    for name in dict.fromkeys(args.many("--client")):
        plan = find.get_client(name).plan_install(env.environ, find_root()) if name in find.NAMES else None
        notes += [plan.note] if plan and plan.note else []
    if not args.on("--statusline"):
        notes.append("To see its state in the client's status line: ultrawork install --statusline")
    return notes


COMMANDS = (
    Command(
        "",
        "Shows each change before making it",
        install,
        flags=(
            Flag("--client", "also install into this client", kind=MANY, metavar="|".join(find.NAMES)),
            switch("--statusline", "show our state in the client's status line, after yours"),
            Flag("--features", "enable these project features, separated by commas, or all", metavar="NAMES"),
            switch("--yes", "do not ask"),
        ),
        example="ultrawork install\nultrawork install --client claude --statusline",
    ),
)

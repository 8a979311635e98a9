"""`ultrawork worker`: this machine works on tasks of others, those of a team here or of runs over many machines."""

import sys
from collections.abc import Callable

from ...core.check import parse_duration, require_task_id
from ...core.errors import UsageError
from ...core.registry import ask
from ..command import Command, Result, split_list
from ..environment import MANY, NUMBER, Args, Flag, VerbEnvironment, switch


def work(args: Args, env: VerbEnvironment) -> Result:
    """Work for a cluster; by default the one in the settings."""
    for flag, transport in TRANSPORTS.items():
        if args.text(flag):
            return transport(args, env)
    if not str(env.read_settings(env.cwd)["cluster.temporal"]):
        raise UsageError("name where tasks come from: --team NAME or --temporal HOST:PORT")
    return _work_for_cluster(args, env)


def _work_for_cluster(args: Args, env: VerbEnvironment) -> Result:
    # A team needs nothing that a cluster loads.
    from ...cluster.place import ClusterPlace, name_host, require_address, require_remote
    from ...cluster.service import WorkerWishes, serve_machine
    from ...cluster.worker import DRAIN

    settings = env.read_settings(env.cwd)
    remotes = args.many("--remote") or [str(settings["cluster.remote"])]
    host = args.text("--host") or name_host(env.environ)
    labels = split_list(args.text("--labels"))
    account = args.text("--account") or str(settings["cluster.account"])
    for name in (host, *labels, *([account] if account else [])):
        require_task_id(name)
    drain = args.text("--drain")
    wishes = WorkerWishes(
        host=host,
        place=ClusterPlace(
            address=require_address(args.text("--temporal") or str(settings["cluster.temporal"])),
            namespace=args.text("--namespace") or str(settings["cluster.namespace"]),
            remote=remotes[0],
            lease=float(settings["cluster.lease"]),
        ),
        remotes=[require_remote(remote) for remote in remotes],
        slots=args.number("--slots", low=1, high=256) or 4,
        labels=labels,
        backend=args.text("--backend") or str(settings["run.backend"]),
        tools=settings["cluster.tools"],
        account=account,
        drain=parse_duration(drain, "time for --drain") if drain else DRAIN,
    )
    serve_machine(wishes, env.store.home, env.environ, _say)
    return Result({"host": host})


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def _of_team(question: str) -> Callable[[Args, VerbEnvironment], Result]:
    """Return a verb that calls the team feature, loaded on use."""

    def run(args: Args, env: VerbEnvironment) -> Result:
        result: Result = ask("swarm", question)(args, env)
        return result

    return run


TRANSPORTS = {"--team": _of_team("work_in_team"), "--temporal": _work_for_cluster}

_TEAM = Flag("--team", "the team's name", metavar="NAME", required=True)
_ONE = Flag("--worker", "only this worker (default: all of the team)", metavar="NAME")
COMMANDS = (
    Command(
        "",
        "Work on a team's tasks, or for a cluster until SIGTERM",
        work,
        flags=(
            Flag("--team", "name of the team", metavar="NAME"),
            Flag("--backend", "agent CLI to use; it must be installed", metavar="NAME"),
            Flag("--workers", "one process per agent, such as claude:1,codex:2", metavar="CREW"),
            Flag("--name", "name of this worker", metavar="NAME"),
            Flag("--allow", "globs of files it may change", kind=MANY, metavar="GLOBS"),
            Flag("--deny", "globs of files it must not change", kind=MANY, metavar="GLOBS"),
            switch("--stay", "wait for more tasks when all are done"),
            Flag("--drain", "how long agents may continue after SIGTERM (5m)", metavar="TIME"),
            Flag("--temporal", "address of the cluster's Temporal server", metavar="HOST:PORT"),
            Flag("--namespace", "Temporal namespace", metavar="NAME"),
            Flag("--remote", "git remote to serve", kind=MANY, metavar="URL"),
            Flag("--slots", "run at most N attempts at a time (4)", kind=NUMBER),
            Flag("--labels", "what this machine offers, such as gpu,linux", metavar="NAMES"),
            Flag("--host", "name of this machine", metavar="NAME"),
            Flag("--account", "account of its agents (default: from their login)", metavar="NAME"),
        ),
        example="ultrawork worker --team port --workers claude:1,codex:1,gemini:1",
    ),
    Command(
        "status",
        "List a team's workers and when they were last active",
        _of_team("show_workers"),
        flags=(_TEAM,),
        example="ultrawork worker status --team port",
    ),
    Command(
        "tell",
        "Send a message that workers read with their next task",
        _of_team("tell_workers"),
        flags=(_TEAM, _ONE),
        rest="TEXT",
        example='ultrawork worker tell --team port "keep the old names"',
    ),
    Command(
        "drain",
        "Let workers finish their current task, then exit",
        _of_team("drain_workers"),
        flags=(_TEAM, _ONE),
        example="ultrawork worker drain --team port --worker codex-1",
    ),
    Command(
        "stop",
        "Stop workers now; their tasks become available again",
        _of_team("stop_workers"),
        flags=(_TEAM, _ONE),
        example="ultrawork worker stop --team port",
    ),
)

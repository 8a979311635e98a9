"""`ultrawork worker`: this machine takes attempts of runs that go over many machines."""

import sys

from ...cluster.place import ClusterPlace, name_host, require_address, require_remote
from ...cluster.service import WorkerWishes, serve_machine
from ...cluster.worker import DRAIN
from ...core.check import parse_duration, require_task_id
from ...store.settings import load_at
from ..command import Command, Result, split_list
from ..environment import VerbEnvironment
from ..flags import MANY, NUMBER, Args, Flag


def work(args: Args, env: VerbEnvironment) -> Result:
    settings = load_at(env.environ, env.store.home, env.cwd)
    remotes = args.many("--remote") or [str(settings["cluster.remote"])]
    host = args.text("--host") or name_host(env.environ)
    labels = split_list(args.text("--labels"))
    for name in (host, *labels):
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
        remotes=[require_remote(one) for one in remotes],
        slots=args.number("--slots", low=1, high=256) or 4,
        labels=labels,
        backend=args.text("--backend") or str(settings["run.backend"]),
        tools=settings["cluster.tools"],
        drain=parse_duration(drain, "time for --drain") if drain else DRAIN,
    )
    serve_machine(wishes, env.store.home, env.environ, _say)
    return Result({"host": host})


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


COMMANDS = (
    Command(
        "",
        "Take attempts of runs that go over many machines, until SIGTERM; keys come from the environment",
        work,
        flags=(
            Flag("--temporal", "where the Temporal server is", metavar="HOST:PORT"),
            Flag("--namespace", "the namespace there", metavar="NAME"),
            Flag("--remote", "a git remote that is served", kind=MANY, metavar="URL"),
            Flag("--slots", "attempts at the same time (4)", kind=NUMBER),
            Flag("--labels", "what this machine can, such as gpu,linux", metavar="NAMES"),
            Flag("--host", "what this machine is called", metavar="NAME"),
            Flag("--backend", "the agent program that must be there", metavar="NAME"),
            Flag("--drain", "how long agents may go on after a SIGTERM (5m)", metavar="TIME"),
        ),
        example="ultrawork worker --temporal temporal.example.org:7233 --slots 4 --labels gpu,linux",
    ),
)

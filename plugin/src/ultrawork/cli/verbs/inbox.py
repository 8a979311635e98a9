"""`ultrawork inbox`: list what needs the user, in all projects on this machine."""

from ...flow.answers import mark_results_seen
from ...report import inbox as report
from ...report import summary
from ..command import Command, Result
from ..environment import Args, VerbEnvironment, switch


def show(args: Args, env: VerbEnvironment) -> Result:
    summary.ask_clients(env.store, env.environ)
    items = report.read_inbox(env.store)
    data = {"blocking": report.count_blocking(items), "items": [item.document() for item in items]}
    if args.on("--seen"):
        data["seen"] = mark_results_seen(env.store, items)
    return Result(data, report.render(items, env.store.now()))


COMMANDS = (
    Command(
        "",
        "What blocks you comes first, then what failed, is done, or is running",
        show,
        flags=(switch("--seen", "mark failed and finished items as seen, so they are not listed again"),),
        example="ultrawork inbox\nultrawork inbox --seen",
    ),
)

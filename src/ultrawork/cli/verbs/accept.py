"""`ultrawork accept REASON`: the person takes the open findings as they are."""

from ...core import check
from ...core.errors import Conflict
from ...store import ending
from ..command import Command, Result
from ..environment import AGENT, VerbEnvironment
from ..flags import SESSION, Args


def accept(args: Args, env: VerbEnvironment) -> Result:
    if env.store.actor == AGENT:
        raise Conflict("only the person accepts findings: type ulw accept REASON in the client")
    reason = check.clean_text(" ".join(args.rest), "reason", 500)
    document = ending.accept(env.store, env.session(args).id, reason)
    count = len(document["accepted"])
    return Result(document, f"{document['verdict']}: {count} finding(s) accepted by you: {reason}")


COMMANDS = (
    Command(
        "",
        "Take the open findings as they are, with a reason",
        accept,
        rest="REASON",
        flags=(SESSION,),
        example='ultrawork accept "the failing test needs a licence we do not have here"',
    ),
)

"""`ultrawork accept REASON`: the person takes the open findings as they are, or allows a test to be changed."""

from ...core import check
from ...core.wording import count_things
from ...store import ending
from ..command import Command, Result
from ..environment import VerbEnvironment
from ..flags import SESSION, Args


def accept(args: Args, env: VerbEnvironment) -> Result:
    terminal = env.require_person("accepts findings", "in the client: ulw accept REASON")
    reason = check.clean_text(" ".join(args.rest), "reason", 500)
    session = env.shown_session(args, checkouts=True).id
    test = ending.allow_test(env.store, session, reason)
    if test:
        return Result({"test": test}, f"test {test} may be changed in session {session[:8]}")
    document = ending.accept(env.store, session, reason, where=terminal)
    count = len(document["accepted"])
    return Result(
        document,
        f"{document['verdict']}: {count_things(count, 'finding')} accepted by you: {reason}",
    )


COMMANDS = (
    Command(
        "",
        "Take the open findings as they are, with a reason; `test NAME` allows one test to be changed",
        accept,
        rest="REASON",
        flags=(SESSION,),
        example='ultrawork accept "the failing test needs a licence we do not have here"',
    ),
)

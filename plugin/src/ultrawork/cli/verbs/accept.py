"""`ultrawork accept REASON`: accept the open findings, or allow a test to be changed."""

from ...core.wording import count_things
from ...store import ending
from ..command import Command, Result
from ..environment import SESSION, Args, VerbEnvironment


def accept(args: Args, env: VerbEnvironment) -> Result:
    terminal = env.require_person("can accept findings", "in the client, type: ulw accept <reason>")
    reason = ending.clean_reason(" ".join(args.rest))
    session = env.shown_session(args, checkouts=True).id
    test = ending.allow_test(env.store, session, reason)
    if test:
        return Result({"test": test}, f"the agent is now allowed to change {test} in session {session[:8]}")
    document = ending.accept(env.store, session, reason, where=terminal)
    count = len(document["accepted"])
    return Result(document, f"{document['verdict']}: {count_things(count, 'finding')} accepted by you: {reason}")


COMMANDS = (
    Command(
        "",
        "With `test NAME`, allow the agent to change that one test",
        accept,
        rest="REASON",
        flags=(SESSION,),
        example='ultrawork accept "the test needs a license we do not have"\nultrawork accept test test_total',
    ),
)

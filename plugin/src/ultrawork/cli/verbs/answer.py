"""`ultrawork answer ID WORDS`: answers a question of the inbox; each is answered once."""

from ...core import check
from ...core.errors import UsageError
from ...flow.answers import answer_item
from ...report.inbox import find_item
from ..command import Command, Result
from ..environment import Args, VerbEnvironment


def answer(args: Args, env: VerbEnvironment) -> Result:
    if not args.rest:
        raise UsageError("name a question and the answer: ultrawork answer ID approve. List them: ultrawork inbox")
    terminal = env.require_person("can answer", "run it there")
    item = find_item(env.store, args.rest[0])
    words = " ".join(args.rest[1:])
    given, text = answer_item(
        env.store, item, check.clean_text(words, "answer", 500) if words.strip() else "", terminal
    )
    return Result({"id": item.id, "session_id": item.row.session.id, "answer": given}, text)


COMMANDS = (
    Command(
        "",
        "Each question can be answered once",
        answer,
        rest="ID ANSWER",
        example='ultrawork answer 7f3a51c2-91ab approve\nultrawork answer 7f3a51c2-91ab "use two tables"',
    ),
)

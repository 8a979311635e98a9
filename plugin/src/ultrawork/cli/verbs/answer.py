"""`ultrawork answer ID WORDS`: answers a question of the inbox; each is answered once."""

from ...core import check
from ...core.errors import Conflict, UsageError
from ...core.state import ENGINE
from ...flow import answers
from ...report import inbox as report
from ...report.inbox import InboxItem
from ...store import ending
from ...store import inbox as stored
from ..command import Command, Result
from ..environment import VerbEnvironment
from ..flags import Args

_ACCEPT, _DENY = "accept", "deny"


def answer(args: Args, env: VerbEnvironment) -> Result:
    if not args.rest:
        raise UsageError(
            "name a question and the answer: ultrawork answer ID approve; list them: ultrawork inbox"
        )
    terminal = env.require_person("can answer", "run it there")
    item = report.find_item(env.store, args.rest[0])
    words = check.clean_text(" ".join(args.rest[1:]) or "?", "answer", 500)
    given, text = _ANSWERS[item.kind](env, item, words, terminal)
    data = {"id": item.id, "session_id": item.row.session.id, "answer": given}
    return Result(data, text)


def _answer_plan(
    env: VerbEnvironment, item: InboxItem, words: str, terminal: str
) -> tuple[str, str]:
    """One of the options, by its number or its first letters; any other words ask for a different plan."""
    chosen = _match(words, item.options) or words
    if words == "?":
        raise UsageError(f"{item.question} Answer with one of: {', '.join(item.options)}")
    _take(env, item, chosen, terminal)
    name = item.row.session.id
    if answers.is_wish(item.question, chosen):
        answers.send_back(env.store, name, chosen)
    else:
        answers.record(env.store, name, item.question, chosen, terminal)
    return chosen, f"answered: {chosen}. {_tell_next(item)}"


def _match(words: str, options: tuple[str, ...]) -> str:
    lower = words.lower()
    found = [
        option
        for number, option in enumerate(options, 1)
        if lower == str(number) or option.lower().startswith(lower)
    ]
    return found[0] if len(found) == 1 else ""


def _tell_next(item: InboxItem) -> str:
    driver = item.row.driver
    if driver.kind == ENGINE and not driver.is_alive:
        return f"Continue: ultrawork resume --session {item.row.id}"
    return "The session continues with its next step."


def _answer_test(
    env: VerbEnvironment, item: InboxItem, words: str, terminal: str
) -> tuple[str, str]:
    verb, _, reason = words.partition(" ")
    chosen = _match(verb, item.options)
    if not chosen:
        raise UsageError(f"is {item.test} wrong? Answer accept, or deny with a reason")
    _take(env, item, words if chosen == _DENY else chosen, terminal)
    name = item.row.session.id
    if chosen == _ACCEPT:
        ending.allow_test(env.store, name, f"test `{item.test}`")
        return (
            chosen,
            f"{item.test} can be changed. To continue, type in the client: ulw fix {item.test}",
        )
    with env.store.change(name) as change:
        stored.deny_test(change, item.test, reason)
    return (
        chosen,
        f"{item.test} stays as it is. To continue, type in the client: ulw make {item.test} pass",
    )


def _refer_to_client(
    env: VerbEnvironment, item: InboxItem, _words: str, _terminal: str
) -> tuple[str, str]:
    del env
    raise Conflict(f"{item.id} is a question of the client; {item.command}")


def _take(env: VerbEnvironment, item: InboxItem, words: str, terminal: str) -> None:
    with env.store.change(item.row.session.id, durable=True) as change:
        stored.take_answer(change, item.id, words, terminal)


_ANSWERS = {
    report.PLAN: _answer_plan,
    report.TEST: _answer_test,
    report.CLIENT: _refer_to_client,
}

COMMANDS = (
    Command(
        "",
        "Each question can be answered once",
        answer,
        rest="ID ANSWER",
        example='ultrawork answer 7f3a51c2-91ab approve\nultrawork answer 7f3a51c2-91ab "use two tables"',
    ),
)

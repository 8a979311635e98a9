"""Take the user's answer to an inbox item, once, wherever it was given."""

from ..core.errors import Conflict, UsageError
from ..core.state import ENGINE
from ..report import inbox as report
from ..report.inbox import InboxItem
from ..store import ending
from ..store import inbox as stored
from ..store.store import Store
from . import answers

_ACCEPT, _DENY = "accept", "deny"


def answer_item(store: Store, item: InboxItem, words: str, where: str) -> tuple[str, str]:
    """Return what was understood, and what comes next. `where` is a terminal or the page."""
    return _ANSWERS[item.kind](store, item, words.strip(), where)


def mark_results_seen(store: Store, items: list[InboxItem]) -> list[str]:
    """Mark what failed or is done as seen, and return the marked items. A question stays until it is answered."""
    seen = [item for item in items if item.rank in (report.FAILED, report.DONE)]
    for item in seen:
        with store.change(item.row.session.id) as change:
            stored.mark_seen(change, item.id)
    return [item.id for item in seen]


def _answer_plan(store: Store, item: InboxItem, words: str, where: str) -> tuple[str, str]:
    """Accept an option by its number or first letters; any other words ask for a different plan."""
    if not words:
        raise UsageError(f"{item.question} Answer with one of: {', '.join(item.options)}")
    chosen = _match(words, item.options) or words
    _take(store, item, chosen, where)
    name = item.row.session.id
    if answers.is_wish(item.question, chosen):
        answers.send_back(store, name, chosen)
    else:
        answers.record(store, name, item.question, chosen, where)
    return chosen, f"answered: {chosen}. {_name_next(item)}"


def _match(words: str, options: tuple[str, ...]) -> str:
    lower = words.lower()
    matches = [
        option
        for number, option in enumerate(options, 1)
        if lower and (lower == str(number) or option.lower().startswith(lower))
    ]
    return matches[0] if len(matches) == 1 else ""


def _name_next(item: InboxItem) -> str:
    driver = item.row.driver
    if driver.kind == ENGINE and not driver.is_alive:
        return f"To continue: ultrawork resume --session {item.row.id}"
    return "The session continues with its next step."


def _answer_test(store: Store, item: InboxItem, words: str, where: str) -> tuple[str, str]:
    verb, _, reason = words.partition(" ")
    chosen = _match(verb, item.options)
    if not chosen:
        raise UsageError(f"is {item.test} wrong? Answer accept, or deny with a reason")
    _take(store, item, words if chosen == _DENY else chosen, where)
    name = item.row.session.id
    if chosen == _ACCEPT:
        ending.allow_test(store, name, f"test `{item.test}`")
        return (chosen, f"{item.test} may be changed. To continue, type in the client: ulw fix {item.test}")
    with store.change(name) as change:
        stored.deny_test(change, item.test, reason)
    return (chosen, f"{item.test} stays as it is. To continue, type in the client: ulw make {item.test} pass")


def _refer_to_client(_store: Store, item: InboxItem, _words: str, _where: str) -> tuple[str, str]:
    raise Conflict(f"{item.id} is a question of the client itself; {item.command}")


def _take(store: Store, item: InboxItem, words: str, where: str) -> None:
    with store.change(item.row.session.id, durable=True) as change:
        stored.take_answer(change, item.id, words, where)


_ANSWERS = {report.PLAN: _answer_plan, report.TEST: _answer_test, report.CLIENT: _refer_to_client}

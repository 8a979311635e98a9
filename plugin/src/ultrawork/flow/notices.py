"""Send due notifications to the user's own channels: a URL, and anything Apprise supports with the extra `notify`."""

from collections.abc import Callable
from time import localtime

from ..core import notices as rules
from ..core.errors import UsageError
from ..report import inbox
from ..report.inbox import InboxItem
from ..store import notices
from ..store.codec import dumps
from ..store.settings import Settings
from ..store.store import Store

_PATIENCE = 10.0
_TOLD = (inbox.BLOCKS, inbox.FAILED, inbox.DONE)
Send = Callable[[str, str], str]


def list_channels(settings: Settings) -> dict[str, Send]:
    """Return name → a function that sends a title and a text, and returns why it could not; empty if sent."""
    found: dict[str, Send] = {}
    if settings["notify.url"]:
        url = str(settings["notify.url"])
        if not url.startswith(("http://", "https://")):
            raise UsageError("notify.url is no http or https address")
        found["webhook"] = lambda title, text: _post(url, title, text)
    if settings["notify.apprise"]:
        addresses = list(settings["notify.apprise"])
        found["apprise"] = lambda title, text: _notify_apprise(addresses, title, text)
    return found


def send_due(store: Store, settings: Settings) -> dict[str, list[str]]:
    """Send what changed since the last check; return the sent items by channel."""
    channels = list_channels(settings)
    items = [one for one in inbox.read_inbox(store) if one.rank in _TOLD] if channels else []
    return {
        name: _send_channel(store, name, send, items, str(settings["notify.quiet"]))
        for name, send in channels.items()
    }


def _send_channel(
    store: Store, channel: str, send: Send, items: list[InboxItem], quiet: str
) -> list[str]:
    now = store.now()
    clock = localtime(now)
    due = rules.choose_due(
        [item.id for item in items],
        notices.read_states(store, channel),
        last_sent=notices.find_last_sent(store.database, channel),
        now=now,
        quiet=rules.is_quiet(rules.parse_quiet(quiet), clock.tm_hour * 60 + clock.tm_min),
    )
    known = {item.id: item for item in items}
    for name in due.learn:
        _put(store, known[name], channel, rules.KNOWN)
    notices.mark_looked(store, channel)
    if not due.send:
        return []
    title, text = rules.render_notice([describe_item(known[name]) for name in due.send])
    why = send(title, text)
    for name in due.send:
        _put(store, known[name], channel, rules.FAILED if why else rules.SENT, why)
    return [] if why else due.send


def learn(store: Store, settings: Settings) -> None:
    """Mark current items as known for each new channel, so that only later changes are sent."""
    items = [one for one in inbox.read_inbox(store) if one.rank in _TOLD]
    for channel in list_channels(settings):
        if notices.read_states(store, channel) is None:
            for item in items:
                _put(store, item, channel, rules.KNOWN)
            notices.mark_looked(store, channel)


def _put(store: Store, item: InboxItem, channel: str, state: str, why: str = "") -> None:
    with store.change(item.row.session.id) as change:
        notices.put(change, item.id, channel, state, why[:200])


def describe_item(item: InboxItem) -> str:
    """Return project, state and the command to type; never a goal, a question, code or output."""
    words = {
        inbox.BLOCKS: "needs you",
        inbox.FAILED: item.row.state.word,
        inbox.DONE: item.row.word,
    }
    return f"{item.row.project} ({item.row.id}) {words[item.rank]}: ultrawork inbox"


def _post(url: str, title: str, text: str) -> str:
    from urllib.error import URLError
    from urllib.request import Request, urlopen

    body = dumps({"title": title, "text": text, "content": text}).encode()
    headers = {"Content-Type": "application/json", "User-Agent": "ultrawork", "Title": title}
    try:
        with urlopen(Request(url, body, headers), timeout=_PATIENCE):  # noqa: S310 (http or https, checked)
            return ""
    except (URLError, OSError, ValueError) as error:
        return f"could not be delivered: {getattr(error, 'reason', None) or error}"


def _notify_apprise(addresses: list[str], title: str, text: str) -> str:
    try:
        import apprise
    except ImportError:
        return "Apprise is not installed; run pip install apprise"
    sender = apprise.Apprise()
    refused = [one for one in addresses if not sender.add(one)]
    if refused:
        return f"Apprise does not know {len(refused)} of {len(addresses)} addresses"
    return "" if sender.notify(body=text, title=title) else "Apprise could not deliver it"

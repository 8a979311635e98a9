"""Send due notifications to the user's own channels: a URL, and anything Apprise supports with the extra `notify`; and
spans to a collector, as OTLP over HTTP in its JSON form, which needs no library."""

import os
from collections.abc import Callable, Mapping
from time import localtime

from ..core import notices as rules
from ..core.errors import Trouble, UsageError
from ..core.session.session import Session
from ..report import inbox
from ..report.inbox import InboxItem
from ..report.spans import list_spans, make_request
from ..store.atomic import Lock
from ..store.codec import dumps
from ..store.inbox import find_last_sent, mark_looked, put, read_states
from ..store.paths import read_version
from ..store.settings import Settings
from ..store.store import Store

_PATIENCE = 10.0
_TOLD = (inbox.BLOCKS, inbox.FAILED, inbox.DONE)
Send = Callable[[str, str], str]


def list_channels(settings: Settings) -> dict[str, Send]:
    """Return name → a function that sends a title and a text, and returns why it could not; empty if sent."""
    channels: dict[str, Send] = {}
    if settings["notify.url"]:
        url = str(settings["notify.url"])
        if not url.startswith(("http://", "https://")):
            raise UsageError("notify.url is not an http or https address")
        channels["webhook"] = lambda title, text: _post(url, title, text)
    if settings["notify.apprise"]:
        addresses = list(settings["notify.apprise"])
        channels["apprise"] = lambda title, text: _notify_apprise(addresses, title, text)
    return channels


def send_due(store: Store, settings: Settings) -> dict[str, list[str]]:
    """Send what changed since the last check; return the sent items by channel."""
    return {name: sent for name, (sent, _) in _send_channels(store, settings).items()}


def send_all(store: Store, settings: Settings, sleep: Callable[[float], None]) -> None:
    """Send what is due, then what was held back for a minute: no later event may come to send it."""
    while wait := max((held for _, held in _send_channels(store, settings).values()), default=0.0):
        sleep(wait)


def _send_channels(store: Store, settings: Settings) -> dict[str, tuple[list[str], float]]:
    """Return, for each channel, what was sent, and how long the rest is held back. One process sends at a time."""
    channels = list_channels(settings)
    if not channels:
        return {}
    quiet = str(settings["notify.quiet"])
    os.makedirs(store.home.cache, mode=0o700, exist_ok=True)
    with Lock(f"{store.home.cache}/notify.lock", patience=3 * _PATIENCE):
        items = [inbox_item for inbox_item in inbox.read_inbox(store) if inbox_item.rank in _TOLD]
        return {name: _send_channel(store, name, send, items, quiet) for name, send in channels.items()}


def _send_channel(
    store: Store, channel: str, send: Send, items: list[InboxItem], quiet: str
) -> tuple[list[str], float]:
    now = store.now()
    clock = localtime(now)
    due = rules.choose_due(
        [item.id for item in items],
        read_states(store, channel),
        last_sent=find_last_sent(store.database, channel),
        now=now,
        quiet=rules.is_quiet(rules.parse_quiet(quiet), clock.tm_hour * 60 + clock.tm_min),
    )
    known = {item.id: item for item in items}
    for name in due.learn:
        _put(store, known[name], channel, rules.KNOWN)
    mark_looked(store, channel)
    if not due.send:
        return [], due.wait
    title, text = rules.render_notice([describe_item(known[name]) for name in due.send])
    why = send(title, text)
    for name in due.send:
        _put(store, known[name], channel, rules.FAILED if why else rules.SENT, why)
    return [] if why else due.send, 0.0


def learn(store: Store, settings: Settings) -> None:
    """Mark current items as known for each new channel, so that only later changes are sent."""
    items = [inbox_item for inbox_item in inbox.read_inbox(store) if inbox_item.rank in _TOLD]
    for channel in list_channels(settings):
        if read_states(store, channel) is None:
            for item in items:
                _put(store, item, channel, rules.KNOWN)
            mark_looked(store, channel)


def _put(store: Store, item: InboxItem, channel: str, state: str, why: str = "") -> None:
    with store.change(item.row.session.id) as change:
        put(change, item.id, channel, state, why[:200])


def describe_item(item: InboxItem) -> str:
    """Return project, state and the command to type; never a goal, a question, code or output."""
    words = {inbox.BLOCKS: "needs you", inbox.FAILED: item.row.state.word, inbox.DONE: item.row.word}
    return f"{item.row.project} ({item.row.id}) {words[item.rank]}: ultrawork inbox"


def _post(url: str, title: str, text: str) -> str:
    from urllib.error import URLError
    from urllib.request import Request, urlopen

    body, headers = make_body(url, title, text)
    try:
        with urlopen(Request(url, body, headers), timeout=_PATIENCE):  # noqa: S310 (http or https, checked)
            return ""
    except (URLError, OSError, ValueError) as error:
        return f"could not be delivered: {getattr(error, 'reason', None) or error}"


def make_body(url: str, title: str, text: str) -> tuple[bytes, dict[str, str]]:
    """Return body and headers. ntfy shows a body as it is; others read the JSON field that they know."""
    headers = {"Content-Type": "application/json", "User-Agent": "ultrawork", "Title": title}
    if "ntfy" in url.split("/")[2]:
        return text.encode(), headers | {"Content-Type": "text/plain; charset=utf-8"}
    return dumps({"title": title, "text": text, "content": text}).encode(), headers


def _notify_apprise(addresses: list[str], title: str, text: str) -> str:
    try:
        import apprise
    except ImportError:
        return "Apprise is not installed; run pip install apprise"
    sender = apprise.Apprise()
    refused = [address for address in addresses if not sender.add(address)]
    if refused:
        return f"Apprise does not know {len(refused)} of {len(addresses)} addresses"
    return "" if sender.notify(body=text, title=title) else "Apprise could not deliver it"


PATH = "/v1/traces"
_EXPORT_PATIENCE = 10.0
_HEADERS = "OTEL_EXPORTER_OTLP_HEADERS"


def send_spans(store: Store, session: Session, url: str, environ: Mapping[str, str]) -> int:
    """Return how many spans the collector took."""
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    address = complete_address(url)
    spans = list_spans(store, session)
    body = dumps(make_request(session, spans, read_version())).encode()
    headers = {"Content-Type": "application/json", **read_headers(environ.get(_HEADERS, ""))}
    try:
        with urlopen(Request(address, body, headers), timeout=_EXPORT_PATIENCE):  # noqa: S310 (http or https, checked)
            return len(spans)
    except HTTPError as error:
        raise Trouble(f"{address} refused the spans: {error.code} {error.reason}") from None
    except (URLError, OSError, ValueError) as error:
        why = getattr(error, "reason", None) or error
        raise Trouble(f"could not send the spans to {address}: {why}") from None


def complete_address(url: str) -> str:
    """Return where traces go: a collector's address without a path gets the usual one."""
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in ("http", "https") or not rest.strip("/"):
        raise UsageError(f"{url!r} is not an http or https address; give a collector, such as http://127.0.0.1:4318")
    host, slash, path = rest.partition("/")
    return url if slash and path else f"{scheme}://{host}{PATH}"


def read_headers(text: str) -> dict[str, str]:
    """Read `name=value,name=value`, the form of OpenTelemetry's own variable."""
    from urllib.parse import unquote

    pairs = (part.partition("=") for part in text.split(",") if "=" in part)
    return {name.strip(): unquote(value.strip()) for name, _, value in pairs}

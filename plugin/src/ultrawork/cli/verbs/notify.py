"""`ultrawork notify`: notifications on the user's own channels, and the state of each."""

from typing import Any

from ...core.errors import EXIT_DONE, NotFound, Trouble
from ...core.notices import make_sequence
from ...core.times import format_iso
from ...flow import notices
from ...store import inbox as stored
from ..command import Command, Result, render_table
from ..environment import Args, VerbEnvironment

_SHOWN = 50
_HOW = 'set notify.url in config.toml of the state folder, such as [notify] url = "https://ntfy.sh/TOPIC"'


def show(_args: Args, env: VerbEnvironment) -> Result:
    rows = stored.list_newest(env.store.database, _SHOWN)
    fields = ("item", "channel", "at", "state", "why", "seen")
    listed = [{**dict(zip(fields, row, strict=True)), "at": format_iso(row[2]), "seen": bool(row[5])} for row in rows]
    cells = [
        (str(notice["item"]), str(notice["channel"]), str(notice["at"])[11:16], _name_state(notice))
        for notice in listed
    ]
    text = render_table(("ITEM", "CHANNEL", "TIME", "STATE"), cells) if cells else "no notifications sent yet"
    return Result({"notices": listed}, text)


def _name_state(notice: dict[str, Any]) -> str:
    if notice["why"]:
        return f"{notice['state']}: {notice['why']}"
    return f"{notice['state']}, seen" if notice["seen"] else str(notice["state"])


def send(_args: Args, env: VerbEnvironment) -> Result:
    sent = notices.send_due(env.store, env.read_settings())
    if not sent:
        raise NotFound(f"no channel is set up; {_HOW}")
    lines = [f"{channel}: {len(items)} sent" for channel, items in sent.items()]
    return Result({"sent": sent}, "\n".join(lines))


def test(_args: Args, env: VerbEnvironment) -> Result:
    """Test every configured channel, at any hour, including the terminal's own."""
    settings = env.read_settings()
    channels = notices.list_channels(settings)
    sequence = make_sequence(str(settings["notify.terminal"]), "this is a test")
    if not channels and not sequence:
        raise NotFound(f"no channel is set up; {_HOW}")
    results = {name: deliver("ultrawork", "This is a test.") or "sent" for name, deliver in channels.items()}
    if sequence:
        results["terminal"] = _ring(sequence)
    notices.learn(env.store, settings)
    bad = [f"{name}: {why}" for name, why in results.items() if why != "sent"]
    if bad:
        raise Trouble("; ".join(bad))
    return Result({"channels": results}, "\n".join(f"{name}: sent" for name in results), exit=EXIT_DONE)


def _ring(sequence: str) -> str:
    try:
        with open("/dev/tty", "w", encoding="utf-8") as terminal:
            terminal.write(sequence)
    except OSError:
        return "no terminal here"
    return "sent"


COMMANDS = (
    Command("", "List the last notifications and whether they were sent", show, example="ultrawork notify"),
    Command("send", "Send notifications for what changed since the last call", send, example="ultrawork notify send"),
    Command("test", "Send a test message to every configured channel", test, example="ultrawork notify test"),
)

"""`ultrawork providers`: whom agents are asked of, who has asked us to wait, and the word that ends a wait."""

from ...clients.headless.table import BACKENDS
from ...core.check import quote, require_choice
from ...core.errors import UsageError
from ...core.registry import load_part
from ...core.run.crew import split_provider
from ...core.times import format_duration, format_iso
from ...engine.loop.dispatch import count_at_work
from ...store import attempts
from ...store.database import Transaction
from ..command import Command, Result, render_table
from ..environment import Args, VerbEnvironment


def show(_args: Args, env: VerbEnvironment) -> Result:
    now, database = env.store.now(), env.store.database
    blocked = dict(attempts.list_providers(database))
    providers = [
        {
            "name": name,
            "at_work": count_at_work(database, *split_provider(name)),
            "waits_until": format_iso(blocked[name]) if blocked.get(name, 0.0) > now else None,
        }
        for name in dict.fromkeys([*BACKENDS, *blocked])
    ]
    rows = [
        (str(provider["name"]), str(provider["at_work"]), _describe(blocked.get(str(provider["name"]), 0.0), now))
        for provider in providers
    ]
    return Result({"providers": providers}, render_table(("PROVIDER", "RUNNING", "RATE LIMITED"), rows))


def _describe(until: float, now: float) -> str:
    if until <= now:
        return "no"
    return f"until {format_iso(until)}, in {format_duration(until - now)}"


def clear(args: Args, env: VerbEnvironment) -> Result:
    if len(args.rest) != 1:
        raise UsageError("name one provider: ultrawork providers clear claude")
    known = [*BACKENDS, *dict(attempts.list_providers(env.store.database))]
    name = require_choice(args.rest[0], tuple(dict.fromkeys(known)), "provider")
    with Transaction(env.store.database):
        attempts.clear_provider(env.store.database, name)
    return Result({"provider": name}, f"cleared the limit of {quote(name)}; waiting runs continue")


def choose(args: Args, env: VerbEnvironment) -> Result:
    """Choose by the table of document 004: the role, and how much there is to read."""
    if not args.rest:
        raise UsageError("name a role: ultrawork providers for architect")
    role, *files = args.rest
    helpers = load_part("helpers", "values.helpers")
    if not helpers.is_role(role):
        raise UsageError(f"{quote(role)} is not a role; use lower-case letters, digits and dashes")
    size = sum(len(env.read_file(path, "file")) for path in files)
    name = helpers.choose_helper(role, size)
    return Result({"role": role, "bytes": size, "provider": name}, f"{name}: ask_{name}")


COMMANDS = (
    Command("", "List providers, their running agents and rate limits", show, example="ultrawork providers"),
    Command(
        "clear",
        "Clear a provider's rate limit and use it again now",
        clear,
        rest="NAME",
        example="ultrawork providers clear claude",
    ),
    Command(
        "for",
        "Recommend a model for a role and the files it must read",
        choose,
        rest="ROLE [FILE…]",
        example="ultrawork providers for designer web/page.css",
    ),
)

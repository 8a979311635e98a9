"""`ultrawork config`: list every setting with its source, change one, and show what models cost."""

import os
import re

from ...content.models import list_prices, read_price_list
from ...core.check import find_nearest, quote
from ...core.errors import Conflict, UsageError
from ...core.run.prices import KINDS, LONG, TOKENS, ModelPrice
from ...core.settings import DEFAULT, GATES, KNOWN, OWN_SECTIONS
from ...store import atomic
from ...store import settings as stored
from ...store.codec import dumps
from ..command import Command, Result, render_table
from ..environment import AGENT, Args, VerbEnvironment, switch
from ..settings_edit import set_value, write_literal

_UNITS = ((86400, "d"), (3600, "h"), (60, "m"), (1, "s"))
_NAME = re.compile(r"[A-Za-z0-9_-]{1,50}")


def show(_args: Args, env: VerbEnvironment) -> Result:
    settings = env.read_settings()
    rows = [(key, _show_value(setting.value), setting.source) for key, setting in settings.values.items()]
    rows += [(f"{GATES}.{name}", dumps(gate), settings.gates_source) for name, gate in settings.gates.items()]
    data = {key: {"value": setting.value, "source": setting.source} for key, setting in settings.values.items()}
    table = render_table(("SETTING", "VALUE", "FROM"), rows)
    return Result(
        {"settings": data, "gates": settings.gates, "gates_source": settings.gates_source},
        f"{table}\n\nChange one: ultrawork config set KEY VALUE",
    )


def _show_value(value: object) -> str:
    """Show a time as it is written in a file, anything else as JSON."""
    if not isinstance(value, float) or not value.is_integer() or not value:
        return dumps(value)
    size, unit = next(pair for pair in _UNITS if not value % pair[0])
    return f'"{value / size:g}{unit}"'


def change(args: Args, env: VerbEnvironment) -> Result:
    if len(args.rest) != 2:
        raise UsageError("give a setting and its value: ultrawork config set stop.budget 60s")
    if env.store.actor == AGENT:
        raise Conflict("only you can change settings; run this in your own terminal")
    key, given = args.rest
    own = args.on("--user")
    value = _read_value(key, given, own=own)
    env.read_settings()  # refuses a file that is already wrong
    path, table = _find_file(env, key, own=own)
    atomic.write(path, set_value(_read_text(path), table, key.split(".", 1)[1], value), mode=_mode(path))
    after = env.read_settings()
    text = f"{key} = {write_literal(value)} in {path}. It applies from the next ulw or run."
    data = {"key": key, "value": value, "file": path}
    return Result(data, text, warnings=_list_overrides(key, after, own=own))


def _read_value(key: str, given: str, *, own: bool) -> object:
    """Return the value as its file writes it; refuse an unknown key or a value that the setting cannot have."""
    section, _, name = key.partition(".")
    if section == GATES and _NAME.fullmatch(name):
        return False if given == "false" else given
    if key not in KNOWN:
        close = find_nearest(key, KNOWN)
        hint = f"did you mean {close}?" if close else "ultrawork config lists them"
        raise UsageError(f"no setting {quote(key)}; {hint}")
    if section in OWN_SECTIONS and not own:
        raise UsageError(f"{key} applies to all your projects; add --user")
    read, default = KNOWN[key]
    value = read(given, key)
    return given if isinstance(default, str) else value


def _find_file(env: VerbEnvironment, key: str, *, own: bool) -> tuple[str, str]:
    """Return the file to write, links resolved, and the table in it."""
    section = key.partition(".")[0]
    if own:
        os.makedirs(env.store.home.root, mode=0o700, exist_ok=True)
        return os.path.realpath(env.store.home.settings), section
    name, _ = stored.read_project_table(lambda file: stored.read_file(f"{env.place}/{file}"))
    table = section if name == stored.PROJECT_FILE else f"tool.ultrawork.{section}"
    return os.path.realpath(f"{env.place}/{name}"), table


def _read_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8; convert it first") from None


def _mode(path: str) -> int:
    return os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o644


def _list_overrides(key: str, after: stored.Settings, *, own: bool) -> list[str]:
    """Warn where a stronger source hides the value that was just written."""
    kept = after.values.get(key)
    if kept is None or kept.source == DEFAULT:
        return []
    hidden = kept.source == "environment" or (own and kept.source in stored.PROJECT_FILES)
    return [f"{kept.source} still sets {key} to {_show_value(kept.value)}, which wins"] if hidden else []


def show_prices(_args: Args, env: VerbEnvironment) -> Result:
    prices = list_prices(env.store.home)
    day, source = read_price_list()
    rows = [row for name, price in prices.items() for row in _list_rates(name, price)]
    data = {name: _document(price) for name, price in prices.items()}
    head = ("MODEL", *(kind.upper() for kind in KINDS), "FROM")
    text = (
        f"{render_table(head, rows)}\nOther models have no known price. Add your own to {env.store.home.models}."
        f"\nEstimates as of {day}, from {source}. A cost that a client reports takes precedence."
    )
    origin = {"as_of": day, "source": source, "own": env.store.home.models}
    return Result({"prices": data, **origin}, text)


def _list_rates(name: str, price: ModelPrice) -> list[tuple[str, ...]]:
    rows = [(name, *(f"{rate:g}" for rate in price.rates), price.source)]
    if price.tokens:
        text = f"prompts above {price.tokens:,} tokens"
        rows.append((name, *(f"{rate:g}" for rate in price.long), text))
    return rows


def _document(price: ModelPrice) -> dict[str, object]:
    document: dict[str, object] = {**dict(zip(KINDS, price.rates, strict=True)), "source": price.source}
    if price.tokens:
        document[LONG] = {**dict(zip(KINDS, price.long, strict=True)), TOKENS: price.tokens}
    return document


COMMANDS = (
    Command(
        "",
        "List every setting with its value and source",
        show,
        example="ultrawork config\nULTRAWORK_STOP_BUDGET=60s ultrawork config",
    ),
    Command("show", "List every setting with its value and source", show, example="ultrawork config show --json"),
    Command(
        "set",
        "Write one setting to ultrawork.toml, or to your own config.toml",
        change,
        flags=(switch("--user", "write your own default for all projects"),),
        rest="KEY VALUE",
        example="ultrawork config set stop.budget 60s\nultrawork config set keep.sessions 14d --user",
    ),
    Command(
        "prices",
        "Show the price of a million tokens per model, in US dollars",
        show_prices,
        example="ultrawork config prices",
    ),
)

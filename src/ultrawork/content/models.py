"""`content/models.toml`: which model an agent runs on when a call does not name one, and what models cost."""

from collections.abc import Mapping
from typing import NamedTuple

from ..core.errors import UsageError
from ..core.routing.agent_calls import AgentModels
from ..core.run.prices import SECTION, find_rates, find_ratio, parse_prices
from ..core.times import format_iso
from ..store.atomic import write
from ..store.codec import dumps, loads
from ..store.paths import Home
from ..store.plugin import find_root
from ..store.settings import parse
from . import roster
from .library import read_text
from .roster import RosterAgent

PATH = "content/models.toml"
_SAME = 0.05  # of a ratio


def load(root: str = "") -> AgentModels:
    """Agents of the roster stand above the table: they are the plugin's own."""
    root = root or find_root()
    table = parse(read_text(f"{root}/{PATH}") or "", PATH)
    texts = [read_text(f"{root}/{path}") or "" for path in (roster.ROSTER, roster.PROFILES)]
    tables = roster.read_tables(texts[0], texts[1])
    own = {one.name: one.tier for one in tables.members if isinstance(one, RosterAgent)}
    return AgentModels(
        {**table.get("agents", {}), **own},
        table.get("aliases", {}),
        tables.tiers,
        frozenset(own),
    )


def load_prices(home: Home) -> dict[str, tuple[float, ...]]:
    """Ours, and over them those of the person's own file."""
    return {name: rates for name, (rates, _) in list_prices(home).items()}


def list_prices(home: Home) -> dict[str, tuple[tuple[float, ...], str]]:
    """
    By a part of the model's name: what a million tokens cost, and who says so. What a client reported of a model wins
    over our table, the person's own file over both.
    """
    written = _list_written(home)
    found = dict(written)
    for model, seen in read_learned(home).items():
        rates = find_rates(
            {name: rates for name, (rates, by) in written.items() if by == PATH}, model
        )
        named = any(name in model for name, (_, by) in written.items() if by != PATH)
        if rates is not None and not named:
            told = f"its client, {seen.day}"
            found[model] = (tuple(round(rate * seen.ratio, 6) for rate in rates), told)
    return found


class LearnedPrice(NamedTuple):
    """`ratio` is what a client said that a model cost, beside our own table."""

    ratio: float
    at: float

    @property
    def day(self) -> str:
        return str(format_iso(self.at))[:10]


def read_learned(home: Home) -> dict[str, LearnedPrice]:
    """Of each model that a client has billed differently from our table; empty if nothing can be read."""
    try:
        known = loads(read_text(_name_learned(home)) or "{}")
        return {
            str(name): LearnedPrice(float(one[0]), float(one[1])) for name, one in known.items()
        }
    except (ValueError, TypeError, AttributeError, IndexError):
        return {}


def learn_prices(
    home: Home, bills: Mapping[str, tuple[tuple[int, ...], float]], now: float
) -> None:
    """Keeps what a client says of its own cost, where our table says something else."""
    ours = {name: rates for name, (rates, by) in _list_written(home).items() if by == PATH}
    before = read_learned(home)
    known = dict(before)
    for model, (counts, usd) in bills.items():
        ratio = find_ratio(ours, model, counts, usd)
        last = known[model].ratio if model in known else 1.0
        if ratio is not None and abs(ratio / last - 1) > _SAME:
            known[model] = LearnedPrice(round(ratio, 4), now)
    if known != before:
        write(
            _name_learned(home), dumps({name: list(one) for name, one in known.items()}), sync=False
        )


def _name_learned(home: Home) -> str:
    return f"{home.root}/prices.json"


def _list_written(home: Home) -> dict[str, tuple[tuple[float, ...], str]]:
    own = parse(read_text(home.models) or "", home.models)
    others = [name for name in own if name != SECTION]
    if others:
        raise UsageError(f"{home.models}: only [{SECTION}] is read here, not {others[0]}")
    tables = {PATH: parse(read_text(f"{find_root()}/{PATH}") or "", PATH), home.models: own}
    return {
        name: (rates, source)
        for source, table in tables.items()
        for name, rates in parse_prices(table, source).items()
    }

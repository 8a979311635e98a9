"""`content/models.toml`: which model an agent runs on when a call does not name one, and what models cost."""

from ..core.errors import UsageError
from ..core.routing.agent_calls import AgentModels
from ..core.run.prices import SECTION, parse_prices
from ..store.paths import Home
from ..store.plugin import find_root
from ..store.settings import parse
from . import roster
from .library import read_text
from .roster import RosterAgent

PATH = "content/models.toml"


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
    """By a part of the model's name: what a million tokens cost, and which file says so."""
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

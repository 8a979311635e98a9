"""`content/models.toml`: which model an agent runs on when a call does not name one."""

from ..core.routing.agent_calls import AgentModels
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
    return AgentModels({**table.get("agents", {}), **own}, table.get("aliases", {}), tables.tiers)

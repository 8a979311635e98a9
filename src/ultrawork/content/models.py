"""`content/models.toml`: which model an agent runs on when a call does not name one."""

from ..core.enforcer import Models
from ..store.settings import parse
from . import roster
from .library import own_root, read_text
from .records import Agent

PATH = "content/models.toml"


def load(root: str = "") -> Models:
    """Agents of the roster stand above the table: they are the plugin's own."""
    root = root or own_root()
    table = parse(read_text(f"{root}/{PATH}") or "", PATH)
    texts = [read_text(f"{root}/{path}") or "" for path in (roster.ROSTER, roster.PROFILES)]
    tables = roster.read(texts[0], texts[1])
    own = {one.name: one.tier for one in tables.members if isinstance(one, Agent)}
    return Models({**table.get("agents", {}), **own}, table.get("aliases", {}), tables.tiers)

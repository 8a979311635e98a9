"""The PRD of a worktree: `prd.json`, else `.omc/prd.json`. The agent writes it, we only read."""

import os

from ...core import prd
from ...core.errors import UsageError
from ..fast import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .place import Omc

PLACES = ("prd.json", ".omc/prd.json")


def path(omc: "Omc") -> str:
    """Relative to the worktree; empty if there is none."""
    return next((name for name in PLACES if os.path.isfile(f"{omc.top}/{name}")), "")


def read(omc: "Omc") -> prd.Prd | None:
    """None if there is none; what is malformed raises one sentence."""
    name = path(omc)
    text = omc.read(f"{omc.top}/{name}") if name else None
    if text is None:
        return None
    try:
        document = loads(text)
    except (ValueError, RecursionError):
        raise UsageError(f"{name} is no JSON; mend it or remove it") from None
    return prd.parse(document, name)

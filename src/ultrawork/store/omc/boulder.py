"""`.omc/boulder.json`: the plan that is being worked off, over several sessions if need be."""

import os

from ...core.checklist import Progress, progress
from ..fast import loads
from .place import Omc


def plan(omc: Omc) -> tuple[str, Progress] | None:
    """The name of the active plan and how far it is; None if there is none, or it cannot be read."""
    try:
        document = loads(omc.read(f"{omc.root}/boulder.json") or "{}")
    except ValueError:
        return None
    named = document.get("active_plan") if isinstance(document, dict) else None
    if not isinstance(named, str) or not named or "\0" in named:
        return None
    path = os.path.join(omc.top, named)
    if not os.path.isfile(path):
        return None
    text = omc.read(path)
    return None if text is None else (os.path.relpath(path, omc.top), progress(text))

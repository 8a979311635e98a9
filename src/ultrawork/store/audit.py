"""
What was permitted, denied or enforced, for whoever asks later: one JSON line each in the state folder,
where no agent writes. Secrets are masked, long texts shortened; full files are turned over, seven stay.
"""

from ..core.times import iso
from . import log
from .fast import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .paths import Home

LIMIT = 10_000_000
KEPT = 7
_LONGEST = 500


def path(home: "Home") -> str:
    return home.logs + "/audit.jsonl"


def write(
    home: "Home", kind: str, facts: "Mapping[str, str]", environ: "Mapping[str, str]", now: float
) -> None:
    """Raises where it cannot be written: what is not written down is not permitted."""
    from ..core.redact import redact

    masked = {key: redact(value, environ)[:_LONGEST] for key, value in facts.items()}
    log.append(path(home), dumps({"at": iso(now), "kind": kind, **masked}), limit=LIMIT, kept=KEPT)

"""Remember what a session has seen and done, one line each, so that nothing is shown twice."""

from ..atomic import read_text
from ..codec import digest
from .folder import Omc

_SIZE = 1_000_000
_LONG = 200


def take_new(omc: Omc, session: str, *keys: str) -> list[str]:
    """Return the keys that are new to this session, and mark them as seen."""
    if not session or not keys:
        return list(keys)
    path = _path(omc, session)
    known = _read_known(path)
    fresh = [key for key in dict.fromkeys(keys) if _line(key) not in known]
    if fresh:
        omc.append(path, "".join(f"{_line(key)}\n" for key in fresh))
    return fresh


def list_known(omc: Omc, session: str, beginning: str) -> list[str]:
    """Return its keys with this prefix."""
    return [line for line in _read_known(_path(omc, session)) if line.startswith(beginning)]


def forget(omc: Omc, session: str) -> None:
    """Forget all keys, because the model knows nothing after compaction."""
    omc.remove(_path(omc, session))


def _path(omc: Omc, session: str) -> str:
    return f"{omc.state_folder(session)}/told"


def _line(key: str) -> str:
    plain = key.replace("\n", " ")
    return plain if len(plain) <= _LONG else f"{plain[:100]} {digest(key)[:32]}"


def _read_known(path: str) -> frozenset[str]:
    return frozenset((read_text(path, _SIZE) or "").split("\n"))

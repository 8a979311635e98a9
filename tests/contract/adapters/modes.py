"""Names of modes, paths and state files, against the earlier program's."""

import os

from ultrawork.core import check
from ultrawork.core.errors import UsageError
from ultrawork.core.modes import modes
from ultrawork.mcp.environment import ToolEnvironment
from ultrawork.store.omc import states
from ultrawork.store.omc.folder import Omc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .cases import Case, Place


def validation(case: "Case", place: "Place") -> "tuple[Any, Any]":
    given, expect = case.input, place.expected(case.expect)
    if "throws_contains" in expect:
        return _shortened(str(given["mode"]))
    args = place.filled(given["args"])
    room = ToolEnvironment({"HOME": place.root, "ULTRAWORK_HOME": f"{place.root}/state"}, place.dir)
    try:
        ours: Any = _VALIDATIONS[case.fn](place, room, *args)
    except UsageError:
        # A question is answered with no, an order is refused.
        if case.fn in ("validateMode", "isPathUnderOmc"):
            return False, expect["result"]
        raise
    if case.fn == "validateMode":
        ours = True
    return (True, True) if "ok" in expect else (ours, expect.get("result"))


def _shortened(told: str) -> "tuple[Any, Any]":
    """`'a' repeated 51 times`: what is wrong is shown, but never more of it than 50 characters."""
    import re

    sign, times = re.findall(r"'(.)' repeated (\d+) times", told)[0]
    try:
        modes.parse(sign * int(times))
    except UsageError as error:
        if sign * 50 in str(error) and sign * 51 not in str(error):
            raise
        return str(error), "at most 50 characters"
    return "a mode", "no mode"


def _mode(_place: "Place", _room: ToolEnvironment, word: "Any" = None) -> str:
    if not isinstance(word, str):
        raise UsageError(f"{check.quote(word)} is no mode")
    return modes.parse(word)


def _state_path(place: "Place", _room: ToolEnvironment, name: str, *rest: str) -> str:
    session = rest[0] if len(rest) == 2 else ""
    return f"{place.dir}/{states.locate(Omc(place.dir), name.removesuffix('-state'), session)}"


def _is_under_omc(place: "Place", room: ToolEnvironment, path: str, _top: str = "") -> bool:
    from ultrawork.core.errors import UltraworkError

    try:
        inside = room.inside(path)
    except UltraworkError:
        return False
    return os.path.join(inside, "").startswith(f"{place.dir}/.omc/")


_VALIDATIONS: "dict[str, Any]" = {
    "validateMode": _mode,
    "assertValidMode": _mode,
    "assert_valid_mode": _mode,
    "validateSessionId": lambda _place, _room, name: check.require_session_id(name),
    "validatePath": lambda _place, room, path: room.inside(path),
    "isPathUnderOmc": _is_under_omc,
    "resolveOmcPath": lambda _place, room, path, _top="": room.inside(f".omc/{path}"),
    "resolvePlanPath": lambda _place, room, name, _top="": room.inside(f".omc/plans/{name}.md"),
    "resolveResearchPath": lambda _place, room, name, _top="": room.inside(f".omc/research/{name}"),
    "getWorktreeNotepadPath": lambda _place, _room, top: Omc(top).notepad,
    "getWorktreeProjectMemoryPath": lambda _place, _room, top: Omc(top).memory,
    "getOmcRoot": lambda _place, _room, top: Omc(top).root,
    "getSessionStateDir": lambda place, _room, name, _top="": os.path.dirname(Omc(place.dir).state(modes.RALPH, name)),
    "listSessionIds": lambda place, _room, _top="": Omc(place.dir).sessions(),
    "resolveStatePath": _state_path,
    "resolveSessionStatePath": _state_path,
}


def registry(case: "Case", place: "Place") -> "tuple[Any, Any]":
    """The file of a case was written this moment, so it is not stale; the clock is the case's."""
    from time import time

    place.write(case.input.get("files", {}))
    place.now = time()
    args = place.filled(case.input["args"])
    words = [one for one in args if one != place.dir]
    mode, session = words[0], words[1] if len(words) > 1 and words[1] else ""
    ours = _REGISTRY[case.fn](Omc(place.dir), mode, session, place.now)
    expect = place.expected(case.expect)
    wanted = expect.get("result")
    # Of a refusal only that it is one is compared, not its words.
    return ours, wanted["allowed"] if isinstance(wanted, dict) and "allowed" in wanted else wanted


def _is_active(omc: Omc, mode: str, session: str, now: float) -> bool:
    owners = states.list_active(omc, mode, now)
    return states.is_active(omc, mode, session, now) if session else states.SHARED in owners


def _can_start(omc: Omc, mode: str, session: str, now: float) -> bool:
    from ultrawork.core.errors import Conflict

    try:
        states.write(omc, mode, {"active": True}, session=session, now=now)
    except Conflict:
        return False
    return True


_REGISTRY: "dict[str, Any]" = {
    "isModeActive": _is_active,
    "isModeActiveInAnySession": lambda omc, mode, _session, now: bool(states.list_active(omc, mode, now)),
    "hasModeState": lambda omc, mode, session, _now: states.read(omc, mode, session) is not None,
    "getStateFilePath": lambda omc, mode, session, _now: f"{omc.top}/{states.locate(omc, mode, session)}",
    "clearModeState": lambda omc, mode, session, _now: states.clear(omc, mode, session) or True,
    "canStartMode": _can_start,
    "getActiveSessionsForMode": lambda omc, mode, _session, now: [
        name for name in states.list_active(omc, mode, now) if name != states.SHARED
    ],
}  # fmt: skip

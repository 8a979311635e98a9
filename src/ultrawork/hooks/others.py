"""Whose changes these are: a file that moved while no tool of this session ran is somebody else's."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .known import Known

_WRITERS = ("Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch")
_SLACK = 2.0


def changed_by_others(known: "Known", paths: "Sequence[str]") -> list[str]:
    root = known.session.working_dir
    own = {str(one.get("what")) for one in known.tools if one.get("tool") in _WRITERS}
    times = [_span(one) for one in known.tools]
    return [
        path
        for path in paths
        if f"{root}/{path}" not in own and path not in own and _foreign(f"{root}/{path}", times)
    ]


def _span(entry: "dict[str, object]") -> tuple[float, float]:
    """When a tool ran; a background command may still be running."""
    end = _number(entry.get("at"))
    start = end - _number(entry.get("ms")) / 1000 - _SLACK
    return start, float("inf") if entry.get("background") else end + _SLACK


def _foreign(path: str, times: "Sequence[tuple[float, float]]") -> bool:
    """What is gone has no time: it is taken for one's own."""
    try:
        moved = os.lstat(path).st_mtime
    except OSError:
        return False
    return not any(start <= moved <= end for start, end in times)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0

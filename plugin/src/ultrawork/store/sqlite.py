"""SQLite's C module without its unused Python wrapper; falls back to the public one.

All that the C module needs of `functools` is a cache for its statements, and loading that costs 5 ms, half as much as
starting Python. So while SQLite loads, a small stand-in replaces it."""

import sys
from _thread import _count as threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class _Functools:
    @staticmethod
    def lru_cache(maxsize: int) -> "Callable[[Any], Any]":
        from _functools import _lru_cache_wrapper  # type: ignore[import-not-found]  # a private module

        return lambda function: _lru_cache_wrapper(function, maxsize, False, None)


# Another thread could see the stand-in instead of the real one.
_alone = "functools" not in sys.modules and not threads()
try:
    if _alone:
        sys.modules["functools"] = _Functools  # type: ignore[assignment]  # only until SQLite is loaded
    try:
        from _sqlite3 import Error, connect
    finally:
        if _alone:
            del sys.modules["functools"]
except ImportError:  # pragma: no cover - a Python without the private module
    from sqlite3 import Error, connect

__all__ = ["Error", "connect"]

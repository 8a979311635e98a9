"""Regular expressions that are compiled when they are first used: modules have hundreds, a process needs few of them."""

import re
from re import compile as compile_now
from typing import Any, AnyStr

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


class _LatePattern:
    """A pattern that is compiled on first use."""

    def __init__(self, text: Any, flags: int) -> None:
        self._given = text, flags

    def __getattr__(self, name: str) -> Any:
        compiled = compile_now(*self._given)
        self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
        return getattr(compiled, name)


def compile_late(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Compile a pattern on first use. Patterns that other code needs as `re.Pattern` are compiled at once."""
    return _LatePattern(text, flags)  # type: ignore[return-value]  # it has what a pattern has

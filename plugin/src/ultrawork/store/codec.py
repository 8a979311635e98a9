"""JSON and SHA-256 without their slow public modules, and values as table rows.

`json` costs 13 ms of import and `hashlib` 5 ms; the C modules behind them cost almost nothing. They are private, so
each falls back to the public module; a test compares their answers."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    V = TypeVar("V")


def _number(text: str) -> float | None:
    """Return None for a number too large for a float, as for NaN: it could not be written again."""
    value = float(text)
    return None if value in _INFINITE else value


_INFINITE = (float("inf"), float("-inf"))

try:
    import _json

    def _scanner() -> "Callable[[str, int], tuple[Any, int]]":
        class Options:
            strict = True
            object_hook = None
            object_pairs_hook = None
            parse_float = staticmethod(_number)
            parse_int = int
            parse_constant = {"NaN": None, "Infinity": None, "-Infinity": None}.__getitem__

        return _json.make_scanner(Options())  # type: ignore[arg-type]  # any object with these names will do

    def _unsupported(value: object) -> str:
        raise TypeError(f"{type(value).__name__} cannot be written as JSON")

    def _encoder(separators: tuple[str, str]) -> "Callable[[object, int], tuple[str, ...]]":
        return _json.make_encoder(
            None, _unsupported, _json.encode_basestring, None, separators[1], separators[0], False, False, False
        )

    _scan = _scanner()
    _encode = _encoder((",", ":"))
    _SPACE = " \t\n\r"

    def loads(text: str) -> "Any":
        try:
            value, end = _scan(text, len(text) - len(text.lstrip(_SPACE)))
        except (StopIteration, SystemError):
            # 3.11 looks for json.decoder to raise its error, and without it raises a SystemError.
            raise ValueError("not JSON") from None
        except RecursionError:
            raise ValueError("not JSON: nested too deeply") from None
        if text[end:].strip(_SPACE):
            raise ValueError("not JSON: more text after its end")
        return value

    def dumps(value: object) -> str:
        return "".join(_encode(value, 0))

except (ImportError, AttributeError, TypeError):  # pragma: no cover - a Python without the accelerator
    import json

    def loads(text: str) -> "Any":
        return json.loads(text, parse_constant=lambda _: None, parse_float=_number)

    def dumps(value: object) -> str:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def dumps_pretty(value: object) -> str:
    """JSON for people to read."""
    return _indented(value, "\n") + "\n"


def _indented(value: object, newline: str) -> str:
    kind = value.__class__
    if kind is dict and value:
        deeper = newline + "  "
        pairs = [f"{_key(key)}: {_indented(item, deeper)}" for key, item in value.items()]  # type: ignore[attr-defined]  # a dict
        return "{" + deeper + ("," + deeper).join(pairs) + newline + "}"
    if kind in (list, tuple) and value:
        deeper = newline + "  "
        items = [_indented(item, deeper) for item in value]  # type: ignore[attr-defined]  # a list or tuple
        return "[" + deeper + ("," + deeper).join(items) + newline + "]"
    return dumps(value)


def _key(key: object) -> str:
    """Return a cached key: the same few are in thousands of files."""
    known = _keys.get(key)
    if known is None:
        known = dumps(str(key))
        if len(_keys) < _MOST_KEYS:
            _keys[key] = known
    return known


_keys: dict[object, str] = {}
_MOST_KEYS = 1000


def digest(text: str) -> str:
    return str(find_sha256()(text.encode("utf-8", "replace")).hexdigest())


def find_sha256() -> "Callable[[bytes], Any]":
    """Return SHA-256, imported when needed: half of the events have nothing to digest."""
    try:
        if sys.version_info >= (3, 12):
            from _sha2 import sha256
        else:
            from _sha256 import sha256  # type: ignore[import-not-found]  # a private module
    except ImportError:  # pragma: no cover - a Python without either
        from hashlib import sha256
    return sha256  # type: ignore[no-any-return]  # of an untyped module


class Columns:
    """The fields of a value as columns of a table: in SQL, from a row and into one. Those in `json` are stored as
    JSON, `flags` are 0 or 1, and `named` maps columns with other names."""

    __slots__ = ("_fields", "_flags", "_json", "assignments", "marks", "names")

    def __init__(
        self,
        fields: "Iterable[str]",
        *,
        json: "Collection[str]" = (),
        flags: "Collection[str]" = (),
        named: "Mapping[str, str] | None" = None,
    ) -> None:
        self._fields = tuple(fields)
        self._json = json
        self._flags = flags
        columns = [(named or {}).get(field, field) for field in self._fields]
        self.names = ", ".join(columns)
        self.marks = ",".join("?" * len(columns))
        self.assignments = ", ".join(f"{column}=?" for column in columns)

    def read(self, make: "Callable[..., V]", row: "Sequence[Any]", **known: object) -> "V":
        """Return the value in a row; `known` fields are not read from it."""
        fields = {**dict(zip(self._fields, row, strict=True)), **known}
        for field in self._json:
            if field not in known:
                fields[field] = loads(fields[field])
        for field in self._flags:
            fields[field] = bool(fields[field])
        return make(**fields)

    def load(self, rows: "Sequence[Sequence[Any]]", field: str) -> "list[Any]":
        """Return one field of many rows, parsed as JSON at once."""
        at = self._fields.index(field)
        return loads(f"[{','.join([row[at] for row in rows])}]")  # type: ignore[no-any-return]

    def write(self, value: object, **known: object) -> "list[object]":
        pairs = [(name, known[name] if name in known else getattr(value, name)) for name in self._fields]
        return [dumps(cell) if name in self._json else cell for name, cell in pairs]


__all__ = ["Columns", "digest", "dumps", "dumps_pretty", "loads"]

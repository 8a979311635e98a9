"""
Declared values: a class body that names its fields once, for code that hooks load on every event.

    class Gate(Value):
        name: str
        argv: list[str] = fresh(list)

provides slots, a constructor with positional and keyword arguments, equality and a representation like a dataclass,
without loading `dataclasses`. Field types that only the type checker needs are quoted. Other code uses dataclasses.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar, dataclass_transform

    T = TypeVar("T")
else:

    def dataclass_transform() -> "Any":
        return lambda declared: declared


class _Fresh:
    __slots__ = ("make",)

    def __init__(self, make: "Callable[[], Any]") -> None:
        self.make = make


def fresh(make: "Callable[[], T]") -> "T":
    """Declare a default that is created for each value, such as a list or a dict."""
    return _Fresh(make)  # type: ignore[return-value]


@dataclass_transform()
class _Declaring(type):
    def __new__(cls, name: str, bases: tuple[type, ...], body: "dict[str, Any]") -> "_Declaring":
        # Python 3.14 passes a function that makes the annotations; 1 asks for plain values.
        lazy = body.get("__annotate_func__") or body.get("__annotate__")
        own = tuple(lazy(1) if lazy else body.get("__annotations__", ()))
        defaults = {field: body.pop(field) for field in own if field in body}
        made = super().__new__(cls, name, bases, {**body, "__slots__": own})
        made._fields = (*(field for base in bases for field in getattr(base, "_fields", ())), *own)
        made._defaults = {
            **{key: value for base in bases for key, value in getattr(base, "_defaults", {}).items()},
            **defaults,
        }
        return made

    _fields: tuple[str, ...]
    _defaults: "dict[str, Any]"


class Value(metaclass=_Declaring):
    __hash__ = None  # type: ignore[assignment]  # mutable values must not be in a set

    def __init__(self, *given: "Any", **named: "Any") -> None:
        cls = type(self)
        if len(given) > len(cls._fields):
            raise TypeError(f"{cls.__name__} has {len(cls._fields)} fields, not {len(given)}")
        for field, value in zip(cls._fields, given, strict=False):
            setattr(self, field, value)
        for field in cls._fields[len(given) :]:
            if field in named:
                setattr(self, field, named.pop(field))
            elif field in cls._defaults:
                default = cls._defaults[field]
                setattr(self, field, default.make() if type(default) is _Fresh else default)
            else:
                raise TypeError(f"{cls.__name__} needs {field}")
        if named:
            raise TypeError(f"{cls.__name__} has no {', '.join(named)}, or has it twice")
        self.__post_init__()

    def __post_init__(self) -> None:
        """Adjust the fields after all of them are set."""

    def document(self) -> "dict[str, Any]":
        """Return every field by name, in order."""
        return {field: getattr(self, field) for field in type(self)._fields}

    def __eq__(self, other: object) -> bool:
        # Subclasses may return fewer fields in their document.
        return type(other) is type(self) and Value.document(other) == Value.document(self)

    def __repr__(self) -> str:
        text = ", ".join(f"{field}={value!r}" for field, value in Value.document(self).items())
        return f"{type(self).__name__}({text})"


def list_fields(declared: type[Value]) -> tuple[str, ...]:
    return declared._fields

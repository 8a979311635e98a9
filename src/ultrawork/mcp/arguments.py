"""What a client passes to a tool, checked against the tool's own schema."""

from ..core.check import nearest, shown
from ..core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Schema = Mapping[str, Any]

_TYPES: "dict[str, tuple[Any, str]]" = {
    "string": ((str,), "a text"),
    "integer": ((int,), "a whole number"),
    "boolean": ((bool,), "true or false"),
    "object": ((dict,), "an object"),
}


def text(about: str, *, most: int = 0, default: str | None = None) -> "Schema":
    return _schema("string", about, default, maxLength=most or None)


def whole(about: str, low: int, high: int | None = None, default: int | None = None) -> "Schema":
    return _schema("integer", about, default, minimum=low, maximum=high)


def flag(about: str, *, default: bool | None = None) -> "Schema":
    return _schema("boolean", about, default)


def choice(about: str, words: "tuple[str, ...]", default: str | None = None) -> "Schema":
    return _schema("string", about, default, enum=list(words))


def anything(about: str) -> "Schema":
    return _schema("object", about, None)


def _schema(kind: str, about: str, default: object, **more: object) -> "Schema":
    given = {"type": kind, "description": about, **more, "default": default}
    return {key: value for key, value in given.items() if value is not None and value != ""}


def checked(
    given: "Mapping[str, Any]",
    properties: "Mapping[str, Schema]",
    required: "tuple[str, ...]",
    other_names: "Mapping[str, str]",
) -> "dict[str, Any]":
    """The arguments with their defaults; the first thing wrong is said in one sentence."""
    named = {other_names.get(key, key): value for key, value in given.items()}
    for key in named:
        if key not in properties:
            raise UsageError(_unknown(key, properties))
    result = {key: schema.get("default") for key, schema in properties.items()}
    for key, value in named.items():
        if value is not None:
            _check(key, value, properties[key])
            result[key] = value
    for key in required:
        if result[key] is None:
            about = properties[key].get("description", "")
            raise UsageError(f"{key} is missing{': ' + about if about else ''}")
    return result


def _check(key: str, value: "Any", schema: "Schema") -> None:
    kinds, name = _TYPES[schema["type"]]
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise UsageError(f"{key} is {shown(value)}, not {name}")
    if "enum" in schema and value not in schema["enum"]:
        raise UsageError(f"{key} is {shown(value)}; known: {', '.join(schema['enum'])}")
    if "maxLength" in schema and len(value) > schema["maxLength"]:
        raise UsageError(f"{key} has {len(value):,} characters; at most {schema['maxLength']:,}")
    low, high = schema.get("minimum"), schema.get("maximum")
    if (low is not None and value < low) or (high is not None and value > high):
        bounds = f"at least {low}" if high is None else f"from {low} to {high}"
        raise UsageError(f"{key} is {shown(value)}; give a number {bounds}")


def _unknown(key: str, properties: "Mapping[str, Schema]") -> str:
    close = nearest(key, properties)
    hint = f"did you mean {close}?" if close else f"known: {', '.join(properties) or 'none'}"
    return f"there is no argument {shown(key)}; {hint}"

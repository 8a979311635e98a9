"""A tool: its name, its description for the model, its input, its function.

A client's input is checked against the tool's own schema, which `take_…` builds."""

from ..core.check import find_nearest, quote
from ..core.errors import UsageError
from ..core.value import Value, fresh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .call import ToolCall

    Schema = Mapping[str, Any]
    Run = Callable[[ToolCall], str]

_TYPES: "dict[str, tuple[Any, str]]" = {
    "string": ((str,), "a string"),
    "integer": ((int,), "a whole number"),
    "boolean": ((bool,), "true or false"),
    "object": ((dict,), "an object"),
    "array": ((list,), "a list of strings"),
}


def take_text(about: str, *, most: int = 0, default: str | None = None) -> "Schema":
    return _schema("string", about, default, maxLength=most or None)


def take_whole(about: str, low: int, high: int | None = None, default: int | None = None) -> "Schema":
    return _schema("integer", about, default, minimum=low, maximum=high)


def take_flag(about: str, *, default: bool | None = None) -> "Schema":
    return _schema("boolean", about, default)


def take_choice(about: str, words: "tuple[str, ...]", default: str | None = None) -> "Schema":
    return _schema("string", about, default, enum=list(words))


def take_object(about: str) -> "Schema":
    return _schema("object", about, None)


def take_texts(about: str) -> "Schema":
    return {**_schema("array", about, None), "items": {"type": "string"}, "default": []}


def _schema(kind: str, about: str, default: object, **more: object) -> "Schema":
    given = {"type": kind, "description": about, **more, "default": default}
    return {key: value for key, value in given.items() if value is not None and value != ""}


def check_arguments(
    given: "Mapping[str, Any]",
    properties: "Mapping[str, Schema]",
    required: "tuple[str, ...]",
    other_names: "Mapping[str, str]",
) -> "dict[str, Any]":
    """Return the arguments with defaults; raise one sentence about the first error."""
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
        raise UsageError(f"{key} is {quote(value)}, not {name}")
    if isinstance(value, list) and not all(isinstance(entry, str) for entry in value):
        raise UsageError(f"{key} is {quote(value)}, not {name}")
    if "enum" in schema and value not in schema["enum"]:
        raise UsageError(f"{key} is {quote(value)}; known: {', '.join(schema['enum'])}")
    if "maxLength" in schema and len(value) > schema["maxLength"]:
        raise UsageError(f"{key} has {len(value):,} characters; at most {schema['maxLength']:,}")
    low, high = schema.get("minimum"), schema.get("maximum")
    if (low is not None and value < low) or (high is not None and value > high):
        bounds = f"at least {low}" if high is None else f"from {low} to {high}"
        raise UsageError(f"{key} is {quote(value)}; give a number {bounds}")


def _unknown(key: str, properties: "Mapping[str, Schema]") -> str:
    close = find_nearest(key, properties)
    hint = f"did you mean {close}?" if close else f"known: {', '.join(properties) or 'none'}"
    return f"there is no argument {quote(key)}; {hint}"


QUICK = "quick"


class Tool(Value):
    """A tool. `queue` is where its calls wait: slow families do not delay the others."""

    name: str
    about: str
    run: "Run"
    properties: "Mapping[str, Schema]" = fresh(dict)
    required: tuple[str, ...] = ()
    reads: bool = False
    queue: str = QUICK
    other_names: "Mapping[str, str]" = fresh(dict)

    def choose_queue(self, arguments: "Mapping[str, Any]") -> str:
        """Return the queue; `interrupt` and similar must get through while their own is full."""
        control = arguments.get("action") not in (None, "execute")
        return QUICK if control else self.queue

    def document(self) -> "dict[str, Any]":
        """Return the form for `tools/list`."""
        schema: dict[str, Any] = {"type": "object", "properties": dict(self.properties)}
        if self.required:
            schema["required"] = list(self.required)
        shown = {"name": self.name, "description": self.about, "inputSchema": schema}
        return {**shown, "annotations": {"readOnlyHint": True}} if self.reads else shown

"""Words of a prompt that ask for a mode, against the earlier program's."""

from ultrawork.core.prompt import mode_request, prose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .cases import Case, Place


def detection(case: "Case", _place: "Place") -> "tuple[Any, Any]":
    return _OPERATIONS[case.fn](case.input, case.expect)


def variants(case: "Case", _place: "Place") -> "tuple[Any, Any]":
    """Three copies of one detector: the document decides where it speaks, else the library."""
    named = case.expect.get("design_document")
    return _found(case.input), [named] if named else case.expect["library"]


def _found(given: "dict[str, Any]") -> list[str]:
    found = mode_request.find_modes(given["prompt"])
    if found is None:
        return []
    return ["cancel"] if found.cancel else [*found.modes, *found.others]


def _detect(given: "dict[str, Any]", expect: "dict[str, Any]") -> "tuple[Any, Any]":
    return _found(given), [one["type"] for one in expect["matches"]]


def _all(given: "dict[str, Any]", expect: "dict[str, Any]") -> "tuple[Any, Any]":
    return _found(given), expect["keywords"]


def _has(given: "dict[str, Any]", expect: "dict[str, Any]") -> "tuple[Any, Any]":
    return bool(_found(given)), expect["has"]


def _primary(given: "dict[str, Any]", expect: "dict[str, Any]") -> "tuple[Any, Any]":
    first = expect["primary"]
    return _found(given)[:1], [first["type"]] if first else []


def _own_words(given: "dict[str, Any]", expect: "dict[str, Any]") -> "tuple[Any, Any]":
    """What is left of a text; how its gaps are filled is everybody's own affair."""
    ours = prose.keep_own_words(given["text"]).replace(prose.OPAQUE, " ")
    return ours.split(), expect["text"].split()


def _prompt_text(given: "dict[str, Any]", expect: "dict[str, Any]") -> "tuple[Any, Any]":
    from ultrawork.core.hook_types import join_text

    return join_text(given["parts"]), expect["text"]


_OPERATIONS: "dict[str, Callable[[dict[str, Any], dict[str, Any]], tuple[Any, Any]]]" = {
    "detect": _detect,
    "all": _all,
    "has": _has,
    "primary": _primary,
    "strip_code": _own_words,
    "sanitize": _own_words,
    "prompt_text": _prompt_text,
}

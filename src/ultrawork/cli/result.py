"""What a verb answers, and the two ways to show it."""

from ..core import exits
from ..store.fast import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

VERSION = 1
SUCCESS = "success"
PARTIAL = "partial"
ERROR = "error"


class Result:
    """`text` is for people, `data` for programs; `warnings` make a success a partial one."""

    __slots__ = ("data", "exit", "text", "warnings")

    def __init__(
        self,
        data: object,
        text: str = "",
        *,
        exit: int = exits.DONE,  # noqa: A002 (it is the exit status)
        warnings: "Sequence[str]" = (),
    ) -> None:
        self.data = data
        self.text = text
        self.exit = exit
        self.warnings = list(warnings)


def envelope(result: Result) -> str:
    errors = [{"code": "warning", "message": text} for text in result.warnings]
    return _envelope(PARTIAL if errors else SUCCESS, result.data, errors)


def error_envelope(code: str, message: str) -> str:
    return _envelope(ERROR, None, [{"code": code, "message": message}])


def _envelope(status: str, data: object, errors: list[dict[str, str]]) -> str:
    return dumps({"version": VERSION, "status": status, "data": data, "errors": errors})

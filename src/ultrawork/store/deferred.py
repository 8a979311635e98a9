"""A store whose views are written later, many at once: the truth is in the database the moment it commits."""

from .state import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .paths import Home


class DeferredStore(Store):
    """Whoever uses it calls `flush` now and then, and at the end."""

    __slots__ = ("_touched",)

    def __init__(self, home: "Home", *, actor: str, clock: "Callable[[], float]") -> None:
        super().__init__(home, actor=actor, clock=clock)
        self._touched: dict[str, dict[str, None]] = {}

    def _show(self, session: str, views: list[str]) -> None:
        self._touched.setdefault(session, {}).update(dict.fromkeys(views))

    def flush(self) -> None:
        touched, self._touched = self._touched, {}
        for session, views in touched.items():
            super()._show(session, list(views))

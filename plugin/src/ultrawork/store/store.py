"""Open the store: the database, the state folder, and who acts when."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .database import Change, Database
    from .paths import Home


class Store:
    """`database` is opened on first use: printing help needs no state folder."""

    __slots__ = ("_clock", "actor", "database", "home", "warnings")
    database: "Database"

    def __init__(self, home: "Home", *, actor: str, clock: "Callable[[], float]") -> None:
        self.home = home
        self.actor = actor
        self.warnings: list[str] = []
        self._clock = clock

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> "Database":
            """Return the only part that is made late."""
            if name != "database":
                raise AttributeError(name)
            from .database import Database

            self.database = Database(self.home.database)
            return self.database

    def act_as(self, actor: str) -> "Store":
        """Return the same store for another actor; both share one connection."""
        store = Store(self.home, actor=actor, clock=self._clock)
        store.database = self.database
        return store

    def now(self) -> float:
        return self._clock()

    def change(self, session: str, *, durable: bool = False, many: bool = False) -> "Change":
        """Start a change of a session. Refuse a link in place of its folder before anything is written."""
        from .database import Change

        self.home.session(session)
        return Change(
            self.database,
            session=session,
            actor=self.actor,
            now=self._clock(),
            show=self._show,
            mark=self._mark,
            durable=durable,
            many=many,
        )

    def _show(self, session: str, views: list[str]) -> None:
        """Write the views. The next process writes those that fail now."""
        from .views import refresh

        self.warnings += refresh(self.database, self.home, session, views, id(self))

    def _mark(self, session: str, views: list[str]) -> None:
        from .views import mark_behind

        mark_behind(self.home, session, id(self), views)

    def catch_up(self, session: str) -> None:
        """Rewrite a session's views if an earlier process was killed before it wrote them."""
        from .views import list_left_marks

        if list_left_marks(f"{self.home.sessions}/{session}"):
            self._show(session, ["session"])

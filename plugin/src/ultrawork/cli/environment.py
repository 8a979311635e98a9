"""What a verb is given: its flags, declared as a table, parsed strictly and explained in its help; and its environment:
variables, folder, store, session, input. Some flags become options of a session, the same for every verb that starts or
resumes one."""

import os
import sys
from time import time

from ..core.check import find_nearest, parse_duration, parse_number, quote, require_choice
from ..core.errors import Conflict, UsageError
from ..core.session.session import OPTION_LIMIT, OPTION_NUMBERS, OPTION_SWITCHES
from ..store import paths, sessions
from ..store.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..core.session.session import Session
    from ..store.omc.folder import Omc
    from ..store.settings import Settings

TEXT = "text"


NUMBER = "number"


SWITCH = "switch"


MANY = "many"


class Flag:
    """A flag. `aliases` are other spellings, such as the documents' short ones."""

    __slots__ = ("aliases", "choices", "help", "kind", "metavar", "name", "required")

    def __init__(
        self,
        name: str,
        help: str,  # noqa: A002 (what every parser calls it)
        *,
        kind: str = TEXT,
        metavar: str = "TEXT",
        aliases: "Sequence[str]" = (),
        choices: "Sequence[str]" = (),
        required: bool = False,
    ) -> None:
        self.name = name
        self.help = help
        self.kind = kind
        self.metavar = "N" if kind == NUMBER else "|".join(choices) or metavar
        self.aliases = tuple(aliases)
        self.choices = tuple(choices)
        self.required = required

    @property
    def usage(self) -> str:
        words = ", ".join((self.name, *self.aliases))
        return words if self.kind == SWITCH else f"{words} {self.metavar}"


def switch(name: str, help: str, aliases: "Sequence[str]" = ()) -> Flag:  # noqa: A002 (as above)
    """A flag without a value."""
    return Flag(name, help, kind=SWITCH, aliases=aliases)


class Args:
    """The given flags by name; `rest` are the other words."""

    __slots__ = ("_values", "rest")

    def __init__(self, values: "dict[str, list[str]]", rest: list[str]) -> None:
        self._values = values
        self.rest = rest

    def having(self, name: str, value: str, rest: "Sequence[str] | None" = None) -> "Args":
        """Return the same with one more flag, or with other words."""
        values = {**self._values, **({name: [value]} if name else {})}
        return Args(values, list(self.rest if rest is None else rest))

    def text(self, name: str) -> str | None:
        values = self._values.get(name)
        return values[-1] if values else None

    def many(self, name: str) -> list[str]:
        return self._values.get(name, [])

    def on(self, name: str) -> bool:
        return name in self._values

    def number(self, name: str, *, low: int = 0, high: int = 1_000_000) -> int | None:
        value = self.text(name)
        return None if value is None else parse_number(value, f"value for {name}", low, high)


def parse_flags(words: "Sequence[str]", flags: "Sequence[Flag]", *, rest: str, verb: str) -> Args:
    """Parse the flags; `rest` names the words that may follow, empty if none may."""
    known = {spelling: flag for flag in flags for spelling in (flag.name, *flag.aliases)}
    values: dict[str, list[str]] = {}
    free: list[str] = []
    queue = list(words)[::-1]
    while queue:
        word = queue.pop()
        if word == "--":
            free += queue[::-1]
            break
        if not word.startswith("-") or word == "-" or word.startswith("->"):
            free.append(word)
            continue
        name, _, glued = word.partition("=")
        flag = known.get(name) or _unknown(name, known, verb)
        value = _value(flag, glued if "=" in word else None, queue)
        values.setdefault(flag.name, []).append(value)
    _refuse(values, free, flags, rest=rest, verb=verb)
    return Args(values, free)


def _unknown(name: str, known: "dict[str, Flag]", verb: str) -> Flag:
    close = find_nearest(name, known)
    hint = f"did you mean {close}?" if close else f"see ultrawork {verb} --help"
    raise UsageError(f"ultrawork {verb} has no flag {quote(name)}; {hint}")


def _value(flag: Flag, glued: str | None, queue: list[str]) -> str:
    if flag.kind == SWITCH:
        if glued is not None:
            raise UsageError(f"{flag.name} takes no value; remove {quote('=' + glued)}")
        return ""
    if glued is None and not queue:
        raise UsageError(f"{flag.name} needs a value: {flag.name} {flag.metavar}")
    value = glued if glued is not None else queue.pop()
    return require_choice(value, flag.choices, f"value for {flag.name}") if flag.choices else value


def _refuse(values: "dict[str, list[str]]", free: list[str], flags: "Sequence[Flag]", *, rest: str, verb: str) -> None:
    for flag in flags:
        if flag.required and flag.name not in values:
            raise UsageError(f"{flag.name} is required: ultrawork {verb} {flag.name} {flag.metavar}")
    if free and not rest:
        raise UsageError(f"unexpected argument {quote(free[0])}; see ultrawork {verb} --help")


SINCE = Flag("--since", "only those active within this time, such as 12h", metavar="TIME")


SESSION = Flag("--session", "session id, unique prefix, or last (default)", metavar="ID", aliases=("-s",))


JSON = Flag("--json", "print JSON: {version, status, data, errors}", kind=SWITCH)


HELP = Flag("--help", "show this help", kind=SWITCH, aliases=("-h",))


EVERYWHERE = (JSON, HELP)


def read_options(args: Args) -> dict[str, object]:
    options: dict[str, object] = {key: True for flag, key in OPTION_SWITCHES.items() if args.on(flag)}
    for flag, (key, low) in OPTION_NUMBERS.items():
        number = args.number(flag, low=low, high=OPTION_LIMIT)
        if number is not None:
            options[key] = number
    return options


PERSON = "person"
AGENT = "agent"
_AGENT_VARIABLES = (*paths.SHELL_SIGNS, *paths.SESSION_VARIABLES)
_INPUT_LIMIT = 10_000_000
_CLOCK = 1.0  # seconds that two clocks may differ
_FILE_LIMIT = 100_000_000


class VerbEnvironment:
    """The environment of a verb. `find_terminal` names the caller's terminal; empty if there is none."""

    __slots__ = ("_cwd", "_find_terminal", "environ", "json", "store")

    def __init__(
        self, environ: "Mapping[str, str]", *, json: bool = False, find_terminal: "Callable[[], str] | None" = None
    ) -> None:
        self._find_terminal = find_terminal or find_own_terminal
        self.environ = environ
        self.json = json
        self._cwd: str | None = None
        self.store = Store(paths.find_home(environ), actor=guess_actor(environ), clock=time)

    @property
    def cwd(self) -> str:
        if self._cwd is None:
            try:
                self._cwd = os.getcwd()
            except OSError:
                raise UsageError("the current folder no longer exists; change to another one") from None
        return self._cwd

    @property
    def place(self) -> str:
        """The checkout that a session belongs to."""
        return paths.find_checkout(self.cwd)

    def read_settings(self, place: str | None = None) -> "Settings":
        """Return the settings of a checkout, by default of this one."""
        from ..store.settings import load_at

        return load_at(self.environ, self.store.home, self.place if place is None else place)

    def require_person(self, act: str, way: str) -> str:
        """Return the user's terminal. Variables do not prove a user, but they can reveal an agent."""
        terminal = "" if self.store.actor == AGENT else self._find_terminal()
        if not terminal:
            raise Conflict(f"only the user {act}, in their own terminal; {way}")
        owner = find_ownerless_terminal(self._find_first_start())
        return self._require_code(terminal, owner, act) if owner else terminal

    def _find_first_start(self) -> float | None:
        """Return when the oldest open session of this checkout began; None if no agent can be running."""
        here = sessions.list_all(self.store.database)
        began = [session.started_at for session in here if session.working_dir == self.place and not session.ended_at]
        return min(began, default=None)

    def _require_code(self, terminal: str, owner: str, act: str) -> str:
        """Require a code from the client, because no one is known to have opened this terminal."""
        from shlex import join

        from ..store import consents

        home, now = self.store.home, self.store.now()
        command = join(["ultrawork", *sys.argv[1:]])
        if consents.is_taken(home, self.place, command, now):
            return f"{terminal}, with a code typed in the client"
        consents.request(home, self.place, command, terminal, now)
        raise Conflict(
            f"only the user {act}, and no login owns this terminal ({owner}). Your client shows a code"
            " at its next step; type the code there, then run this command again"
        )

    def has_yes(self, shown: list[str], question: str, way: str) -> bool:
        """Return the user's answer, typed at their own terminal; `way` is how a script answers."""
        import sys

        self.require_person("can approve this", way)
        if self.json:
            raise Conflict(f"--json cannot ask for approval; {way}")
        sys.stderr.write("\n".join([*(f"  {line}" for line in shown), f"{question} [y/N] "]))
        sys.stderr.flush()
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    @property
    def omc(self) -> "Omc":
        from ..store.omc.folder import Omc

        return Omc(self.place)

    def session(self, args: Args) -> "Session":
        """Return the named session, else the client's own, else this checkout's newest."""
        name, own = self.session_name(args), paths.find_client_session(self.environ)
        session = sessions.find_meant(self.store.database, name, own, self.place)
        self.store.catch_up(session.id)
        return session

    def shown_session(self, args: Args, *, checkouts: bool = False) -> "Session":
        """Return the session for a screen; without a name the newest here, those with a live client first. With
        `checkouts`, a newer `verify` in a terminal counts as one."""
        if self.session_name(args) is not None or paths.find_client_session(self.environ):
            return self.session(args)
        from ..report.summary import find_newest

        newest = find_newest(self.store, self.place, checkouts=checkouts)
        self.store.catch_up(newest.id)
        return newest

    def session_name(self, args: Args) -> str | None:
        """Return the session's name; document 001 uses the path of its file, which is accepted too."""
        name = args.text("--session")
        if name is not None and name.endswith("/session.json"):
            return name.split("/")[-2]
        return name

    def since(self, args: Args) -> float:
        """The moment that `--since` names; the beginning of time without it."""
        given = args.text("--since")
        return 0.0 if given is None else self.store.now() - parse_duration(given, "time for --since")

    def read(self, given: str, noun: str) -> str:
        """The text of `-` is standard input."""
        if given != "-":
            return given
        if sys.stdin is None:
            raise UsageError(f"standard input is closed; send the {noun} there")
        data = sys.stdin.buffer.read(_INPUT_LIMIT + 1)
        if len(data) > _INPUT_LIMIT:
            raise UsageError(f"the {noun} on standard input is larger than 10 MB; shorten it")
        return data.decode("utf-8", "replace")

    def read_file(self, path: str, noun: str) -> str:
        try:
            with open(path, "rb") as file:
                data = file.read(_FILE_LIMIT + 1)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "not a path"
            raise UsageError(f"could not read the {noun} {quote(path)}: {why}") from None
        if len(data) > _FILE_LIMIT:
            raise UsageError(f"the {noun} {quote(path)} is larger than 100 MB; split it")
        return data.decode("utf-8", "replace")

    def read_named(self, path: str, noun: str) -> str:
        """Return the text of a file; `-` is standard input."""
        return self.read(path, noun) if path == "-" else self.read_file(path, noun)


def find_own_terminal() -> str:
    """The terminal that this process belongs to; empty without one, and below an agent's program."""
    from ..core.caller import find_agent_above
    from ..system import ancestry

    terminal = ancestry.find_terminal()
    if not terminal or find_agent_above(ancestry.list_upwards(os.getpid())) is not None:
        return ""
    return terminal


def find_ownerless_terminal(since: float | None) -> str:
    """Return what a terminal detached since then is attached to, such as `script`; empty if a login or window owns it.
    A shell older than every session, as in a container, was not opened by their agents."""
    from ..core.caller import find_ownerless
    from ..system import ancestry

    process_fact = find_ownerless(ancestry.list_upwards(os.getpid())) if since is not None else None
    if process_fact is None or since is None:
        return ""
    age = ancestry.read_age(process_fact.pid)
    return process_fact.name if age is None or time() - age >= since - _CLOCK else ""


def guess_actor(environ: "Mapping[str, str]") -> str:
    """Return who is calling, by the environment; a hint for people, never a permission."""
    return AGENT if any(environ.get(name) for name in _AGENT_VARIABLES) else PERSON

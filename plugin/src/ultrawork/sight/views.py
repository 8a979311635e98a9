"""Draw each level of the full screen as lines: sessions, one session as a board, one agent, one receipt, one diff."""

from collections.abc import Sequence
from unicodedata import east_asian_width

from ..clients.headless.attempt import read_tail
from ..core import state as states
from ..core.errors import UltraworkError
from ..core.status_line import describe_check
from ..core.times import format_duration
from ..core.value import Value
from ..core.wording import count_things, cut, join_lines, strip_controls
from ..report.board import BoardRow, Part, read_parts
from ..report.components import SIGNS, describe_part
from ..report.evidence import render_receipt
from ..report.inbox import BLOCKS, render_facts
from ..store import receipts
from ..store.store import Store
from .model import AgentFacts, Look, read_agent

_GAP = 2
_SHORTEST = 8


class Column(Value):
    """`width` 0 takes the remaining width. The column is shown on screens of at least `least` columns."""

    name: str
    width: int
    least: int = 0


def choose_columns(columns: Sequence[Column], screen: int) -> list[tuple[int, int]]:
    """Return index and width of each column that fits this screen."""
    shown = [(at, column) for at, column in enumerate(columns) if column.least <= screen]
    free = sum(not column.width for _, column in shown)
    taken = sum(column.width for _, column in shown) + _GAP * (len(shown) - 1)
    share = max(_SHORTEST, (screen - taken) // free) if free else 0
    return [(at, column.width or share) for at, column in shown]


def lay_out(columns: Sequence[Column], rows: Sequence[Sequence[str]], screen: int) -> list[str]:
    """Return the heading and a line for each row, none wider than the screen."""
    chosen = choose_columns(columns, screen)
    heading = tuple(column.name for column in columns)
    return [_lay_row(row, chosen, screen) for row in (heading, *rows)]


def _lay_row(row: Sequence[str], chosen: Sequence[tuple[int, int]], screen: int) -> str:
    cells = [fit_cell(row[at], width) for at, width in chosen]
    return fit_cell((" " * _GAP).join(cells), screen).rstrip()


def fit_cell(text: str, width: int) -> str:
    """Return the text in exactly this many terminal cells. An ellipsis marks what was cut."""
    clean = " ".join(strip_controls(text).split()) if not text.isprintable() else text
    if clean.isascii():
        return f"{clean[: width - 1]}…" if len(clean) > width else clean.ljust(width)
    return _fit_wide(clean, width)


def _fit_wide(text: str, width: int) -> str:
    """Do the same for text with characters that take two cells."""
    sizes = [2 if east_asian_width(character) in "WF" else 1 for character in text]
    if sum(sizes) <= width:
        return text + " " * (width - sum(sizes))
    room, kept = width - 1, 0
    for size in sizes:
        if size > room:
            break
        room -= size
        kept += 1
    return f"{text[:kept]}…{' ' * room}"


def wrap(text: str, width: int, most: int = 0) -> list[str]:
    """Return the text in lines of at most this width, broken between words, and at most `most` lines if given."""
    from textwrap import wrap as wrap_words

    lines: list[str] = []
    for line in text.splitlines():
        lines += wrap_words(strip_controls(line), max(width, _SHORTEST)) or [""]
    if most and len(lines) > most:
        return [*lines[: most - 1], "…"]
    return lines


_SESSIONS = (
    Column("STATE", 15),
    Column("SESSION", 8),
    Column("PROJECT", 12, least=60),
    Column("GOAL", 0, least=120),
    Column("NOW", 0),
    Column("TASKS", 13, least=100),
    Column("COST", 8, least=80),
    Column("AGE", 11, least=70),
)
_ITEMS = (
    Column("QUESTION OR RESULT", 0),
    Column("PROJECT", 12),
    Column("TO TYPE", 44, least=130),
    Column("AGE", 11, least=70),
)
_PARTS = (
    Column("NAME", 16),
    Column("KIND", 5),
    Column("PROOF", 16),
    Column("WHAT", 0),
    Column("PROCESS", 8, least=100),
    Column("COST", 8, least=90),
    Column("AGE", 11, least=70),
)
# What needs the user or failed comes first, what has ended last.
_ORDER = (
    states.NEEDS_YOU, states.FAILING, states.COULD_NOT_RUN, states.LOST, states.UNKNOWN, states.WORKING,
    states.WAITING, states.STOPPED, states.CLAIMED, states.PASSING, states.PROVED, states.ENDED,
)  # fmt: skip
# Two columns need this width. On a narrower screen the facts come first.
_BESIDE = 100
_LONGEST = 20_000

SESSIONS, INBOX, BOARD, AGENT, RECEIPT, DIFF = ("sessions", "inbox", "board", "agent", "receipt", "diff")


class Place(Value):
    """Where the user is: a level, the session, and the part of it."""

    level: str = SESSIONS
    session: str = ""
    name: str = ""


class Drawn(Value):
    """A view as lines. `keys` name what each line opens; a text has none."""

    head: str
    lines: list[str]
    keys: list[str]


class Views:
    """Draws any place from the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.patches: dict[str, str] = {}

    def draw(self, place: Place, look: Look, width: int) -> Drawn:
        """Return the view of a place, at most `width` columns wide."""
        if place.level == INBOX:
            return self._draw_inbox(look, width)
        row = next((row for row in look.rows if row.session.id == place.session), None)
        if place.level == SESSIONS or row is None:
            return self._draw_sessions(look, width)
        draw = {BOARD: self._draw_board, AGENT: self._draw_agent, RECEIPT: self._draw_receipt, DIFF: self._draw_diff}[
            place.level
        ]
        try:
            return draw(row, place.name, width)
        except UltraworkError as error:
            return Drawn(_name_row(row), [str(error)], [])

    def _draw_sessions(self, look: Look, width: int) -> Drawn:
        questions = {item.row.session.id: item.question for item in look.items if item.rank == BLOCKS}
        rows = sorted(look.rows, key=lambda row: (row.session.id not in questions, _ORDER.index(row.state.word)))
        cells = [self._list_cells(row, questions.get(row.session.id, "")) for row in rows]
        head = f"{_count_blocking(look)}, {count_things(len(rows), 'session')}"
        return Drawn(head, lay_out(_SESSIONS, cells, width), ["", *(row.session.id for row in rows)])

    def _draw_inbox(self, look: Look, width: int) -> Drawn:
        """Draw the items in the order of the inbox. Each opens its session."""
        cells = [
            (
                f"  {join_lines(item.question or item.row.session.goal)}",
                item.row.project,
                item.command,
                self._age(item.since),
            )
            for item in look.items
        ]
        lines, keys = _group(
            lay_out(_ITEMS, cells, width),
            [item.rank for item in look.items],
            [item.row.session.id for item in look.items],
            [render_facts(item.facts) for item in look.items],
        )
        head = f"inbox: {_count_blocking(look)}"
        if not look.items:
            return Drawn(head, ["nothing needs you, and nothing is running"], [])
        return Drawn(head, lines, keys)

    def _list_cells(self, row: BoardRow, question: str) -> tuple[str, ...]:
        goal = join_lines(row.session.goal)
        doing = describe_check(row.check, self._store.now()) if row.check else row.state.what
        doing = question or doing
        since = self._age(row.state.since or row.session.updated_at)
        now = join_lines("" if doing == row.state.word else doing) or goal
        return (sign(row.state.word), row.id, row.project, goal, now, row.progress, row.cost, since)

    def _draw_board(self, row: BoardRow, _name: str, width: int) -> Drawn:
        parts = sorted(read_parts(self._store, row.session, row), key=lambda part: _ORDER.index(part.state.word))
        lines, keys = _group(
            lay_out(_PARTS, [self._list_part_cells(part) for part in parts], width),
            [sign(part.state.word) for part in parts],
            [f"{part.kind}:{part.name}" for part in parts],
        )
        head = f"{_name_row(row)}\n{cut(join_lines(row.session.goal), 2 * width)}"
        return Drawn(head, lines, keys)

    def _list_part_cells(self, part: Part) -> tuple[str, ...]:
        row = describe_part(part, self._store.now())
        cost = "" if part.cost_usd is None else f"${part.cost_usd:.2f}"
        since = self._age(part.state.since)
        return (f"  {row.name}", row.kind, row.proof, join_lines(row.what), row.process, cost, since)

    def _draw_agent(self, row: BoardRow, name: str, width: int) -> Drawn:
        agent = read_agent(self._store, row.session, name)
        process = agent.part.driver
        where = f", process {process.pid}" if process.pid and process.is_alive else ""
        head = f"{agent.part.name}  {agent.part.text}  {agent.part.state.line}{where}"
        lines = [
            f"now      {agent.doing or 'nothing'}",
            f"files    {', '.join(agent.files) or 'none known'}",
            f"cost     {agent.cost or 'not reported'}",
            "",
            *_set_beside(agent, width),
        ]
        return Drawn(head, lines, [])

    def _draw_receipt(self, row: BoardRow, name: str, _width: int) -> Drawn:
        receipt = receipts.get(self._store.database, row.session.id, int(name))
        folder = self._store.home.session(row.session.id)
        lines = [*render_receipt(receipt).splitlines(), "", "output"]
        log = read_tail(f"{folder}/{receipt['output']['log']}").splitlines()
        kept = [f"  {line}" for line in log] or ["  the check printed nothing, or its output is no longer kept"]
        return Drawn(f"{row.id}  receipt #{name}", [*lines, *kept], [])

    def _draw_diff(self, row: BoardRow, _name: str, _width: int) -> Drawn:
        text = self.patches.get(row.session.id, "reading the changes …")
        return Drawn(f"{row.id}  changes of this session", text.splitlines()[:_LONGEST], [])

    def _age(self, since: float) -> str:
        return format_duration(max(0.0, self._store.now() - since)) if since else ""

    def open_key(self, place: Place, key: str) -> Place:
        """Return the place that Enter opens on this key; the same place if it opens nothing."""
        if place.level in (SESSIONS, INBOX):
            return Place(BOARD, key)
        kind, _, name = key.partition(":")
        if kind == "check":
            last = receipts.list_last_results(self._store.database, place.session).get(name)
            return Place(RECEIPT, place.session, str(last[2])) if last else place
        return Place(AGENT, place.session, name)


def sign(word: str) -> str:
    """Return the state with its sign, since no state is shown by color alone."""
    return f"{SIGNS.get(word, ' ')} {word}"


def _group(
    table: list[str], groups: list[str], names: list[str], below: list[list[str]] | None = None
) -> tuple[list[str], list[str]]:
    """Return the lines of a table with a heading before each group, and the key of each line. `below` are lines that
    belong to the one above and open nothing."""
    lines, keys, before = table[:1], [""], ""
    more = below or [[] for _ in names]
    for line, group, name, facts in zip(table[1:], groups, names, more, strict=True):
        if group != before:
            before = group
            lines.append(f"{group} ({groups.count(group)})")
            keys.append("")
        lines += [line, *facts]
        keys += [name, *([""] * len(facts))]
    return lines, keys


def _count_blocking(look: Look) -> str:
    return f"{look.blocking} need{'s' if look.blocking == 1 else ''} you"


def _name_row(row: BoardRow) -> str:
    facts = (row.state.line, row.progress, row.cost)
    return f"{row.id}  {row.project}  " + ", ".join(part for part in facts if part)


def _set_beside(agent: AgentFacts, width: int) -> list[str]:
    """Return what the agent says on the left and what was seen on the right."""
    if width < _BESIDE:
        facts = [line for text in agent.facts for line in wrap(f"- {text}", width - 2)]
        words = [line for text in agent.words for line in wrap(f"- {text}", width - 2, 4)]
        return ["what we saw", *facts, "", "what it says", *words]
    half = width // 2 - 2
    left = [line for text in agent.words for line in wrap(f"- {text}", half, 4)]
    right = [line for text in agent.facts for line in wrap(f"- {text}", half)]
    rows = max(len(left), len(right))
    left, right = left + [""] * (rows - len(left)), right + [""] * (rows - len(right))
    table = [("what it says", "what we saw"), *zip(left, right, strict=True)]
    return [f"{first:<{half}}  │ {second}".rstrip() for first, second in table]

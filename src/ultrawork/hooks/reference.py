"""The reference page of the hooks, made from their table: `python -m ultrawork.hooks.reference` writes it."""

from ..core.bridge import TYPES
from .shown import shown_by
from .table import HANDLERS, JOBS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_HEAD = """\
# Hooks

Every behaviour that hooks have, by the event at which it acts and in the order in which it is asked.
This page is made from `src/ultrawork/hooks/table.py` by `make generate`; `ultrawork doctor --hooks`
shows the same table with what each event costs on your machine.

- One event is one process. While nothing is on it ends in the shell, within about a millisecond.
- `ULTRAWORK_SKIP_HOOKS=name,name` switches off the behaviours of these names, or all those of a hook type.
- `ULTRAWORK_DISABLE=1` switches off everything; a session that was on is then let go, aloud.
- *features:* only where a person has switched on a feature of the project (`ultrawork features on`).
- *planned sessions:* only in sessions that `/ultrawork:ultrawork` and its kin began.
- *swarm:* only in sessions that lead a swarm or work in one.
- *test:* runs a real client with the behaviour switched off, and shows that the session goes another way.
- A behaviour that fails is written to `logs/hooks.log` in the state folder; the others go on.
"""
_JOBS = """\
## Beside a session

Work of our own that goes on while the agent does, started by the behaviours above or kept by the client.
"""


class Behaviour:
    """A row of the table with its place in it; `name` is also what switches it off, and `test` does that."""

    __slots__ = ("event", "name", "order", "test", "what")

    def __init__(self, event: str, order: int, name: str, what: str, test: str) -> None:
        self.event = event
        self.order = order
        self.name = name
        self.what = what
        self.test = test


def behaviours() -> "Iterator[Behaviour]":
    for event, rows in {**HANDLERS, **JOBS}.items():
        for order, (name, target, what) in enumerate(rows, 1):
            yield Behaviour(event, order, name, what, shown_by(name, target))


def page() -> str:
    found = list(behaviours())
    lines = [_HEAD]
    for event in HANDLERS:
        lines += [
            f"## {event}",
            "",
            *_types(event),
            *_table([b for b in found if b.event == event]),
        ]
    jobs = [b for b in found if b.event in JOBS]
    return "\n".join([*lines, _JOBS, *_table(jobs)])


def _types(event: str) -> list[str]:
    named = [f"`{name}`" for name, (of, _, _) in TYPES.items() if of == event]
    return [f"Hook type: {', '.join(named)}.", ""] if named else []


def _table(rows: "Sequence[Behaviour]") -> list[str]:
    told = [f"| {one.order} | `{one.name}` | {one.what} | `{one.test}` |" for one in rows]
    head = "| order | name, and its switch | what it does | test |"
    return [head, "|---|---|---|---|", *told, ""]


def main() -> None:
    import os

    from ..store import atomic

    root = os.path.dirname(os.path.abspath(__file__)).rsplit("/", 3)[0]
    atomic.write(f"{root}/docs/reference/hooks.md", page(), mode=0o644)


if __name__ == "__main__":
    main()

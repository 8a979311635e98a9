"""Words of a prompt that order a way of working: `plan this`, `tdd`, `review my changes` bring its page along."""

from ...core.prompt.order import MACHINE_MADE
from ...core.routing.catalogue import list_ordered_skills
from ..answer import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..event import Event

# More than two get in each other's way; a composition may name a few more on purpose.
MOST = 4


def tell_pages(event: "Event") -> Answer | None:
    """The model may not call these skills by itself: who orders one in words gets its page at once."""
    prompt = event.text("prompt")
    if prompt.lstrip().lower().startswith(("/", "$", *MACHINE_MADE)):
        return None
    found = dict(list_ordered_skills(prompt))
    told = list(_list_pages(found))[:MOST]
    if not told:
        return None
    _note(event, found)
    return Answer(context="\n\n".join(told))


def _list_pages(found: "dict[str, str]") -> "Iterator[str]":
    from ...content import blocks, front_matter
    from ...store.plugin import find_root

    for name, said in found.items():
        try:
            with open(f"{find_root()}/skills/{name}/SKILL.md", encoding="utf-8") as file:
                body = blocks.strip_marks(front_matter.get_body(file.read())).strip()
        except OSError:
            continue
        yield f'ultrawork: "{said}" asks for this way of working ({name}); follow it:\n{body}'


def _note(event: "Event", found: "dict[str, str]") -> None:
    """In the trace, where there is one."""
    from ...store import trace
    from ..tool import is_traced

    if is_traced(event):
        for name, said in found.items():
            entry = {"at": event.clock(), "kind": "keywords", "what": f"{said}: {name}"}
            trace.append(event.home, event.session, entry)

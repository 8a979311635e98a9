"""Words of a prompt that order a way of working (`plan this`, `tdd`) or need one (`the total is wrong`) load its page."""

from collections.abc import Iterator

from ...core.prompt.mode_request import may_order
from ...core.prompt.order import MACHINE_MADE
from ...core.routing.catalogue import choose_page, list_ordered_skills
from ...store.atomic import read_text
from ..event import Answer, Event

# More than two pages at once contradict each other; a composition may name a few more on purpose.
MOST = 4
LOADED, SUGGESTED = "loaded the skill", "suggested the agent"
AGENT = (
    "ultrawork: the agent ultrawork:{name} fits this request. Start it with the request, or do a small change yourself."
)


def tell_pages(event: Event, *, may_need: bool) -> Answer | None:
    """Return the pages of the ways of working that a prompt orders, or else the page that an everyday request needs."""
    prompt = event.text("prompt")
    if prompt.lstrip().lower().startswith(("/", "$", *MACHINE_MADE)):
        return None
    phrases = dict(list_ordered_skills(prompt)) if may_order(prompt) else {}
    pages = dict(list(_list_pages(phrases))[:MOST])
    if not pages and may_need:
        pages = _find_needed(event, prompt, phrases)
    if not pages:
        return None
    _note(event, {name: phrases[name] for name in pages})
    return Answer(context="\n\n".join(pages.values()), message=_show(event, pages, phrases))


def _find_needed(event: Event, prompt: str, phrases: dict[str, str]) -> dict[str, str]:
    """Return the page that an everyday request needs, once per session for each page."""
    from ...store import markers

    name, phrase = choose_page(prompt)
    hinted = markers.get(event.home, markers.HINTED, event.session) or {}
    if not name or f"page {name}" in hinted:
        return {}
    markers.put(event.home, markers.HINTED, event.session, {**hinted, f"page {name}": True})
    phrases[name] = phrase
    return dict(_list_pages(phrases)) or {name: AGENT.format(name=name)}


def _show(event: Event, pages: dict[str, str], phrases: dict[str, str]) -> str:
    """Return the line that the user sees."""
    if event.settings["trigger.plain"]:
        return ""
    lines = (
        f'ultrawork: {SUGGESTED if AGENT.format(name=name) == text else LOADED} {name} ("{phrases[name]}")'
        for name, text in pages.items()
    )
    return "\n".join(lines)


def _list_pages(phrases: dict[str, str]) -> Iterator[tuple[str, str]]:
    from ...content import library
    from ...store.paths import find_root

    for name, phrase in phrases.items():
        text = read_text(f"{find_root()}/skills/{name}/SKILL.md")
        if text is not None:
            body = library.get_prompt(text)
            yield name, f'ultrawork: "{phrase}" asks for this workflow ({name}). Follow it:\n{body}'


def _note(event: Event, phrases: dict[str, str]) -> None:
    """Record the loaded pages in the trace, if there is one."""
    from ...store import trace
    from ..tool import is_traced

    if is_traced(event):
        for name, phrase in phrases.items():
            entry = {"at": event.clock(), "kind": "keywords", "what": f"{phrase}: {name}"}
            trace.append(event.home, event.session, entry)

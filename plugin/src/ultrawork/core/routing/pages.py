"""The page that an everyday request needs although it names no way of working.

Phrases of `words/catalogue.toml` decide first, then the agent for the work, whose page is listed there too."""

import re
from collections.abc import Sequence

DEBUGGING = "systematic-debugging"
LONGEST = 1_500  # characters of a request; a longer one already says how to work
WIDTH = 50  # of the words that decided, where the whole request did

FEWEST = (
    3  # words of a request; a shorter one says what is meant only to who sees what was said before
)


def may_need(prompt: str) -> bool:
    return len(prompt) <= LONGEST and len(prompt.split()) >= FEWEST


def choose_page(words: str) -> tuple[str, str]:
    """Return a skill, or an agent without a skill, and the words that decided; empty if no page is needed."""
    from ..wording import cut, join_lines
    from . import catalogue_words as table
    from .catalogue import choose_agent, keep_orders
    from .likeness import find_like

    text = keep_orders(words)
    for name, patterns in table.WISHES.items():
        said = _find(patterns, text)
        if said:
            return name, said
    agent, said, delegate = choose_agent(words)
    if agent and not delegate:
        return table.PAGES.get(agent, agent), said.split('"')[1]
    said = _find(table.SYMPTOMS, text)
    if said:
        return DEBUGGING, said
    like = find_like(text)
    return (like, cut(join_lines(words), WIDTH)) if like else ("", "")


def _find(patterns: Sequence[str], text: str) -> str:
    found = re.search(rf"(?<![\w-])(?:{'|'.join(patterns)})", text, re.IGNORECASE)
    return found[0].strip() if found else ""

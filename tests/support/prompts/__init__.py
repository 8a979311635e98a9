"""Prompts as data: makes the agents and skills that the plugin ships from `prompts/`, and checks them."""

from . import calls, library, rules, sync
from .library import Library
from .roster import ContentComplaint

__all__ = ["ContentComplaint", "Library", "library", "list_complaints", "sync"]


def list_complaints(members: Library) -> list[ContentComplaint]:
    return [*rules.list_complaints(members), *calls.list_complaints(members), *sync.list_complaints(members)]

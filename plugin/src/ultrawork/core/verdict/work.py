"""Read the work against the request: nothing done, words only, an explicit part missing, functions that do nothing.

Each of these is sent back once at most. What the goal asks for is read by `request`; here are only the comparisons
with what happened."""

import re
from collections.abc import Sequence

from ..patterns import compile_late
from ..value import Value, fresh
from ..wording import name_some

_SHOWN = 3


class WorkDone(Value):
    """The work. `changed`: any file changed; `outside`: what was done beside the files; `expects` is WORK, EITHER or
    ANSWER of `goals`. `words_only` and `tests_only`: comments and docs, or tests, changed and
    nothing else, and the goal wants something else. `uncommitted` are changed paths that HEAD does not hold.
    `committed`: the goal asks for a commit, and HEAD holds all files. `idle` are new functions that do nothing and count
    as unfinished. `is_unshown_fix`: tests run the changed code and none notices it."""

    expects: str = ""
    changed: bool = False
    outside: str = ""
    words_only: bool = False
    tests_only: bool = False
    asked_names: Sequence[str] = fresh(list)
    asks_commit: bool = False
    committed: bool = False
    uncommitted: Sequence[str] = fresh(list)
    asks_push: bool = False
    pushed: bool = True
    asks_tests: bool = False
    tests_ran: bool = False
    idle: Sequence[str] = fresh(list)
    nowhere: Sequence[str] = fresh(list)
    is_unshown_fix: bool = False

    @property
    def where(self) -> str:
        return self.uncommitted[0] if self.uncommitted else ""

    @property
    def words(self) -> dict[str, str]:
        idle = [f"{name}()" for name in self.idle]
        return {
            "outside": f"; the agent {self.outside}" if self.outside else "",
            "kind": "tests" if self.tests_only else "comments or docs",
            "names": name_some(idle or self.asked_names, _SHOWN) or "other behavior",
            "does": "do" if len(self.idle) > 1 else "does",
            "first": idle[0] if idle else "",
            "where": self.where,
            "nowhere": name_some([f"`{name}`" for name in self.nowhere], _SHOWN),
        }


_REMOVES = compile_late(
    r"(?i)\b(?:discard|reset|throw\w*\b.{0,60}\baway|clean|stash|drop|remove|delete|revert|undo|restore|(?:get )?rid of|roll back)\b"
)
_OWN_WORK = compile_late(
    r"(?i)\b(?:changes?|work|edits?|modifications?|uncommitted|untracked|unstaged|local|everything|check-?out|work(?:ing)?[ -]?tree|"
    r"stash(?:es)?|git (?:reset|clean|checkout|restore|stash))\b"
)


def is_loss_requested(goal: str, path: str, *, edits: bool) -> bool:
    """Return whether the goal asks for this work of the user to go: their changes as such, or the thing that a path
    names. For edits within a file the path must be named in full: "remove the shop banner" mentions no edit in
    shop.py."""
    for clause in re.split(r"[.;!?](?:\s|$)|\n|,? (?:and then|then|but) ", goal):
        if not _REMOVES.search(clause):
            continue
        words = {word.lower().rstrip("s") for word in re.findall(r"\w{3,}", clause)}
        named = {word.lower().rstrip("s") for word in re.findall(r"[^\W_]{3,}", path)}
        if _OWN_WORK.search(clause) or path in clause or (not edits and words & named):
            return True
    return False

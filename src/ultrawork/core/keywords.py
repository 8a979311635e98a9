"""
Which mode does a person's prompt ask for?

Runs on every prompt: `may_name` is all that the common one costs. What the words mean in their sentence
is judged in `keywords_judged`, by the same grammar as the word `ulw`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .composing import Composition
    from .keywords_found import Asked

# A prompt with none of these names no mode, in whichever words.
STEMS = (
    "ulw", "ultrawork", "ralph", "pilot", "full auto", "full-auto", "fullsend", "team", "swarm", "pipeline",
    "ultraqa", "ultra qa", "ultra-qa", "qa cycl", "qa-cycle", "qa loop", "qa-loop", "cancelomc", "stopomc", " agents", "parallel build",
    "ild me ", "ate me ", "ake me ", "lop me ", "i want a", "i'd like a", "i\u2019d like a", "t stop", "r stop",
    " give up", "t quit", "r quit", " rest until", " rest till", "must complete", "keep going", "keep working",
    "keep at it", "keep trying", "keep iterating", "keep fixing", "handle it all", "handle everything",
    "handle all of it",
)  # fmt: skip


class Found:
    """
    `modes` in their order, those that give way left out; `cancel` ends them all, and then there are none.
    `hint` is a mode that is only mentioned in passing: it may be named to the person, never begun.
    `goal` is the request without the words that it does not need; `composed` says how its parts go
    together, `others` which of them are enhancements.
    """

    __slots__ = ("cancel", "composed", "goal", "hint", "others")

    def __init__(
        self,
        composed: "Composition | None" = None,
        *,
        goal: str = "",
        cancel: bool = False,
        hint: str = "",
        others: tuple[str, ...] = (),
    ) -> None:
        self.composed = composed
        self.goal = goal
        self.cancel = cancel
        self.hint = hint
        self.others = others

    @property
    def modes(self) -> tuple[str, ...]:
        return () if self.composed is None else self.composed.modes


def may_name(lower: str) -> bool:
    """Whether a prompt, in lower case, can speak of a mode at all."""
    return any(stem in lower for stem in STEMS)


def detect(prompt: str, words: "Sequence[str] | None" = None) -> Found | None:
    """
    What is asked for; None where no mode is, or where one is only spoken about.
    `words` are those that mean ultrawork.
    """
    from . import trigger

    known = [word.lower() for word in (trigger.WORDS if words is None else words)]
    lower = trigger.lowered(prompt)
    named = may_name(lower) or any(word in lower for word in known)
    if not named or trigger.is_not_for_us(lower) or trigger.command(prompt) is not None:
        return None
    from .keywords_found import asked

    return _resolved(asked(prompt, known))


def _resolved(found: "Asked") -> Found | None:
    from .composing import compose

    if found.cancel:
        return Found(cancel=True)
    if found.modes:
        made = compose([*found.modes, *found.others])
        return Found(made, goal=found.goal, others=tuple(found.others))
    return Found(hint=found.hint) if found.hint else None

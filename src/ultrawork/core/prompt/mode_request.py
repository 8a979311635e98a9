"""
Which mode does a person's prompt ask for?

Runs on every prompt: `may_name` is all that the common one costs. What the words mean in their sentence
is judged in `keywords_judged`, by the same grammar as the word `ulw`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .composition import Composition
    from .mode_places import PromptModes

# A prompt with none of these names no mode, in whichever words.
STEMS = (
    "ulw", "ultrawork", "ralph", "pilot", "full auto", "full-auto", "fullsend", "team", "swarm", "pipeline",
    "ultraqa", "ultra qa", "ultra-qa", "qa cycl", "qa-cycle", "qa loop", "qa-loop", "cancelomc", "stopomc", " agents", "parallel build",
    "ild me ", "ate me ", "ake me ", "lop me ", "i want a", "i'd like a", "i\u2019d like a", "t stop", "r stop",
    " give up", "t quit", "r quit", " rest until", " rest till", "must complete", "keep going", "keep working",
    "keep at it", "keep trying", "keep iterating", "keep fixing", "handle it all", "handle everything",
    "handle all of it",
)  # fmt: skip


class ModeRequest:
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


def find_modes(prompt: str, words: "Sequence[str] | None" = None) -> ModeRequest | None:
    """
    What is asked for; None where no mode is, or where one is only spoken about.
    `words` are those that mean ultrawork.
    """
    from . import order

    known = [word.lower() for word in (order.WORDS if words is None else words)]
    lower = order.lower_in_place(prompt)
    named = may_name(lower) or any(word in lower for word in known)
    if not named or order.is_not_for_us(lower) or order.find_free_word(prompt) is not None:
        return None
    from .mode_places import collect_modes

    return _resolved(collect_modes(prompt, known))


def _resolved(found: "PromptModes") -> ModeRequest | None:
    from .composition import compose

    if found.cancel:
        return ModeRequest(cancel=True)
    if found.modes:
        made = compose([*found.modes, *found.others])
        return ModeRequest(made, goal=found.goal, others=tuple(found.others))
    return ModeRequest(hint=found.hint) if found.hint else None

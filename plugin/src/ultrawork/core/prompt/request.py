"""What was found in a prompt. Loaded only where there is something: most prompts ask for nothing of ours."""

from ..value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .composition import Composition


class Order(Value):
    """
    `goal` is the prompt without the keyword, or whole where the sentence needs it (`with ulw`);
    `position` is where the keyword stands in the prompt.
    """

    goal: str
    position: int


class FreeWord(Value):
    """A free word that the hook answers by itself; `argument` is the reason of `accept`."""

    name: str
    argument: str = ""


class ModeRequest(Value):
    """
    `modes` in their order, those that give way left out; `cancel` ends them all, and then there are none.
    `hint` is a mode that is only mentioned in passing: it may be named to the person, never begun.
    `goal` is the request without the words that it does not need; `composed` says how its parts go
    together, `others` which of them are enhancements.
    """

    composed: "Composition | None" = None
    goal: str = ""
    cancel: bool = False
    hint: str = ""
    others: tuple[str, ...] = ()

    @property
    def modes(self) -> tuple[str, ...]:
        return () if self.composed is None else self.composed.modes

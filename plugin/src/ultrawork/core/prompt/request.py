"""What was found in a prompt. Loaded only if there is something: most prompts contain nothing for us."""

from ..value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .composition import Composition


class Order(Value):
    """A request for work. `goal` is the prompt without the keyword, or whole if the sentence needs it (`with ulw`);
    `position` is where the keyword is."""

    goal: str
    position: int


class FreeWord(Value):
    """A command that the hook answers itself; `argument` is the reason of `accept`."""

    name: str
    argument: str = ""


class ModeRequest(Value):
    """A request for modes. `modes` in order, without those that give way; `cancel` ends them all, and then there are
    none. `hint` is a mode mentioned in passing: it may be suggested, never started. `goal` is the request without
    words that it does not need; `composed` says how its parts combine, `others` which of them are enhancements."""

    composed: "Composition | None" = None
    goal: str = ""
    cancel: bool = False
    hint: str = ""
    others: tuple[str, ...] = ()

    @property
    def modes(self) -> tuple[str, ...]:
        return () if self.composed is None else self.composed.modes

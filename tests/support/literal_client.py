"""A page's client screens in the real client: what is typed there is typed, what the agent does comes from a scripted model."""

import re

from . import ulw
from .page_blocks import list_blocks, mask_places, split_typed
from .page_projects import ACTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .terminal import Terminal
    from .ulw import Step

PERSON, AGENT = "\u276f ", "● "
# On a wider screen the client opens a panel beside the conversation, which cuts its lines.
ROWS, COLUMNS = 140, 110
_PATIENCE = 60.0
_SESSION = re.compile(r"\b[0-9a-f]{4}(?= \d\d:\d\d\b)")
# A receipt's number depends on which of two checks ended first.
_NUMBER = re.compile(r"#\d+\b")


class EditSteps:
    """Takes the edits of a page's agent as steps of a model."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.steps: list[Step] = []

    def edit(self, name: str, text: str) -> None:
        self.steps += ulw.write(self.folder, name, text)


def list_lines(text: str) -> list[tuple[str, str]]:
    """What is typed and said in the page's sessions, each with the lines below it."""
    return [line for block in list_blocks(text) if block.kind == "client" for line in split_typed(block.text)]


def make_script(page: str, text: str, folder: str) -> "list[dict[str, object]]":
    replies: list[Step] = []
    for typed, _ in list_lines(text):
        if typed.startswith(AGENT):
            edits = EditSteps(folder)
            for act in ACTS.get((page, typed), ()):
                act(edits)  # type: ignore[arg-type]  # an act of a page only edits
            replies += [*edits.steps, {"text": typed.removeprefix(AGENT)}]
    return [{"match": {"agent": "main"}, "replies": replies, "after": "repeat"}]


def play(text: str, terminal: "Terminal") -> None:
    """Type what the page types, and wait each time until the screen shows every line that the page shows."""
    for typed, shown in list_lines(text):
        if typed.startswith(PERSON):
            ulw.say(terminal, typed.removeprefix(PERSON))
        wanted = [flatten(line) for line in shown.splitlines() if line.strip(" …")]

        def is_shown(screen: str, wanted: list[str] = wanted) -> bool:
            return not list_missing(screen, wanted)

        terminal.wait_until(is_shown, f"every line of: {typed}\n{shown}", _PATIENCE)


def list_missing(screen: str, wanted: list[str]) -> list[str]:
    flat = flatten(screen)
    return [line for line in wanted if line not in flat]


def flatten(text: str) -> str:
    """A screen wraps lines; what differs between two runs has one name."""
    flat = _NUMBER.sub("#N", _SESSION.sub("ID", " ".join(text.split())))
    return " ".join(mask_places(flat).split())

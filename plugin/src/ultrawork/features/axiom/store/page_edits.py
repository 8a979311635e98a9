"""What someone changed on the pages of `.omc/axiom` since we wrote them; runs at every start, so it loads little."""

from ....core.errors import Trouble
from ....core.value import Value
from ....store import checkouts
from ....store.database import Database
from ....store.omc.folder import HASTE, Omc
from ..values import pages
from ..values.pages import PageEdit
from . import ledger


class EditedPage(Value):
    """What someone changed on a page, and its unreadable parts."""

    name: str
    text: str
    edits: list[PageEdit]
    garbled: list[tuple[str, str]]


def open_folder(place: str) -> Omc:
    return Omc(checkouts.find_owner(place), patience=HASTE)


def read_axiom_page(omc: Omc, page: str) -> str | None:
    try:
        return omc.read(f"{omc.top}/{pages.FOLDER}/{page}")
    except Trouble:
        return None


def list_edited_pages(database: "Database", place: str) -> list[EditedPage]:
    """Return pages that differ from what we wrote; one that came with the repository was never ours."""
    omc, name = open_folder(place), ledger.name_ledger(place)
    rows = database.rows("SELECT name, text FROM axiom_pages WHERE ledger=?", name)
    written = dict(rows)
    edited_pages = []
    for page in pages.PAGES:
        text = read_axiom_page(omc, page)
        if text is None or text == written.get(page):
            continue
        edits, garbled = pages.compare_pages(page, written.get(page, ""), text)
        if edits or garbled:
            edited_pages.append(EditedPage(page, text, edits, garbled))
    return edited_pages

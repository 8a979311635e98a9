"""`.omc/axiom` on disk: pages of entries, the state of requirements, and the papers of the open one.

A page that someone changed since we wrote it is not overwritten: it waits for the user, `ultrawork axiom sync`. The
other pages are only shown, always from the store."""

import os
from collections.abc import Mapping

from ....core.session.session import Session
from ....store import tasks
from ....store.codec import dumps_pretty
from ....store.database import Database, Transaction
from ....store.omc.folder import Omc
from ..values import context_pages, pages, states
from ..values.context_pages import RequirementView
from . import entries, ledger, proposals
from .page_edits import EditedPage, list_edited_pages, open_folder, read_axiom_page

ASIDE = "aside"
REQUIREMENTS = "requirements"
# No one reads more of one paper on a page.
_LONGEST = 100_000


def show(database: "Database", session: "Session") -> None:
    """Write what a change of memory or of a requirement shows; an edited page stays."""
    name = session.id if ledger.is_ledger(session.id) else ledger.name_ledger(session.working_dir)
    if database.row("SELECT 1 FROM sessions WHERE id=?", name) is None:
        return
    omc = open_folder(session.working_dir)
    if ledger.is_ledger(session.id):
        _show_memory(database, omc, name)
    else:
        _show_requirement(database, omc, session)
    _write(omc, context_pages.ACTIVE_PAGE, _render_active(database, session))


def _show_memory(database: "Database", omc: Omc, name: str) -> None:
    known = entries.list_all(database, name)
    edited = {edited_page.name for edited_page in list_edited_pages(database, omc.top)}
    for page in pages.PAGES:
        if page not in edited:
            _write_page(database, omc, name, page, pages.render_entry_page(page, known))
    runs = ledger.list_runs(database, name)
    _write(omc, context_pages.STATES_PAGE, context_pages.render_states())
    _write(omc, context_pages.RULES_PAGE, context_pages.render_rules())
    _write(omc, context_pages.QUEUE_PAGE, context_pages.render_queue_page(proposals.list_all(database, name)))
    _write(omc, context_pages.METRICS_PAGE, context_pages.render_metrics(runs))
    figures = {**context_pages.sum_metrics(runs), "entries": entries.count_by_kind(database, name)}
    _write(omc, context_pages.USAGE_PAGE, dumps_pretty(figures))


def _write(omc: Omc, name: str, text: str) -> None:
    omc.change(f"{omc.top}/{pages.FOLDER}/{name}", lambda _: text)


def _write_page(database: "Database", omc: Omc, name: str, page: str, text: str) -> None:
    """Write a page; record it first, because we may be killed in between."""
    with Transaction(database):
        database.rows(
            "INSERT OR REPLACE INTO axiom_pages (ledger, name, text, at)"
            " VALUES (?,?,?,(SELECT updated_at FROM sessions WHERE id=?))",
            name, page, text, name,
        )  # fmt: skip
    _write(omc, page, text)


def find_foreign_state(place: str) -> "Mapping[str, str]":
    """Return the state on a page that another tool left here; empty if there is none, or nothing is open."""
    text = read_axiom_page(open_folder(place), context_pages.ACTIVE_PAGE)
    foreign_state = context_pages.read_foreign_state(text or "")
    return {} if foreign_state["state"] == states.IDLE else foreign_state


def keep_aside(place: str, edited: EditedPage, pieces: list[str], stamp: str) -> str:
    """Store the parts of a page that were not imported where the user can find them; return the path."""
    omc = open_folder(place)
    base = os.path.basename(edited.name).removesuffix(".md")
    path = f"{pages.FOLDER}/{ASIDE}/{base}-{stamp}.md"
    omc.change(f"{omc.top}/{path}", lambda before: (before or "") + "\n\n".join(pieces) + "\n")
    return path


def renew_page(database: "Database", place: str, page: str) -> None:
    """Rewrite a page, after its edits were imported or stored aside."""
    omc, name = open_folder(place), ledger.name_ledger(place)
    text = pages.render_entry_page(page, entries.list_all(database, name, pages.PAGES[page][1]))
    _write_page(database, omc, name, page, text)


def _show_requirement(database: "Database", omc: Omc, session: "Session") -> None:
    folder = f"{REQUIREMENTS}/{session.id}"
    for paper in proposals.list_papers(database, session.id):
        if "/" not in paper.name.strip("/"):
            _write(omc, f"{folder}/{paper.name}", paper.text[:_LONGEST])


def _render_active(database: "Database", session: "Session") -> str:
    """Render the shown requirement, else the open one of the checkout."""
    own = None if ledger.is_ledger(session.id) or not session.active else session
    requirement = own or ledger.find_requirement(database, session.working_dir)
    view = make_view(database, requirement) if requirement is not None else RequirementView()
    # An archived requirement is closed, though its session ends a moment later.
    return context_pages.render_active(RequirementView() if view.state == states.IDLE else view)


def make_view(database: "Database", session: "Session") -> RequirementView:
    """Return the state of a requirement, by its record and tasks."""
    kept = session.state.lead
    plan = [task for task in tasks.list_all(database, session.id) if not task.is_verify]
    progress = kept.get("progress") or {}
    running = next((task.id for task in plan if task.status == "in_progress"), "")
    return RequirementView(
        session.id,
        session.goal,
        str(progress.get("phase") or "PLANNING"),
        session.phase,
        str(kept.get("last_gate") or ""),
        running or str(kept.get("task") or ""),
        [(task.id, task.subject, task.status) for task in plan],
        str((kept.get("checkpoints") or [""])[-1]),
        str(kept.get("next") or ""),
        str(kept.get("blocked") or ""),
        session.updated_at,
    )

"""What was decided on facts that are no longer true moves no requirement."""

from time import time

import pytest

from support.axiom_play import DRAFT, PRD, ROUGH, AxiomPlay
from support.scene import SESSION
from ultrawork.features.axiom.course import archive as axiom_archive
from ultrawork.features.axiom.course import papers as axiom_papers
from ultrawork.features.axiom.course import progress as axiom_course
from ultrawork.features.axiom.store import entries, ledger, proposals
from ultrawork.features.axiom.values import memory
from ultrawork.features.axiom.values import step as axiom_step
from ultrawork.flow.course import Course
from ultrawork.store import sessions
from ultrawork.store.store import Store


@pytest.fixture
def course(tmp_path):
    """Reviewed; the rest is written without anybody who looks what is next."""
    play = AxiomPlay(str(tmp_path))
    play.require()
    play.screen()
    play.draft()
    play.review()
    store = Store(play.state_folder, actor="hook", clock=time)
    for part, text in (("rough", ROUGH), ("prd", PRD)):
        assert axiom_papers.take_paper(store, SESSION, part, text, by=f"call-{part}") == []
    yield Course(store, play.environ, SESSION)
    store.database.close()


def state(course):
    return axiom_step.find_state(sessions.get(course.store.database, SESSION))


def test_what_is_stored_moves_it(course):
    assert axiom_course.sync(course, course.read_facts())
    assert state(course) == "CONFIRMING"
    assert not axiom_course.sync(course, course.read_facts())


def test_a_draft_that_came_meanwhile_is_not_passed_over(course):
    known = course.read_facts()
    axiom_papers.take_paper(course.store, SESSION, "draft", f"{DRAFT} And more.", by="late")
    assert axiom_course.sync(course, known)
    assert state(course) == "PLANNING"
    kept = axiom_step.read_progress(sessions.get(course.store.database, SESSION)).facts
    assert (kept["reviews"], kept["prd"]) == ({}, "")


def test_a_review_without_its_form_is_refused(course):
    assert axiom_papers.take_paper(course.store, SESSION, "review_ux", "fine", by="x")


def test_whoever_was_killed_while_archiving_counts_and_proposes_once(course):
    """Killed between the ledger and the session: the session still says ARCHIVING, and it is closed again."""
    store = course.store
    said = '{"went_well": ["all"], "lessons": [{"title": "a lesson", "files": ["a.txt"]}]}'
    axiom_papers.take_paper(store, SESSION, "reflection", f"```json\n{said}\n```", by="c")
    for _ in range(2):
        stand(store, "ARCHIVING")
        assert axiom_archive.close(store, SESSION) is False
        assert state(course) == "IDLE"
    book = ledger.name_ledger(sessions.get(store.database, SESSION).working_dir)
    assert len(ledger.list_runs(store.database, book)) == 1
    assert [one.title for one in proposals.list_all(store.database, book)] == ["a lesson"]
    assert len(entries.list_all(store.database, book, (memory.REFLECTION,))) == 1


def stand(store, wanted):
    with store.change(SESSION) as change:
        session = sessions.get(change.database, SESSION)
        progress = axiom_step.read_progress(session)
        progress.phase = wanted
        axiom_course.keep(change, session, progress, "test.stood", {})

"""Pages of entries are read back exactly: what a person changed, and nothing else; what is garbled is named."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.effort import amount
from ultrawork.features.axiom.values import context_pages, memory, pages, queue, states
from ultrawork.features.axiom.values.context_pages import RequirementView, RunMetrics
from ultrawork.features.axiom.values.memory import Anchor, MemoryEntry

NOW = 1_000_000_000.0
BASE = "evolution/knowledge_base.md"


def entry(number=1, kind=memory.KNOWLEDGE, **given):
    name = f"{memory.PREFIXES[kind]}-{number:03d}"
    known = {"title": f"fact {number}", "anchors": [Anchor("path", "a.py", "b" * 40)], "checked_at": NOW}
    return MemoryEntry(name, kind, **{**known, **given})


TITLES = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=60).map(
    lambda text: " ".join(text.split())
)
TEXTS = st.lists(
    st.one_of(TITLES, st.sampled_from(["# head", "### k-001: x", "\\### y", "- key: value", "", "|a|"])), max_size=5
).map("\n".join)


@settings(max_examples=amount(60, 300))
@given(st.lists(st.tuples(TITLES.filter(bool), TEXTS), max_size=5))
def test_what_was_written_reads_as_nothing_changed(texts):
    kept = [memory.shape_entry(entry(n, title=title, text=text)) for n, (title, text) in enumerate(texts, 1)]
    page = pages.render_entry_page(BASE, kept)
    assert pages.compare_pages(BASE, page, page) == ([], [])
    reading = pages.read_entry_page(BASE, page)
    assert reading.garbled == []
    assert [one.id for one in reading.entries.values()] == [one.id for one in kept]
    assert [one.title for one in reading.entries.values()] == [one.title for one in kept]


def test_an_edit_is_exactly_the_difference_entry_by_entry():
    page = pages.render_entry_page(BASE, [entry(1, text="old"), entry(2), entry(3)])
    edited = page.replace("old", "new").replace("### k-002: fact 2", "### k-002: fact two")
    edited = edited[: edited.index("### k-003")] + "### k-new: fresh\n\nwords\n"
    edits, garbled = pages.compare_pages(BASE, page, edited)
    assert [(one.operation, one.id, one.fields) for one in edits] == [
        ("change", "k-001", {"text": "new"}),
        ("change", "k-002", {"title": "fact two"}),
        ("add", "k-new", {"title": "fresh", "text": "words", "category": "workflow", "status": "active"}),
        ("remove", "k-003", {}),
    ]
    assert garbled == []
    assert pages.make_delta(BASE, edits[0]) == {"kind": "knowledge", "id": "k-001", "text": "new"}
    assert "id" not in pages.make_delta(BASE, edits[2])


def test_numbers_and_anchors_cannot_be_written_by_hand():
    page = pages.render_entry_page(BASE, [entry(1, confidence=0.7)])
    edited = page.replace("0.70 (0 receipts)", "1.00 (99 receipts)").replace("a.py @", "b.py @")
    assert edited != page
    assert pages.compare_pages(BASE, page, edited) == ([], [])


@pytest.mark.parametrize(
    ("piece", "why"),
    [
        ("### no colon here", "not ID: title"),
        ("### k-001:", "not ID: title"),
        ("### ADR-001: of another page", "not an id of this page"),
        ("### k-1/2: x", "is not an id"),
        ("### k-001: again", "is listed twice"),
        ("### k-009: x\n- status: believed", "is not a status"),
        ("### k-009: " + "x" * 200, "longer"),
    ],
)
def test_what_is_garbled_is_named_and_takes_nothing_else_along(piece, why):
    page = pages.render_entry_page(BASE, [entry(1, text="kept")])
    edits, garbled = pages.compare_pages(BASE, page, f"{page}\n{piece}\n")
    assert edits == []
    assert [one for one, _ in garbled] == [piece]
    assert why in garbled[0][1]


def test_a_garbled_entry_is_not_a_removed_one():
    page = pages.render_entry_page(BASE, [entry(1)])
    broken = page.replace("- status: active", "- status: ???")
    edits, garbled = pages.compare_pages(BASE, page, broken)
    assert edits == []
    assert len(garbled) == 1


def test_a_page_shows_the_best_and_says_how_many_more_there_are():
    many = [entry(n, confidence=0.9 if n > 100 else 0.6) for n in range(1, 411)]
    page = pages.render_entry_page(BASE, many)
    assert page.count("### k-") == pages.SHOWN
    assert "110 more: ultrawork axiom knowledge" in page
    assert pages.compare_pages(BASE, page, page) == ([], [])


def test_the_library_has_an_index():
    page = pages.render_entry_page("evolution/pattern_library.md", [entry(1, memory.PATTERN, title="a|b")])
    assert "| P-001 | a/b | workflow | 1 | 0.70 | active |" in page


def test_the_active_page_has_document_004s_keys_and_is_understood_when_read():
    view = RequirementView(
        "s1", "number the pages", states.BLOCKED, "EXECUTION", "CI Gate: red", "T-101",
        [("T-101", "pages", "failed")], "checkpoint-20261116-040000", "ax-implement", "BLOCKED: task T-101", NOW,
    )  # fmt: skip
    page = context_pages.render_active(view)
    for key in ("session_id: s1", "task_status: BLOCKED", "current_phase: EXECUTION", "last_gate: CI Gate: red"):
        assert f"\n{key}" in page
    assert context_pages.read_foreign_state(page) == {
        "state": "BLOCKED",
        "task": "T-101",
        "checkpoint": "checkpoint-20261116-040000",
    }
    assert context_pages.read_foreign_state(context_pages.render_active(RequirementView())) == {"state": "IDLE"}


def test_the_machine_the_rules_the_queue_and_the_figures_have_pages():
    drawn = context_pages.render_states()
    assert "  EXECUTING --> AUTO_FIX" in drawn
    assert "EXECUTING --> IDLE" not in drawn
    assert "Constitution" in context_pages.render_rules()
    waiting = queue.Proposal("Q-001", queue.LESSON, queue.ADD, entry={"title": "a|b"}, origin="s1")
    assert "| Q-001 | lesson | s1 | P2 |" in context_pages.render_queue_page([waiting])
    runs = [RunMetrics("s1", "g", "PASS", tasks=2, done=2, mends=1), RunMetrics("s2", outcome="UNVERIFIED")]
    assert "| g | PASS | 2/2 | 0 | 1 |" in context_pages.render_metrics(runs)
    assert context_pages.sum_metrics(runs)["proved"] == 1

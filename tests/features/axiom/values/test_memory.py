"""Memory: document 004's numbers, raised by receipts alone; anchors that hold or do not; a kilobyte that is told."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.effort import amount
from ultrawork.core.errors import Conflict, UsageError
from ultrawork.features.axiom.values import memory, queue, telling
from ultrawork.features.axiom.values.memory import Anchor, AnchorFacts, MemoryEntry
from ultrawork.features.axiom.values.queue import Proposal

NOW = 1_000_000_000.0
FILE = Anchor(memory.PATH, "src/sort.py", "blob1")


def entry(**given):
    known = {"id": "k-001", "kind": memory.KNOWLEDGE, "title": "Sorting is stable", "anchors": [FILE]}
    return MemoryEntry(**{**known, "created_at": NOW, "used_at": NOW, **given})


def test_the_numbers_of_document_004_step_by_step():
    one = entry(confidence=memory.START)
    steps = ["verified", "referenced", "misleading", "misleading", "misleading", "misleading"]
    seen = [memory.apply_step(one, step, NOW, f"s#{n}").confidence for n, step in enumerate(steps)]
    assert seen == [0.8, 0.85, 0.65, 0.45, 0.25, 0.05]
    assert one.status == memory.DEPRECATED


@pytest.mark.parametrize("step", memory.RAISING)
def test_only_a_receipt_raises_belief_and_each_once(step):
    one = entry()
    with pytest.raises(Conflict, match="only a receipt"):
        memory.apply_step(one, step, NOW)
    memory.apply_step(one, step, NOW, "s#1")
    high = one.confidence
    assert memory.apply_step(one, step, NOW, "s#1").confidence == high > memory.START


def test_a_failed_attempt_stays_a_failure():
    with pytest.raises(Conflict, match="that cannot change"):
        memory.apply_step(entry(kind=memory.FAILURE), memory.VERIFIED, NOW, "s#1")


STEPS = st.lists(st.sampled_from(sorted(memory.STEPS)), max_size=40)


@settings(max_examples=amount(60, 300))
@given(st.floats(0, 1), STEPS, st.booleans())
def test_belief_stays_between_0_and_1_and_never_rises_without_a_receipt(start, steps, proved):
    one = entry(confidence=memory.clamp(start))
    for number, step in enumerate(steps):
        before = one.confidence
        try:
            memory.apply_step(one, step, NOW, f"s#{number}" if proved else "")
        except Conflict:
            assert one.confidence == before
            assert not proved
        assert 0.0 <= one.confidence <= 1.0
        assert proved or one.confidence <= before
        assert one.confidence >= memory.LEAST or not one.is_believed


@settings(max_examples=amount(40, 200))
@given(st.lists(st.floats(0, 90 * memory.DAY), max_size=8))
def test_what_is_not_used_goes_down_once_a_month_however_often_one_looks(pauses):
    looked, once = entry(confidence=1.0), entry(confidence=1.0)
    now = NOW
    for pause in pauses:
        now += pause
        memory.age(looked, now)
    memory.age(once, now)
    assert looked.confidence == once.confidence
    assert looked.confidence == memory.clamp(1.0 - 0.1 * int((now - NOW) // memory.UNUSED_AFTER))


def test_a_persons_decision_does_not_wear_out():
    assert memory.age(entry(kind=memory.DECISION), NOW + 400 * memory.DAY) == 0


def test_a_pattern_is_promoted_by_three_receipts_even_at_once():
    one = entry(id="P-001", kind=memory.PATTERN, status=memory.PENDING, occurrences=0)
    memory.note_occurrences(one, ["s#1", "s#1", ""], NOW)
    assert (one.occurrences, one.status) == (1, memory.PENDING)
    memory.note_occurrences(one, ["s#2", "s#3"], NOW)
    assert (one.occurrences, one.status) == (3, memory.ACTIVE)


@pytest.mark.parametrize(
    ("anchor", "facts", "says"),
    [
        (FILE, AnchorFacts(blobs={"src/sort.py": "blob1"}), memory.HOLDS),
        (FILE, AnchorFacts(blobs={"src/sort.py": "blob2"}), memory.MOVED),
        (FILE, AnchorFacts(blobs={"src/sort.py": None}), memory.MOVED),
        (FILE, AnchorFacts(), memory.UNKNOWN),
        (Anchor(memory.PATH, "a", ""), AnchorFacts(blobs={"a": ""}), memory.MOVED),
        (Anchor(memory.COMMAND, "make"), AnchorFacts(colours={"make": "green"}), memory.HOLDS),
        (Anchor(memory.COMMAND, "make"), AnchorFacts(colours={"make": "red"}), memory.MOVED),
        (Anchor(memory.COMMAND, "make"), AnchorFacts(colours={"make": "broken"}), memory.MOVED),
        (Anchor(memory.RECEIPT, "s", "3"), AnchorFacts(genuine={("s", "3"): True}), memory.HOLDS),
        (Anchor(memory.RECEIPT, "s", "3"), AnchorFacts(genuine={("s", "3"): False}), memory.MOVED),
        (Anchor(memory.RECEIPT, "s", "3"), AnchorFacts(), memory.UNKNOWN),
        (Anchor(memory.PERSON, "2026-11-16"), AnchorFacts(), memory.HOLDS),
    ],
)
def test_an_anchor_holds_has_moved_or_is_not_known(anchor, facts, says):
    assert memory.judge_anchor(anchor, facts) == says
    assert memory.is_tellable(entry(anchors=[anchor]), facts) is (says == memory.HOLDS)


def test_one_moved_anchor_is_enough_and_no_anchor_is_none():
    facts = AnchorFacts(blobs={"src/sort.py": "blob1"}, colours={"make": "red"})
    both = entry(anchors=[FILE, Anchor(memory.COMMAND, "make")])
    assert memory.judge_entry(both, facts) == memory.MOVED
    assert memory.judge_entry(entry(anchors=[]), facts) == memory.UNKNOWN
    with pytest.raises(UsageError, match="has no support"):
        memory.shape_entry(entry(anchors=[]))


@settings(max_examples=amount(40, 200))
@given(st.lists(st.tuples(st.text(max_size=400), st.text(max_size=200)), max_size=40))
def test_what_is_told_fits_into_a_kilobyte_whole_line_by_line(texts):
    found = [entry(id=f"k-{n:03d}", title=title or "t", text=text) for n, (title, text) in enumerate(texts)]
    text, told = telling.render_fitting(found)
    assert len(text.encode("utf-8", "replace")) <= telling.ROOM
    assert bool(text) is bool(told)
    assert all(f"- {name} " in text for name in told)


def test_the_files_and_the_goal_at_hand_choose_what_is_told():
    sort = entry(id="k-001", title="The sorting of names is stable")
    pages = entry(id="k-002", title="Pages are numbered from one", anchors=[Anchor("path", "src/page.py", "b")])
    wish = entry(id="U-001", kind=memory.PREFERENCE, title="No abbreviations", anchors=[Anchor("person", "x")])
    every = [sort, pages, wish]
    told = telling.choose_fitting(every, telling.list_search_words("number the pages"), [])
    assert [one.id for one in told] == ["k-002", "U-001"]
    told = telling.choose_fitting(every, [], ["src/sort.py"])
    assert [one.id for one in told] == ["k-001", "k-002", "U-001"]


def lesson(number=1, **given):
    known = {"source": queue.LESSON, "operation": queue.ADD, "created_at": NOW + number}
    filled = {"entry": {"kind": "knowledge", "title": f"lesson {number}", "anchors": [FILE.document()]}}
    return Proposal(f"Q-{number:03d}", **{**known, **filled, **given})


def test_batches_of_three_by_priority_and_at_most_fifty():
    mixed = [lesson(n, priority=p) for n, p in enumerate(["P2", "P0", "P3", "P1"], 1)]
    assert [one.id for one in queue.choose_batch(mixed)] == ["Q-002", "Q-004", "Q-001"]
    full = [lesson(n, priority="P1") for n in range(49)]
    assert queue.choose_dropped(full) is None
    full += [lesson(60, priority="P3"), lesson(61, priority="P3")]
    assert queue.choose_dropped(full).id == "Q-060"
    held = [lesson(n, source=queue.EDIT) for n in range(70)]
    assert queue.choose_dropped(held) is None
    assert queue.choose_batch(held) == []


@pytest.mark.parametrize(
    ("given", "genuine", "is_shown"),
    [
        ({"red": "s#1", "green": "s#2"}, ["s#1", "s#2"], True),
        ({"red": "s#1", "green": "s#2"}, ["s#2"], False),
        ({"green": "s#2"}, ["s#2"], False),
        ({"red": "s#2", "green": "s#2"}, ["s#2"], False),
        ({"red": "s#1", "green": "s#2", "source": queue.EDIT}, ["s#1", "s#2"], False),
        ({"red": "s#1", "green": "s#2", "source": queue.IMPORTED}, ["s#1", "s#2"], False),
        ({"red": "s#1", "green": "s#2", "operation": queue.CHANGE}, ["s#1", "s#2"], False),
        ({"red": "s#1", "green": "s#2", "entry": {"kind": "failure"}}, ["s#1", "s#2"], False),
        ({"red": "s#1", "green": "s#2", "entry": {"title": "curl x | sh"}}, ["s#1", "s#2"], False),
        ({"red": "s#1", "green": "s#2", "entry": {"text": "See https://x"}}, ["s#1", "s#2"], False),
    ],
)
def test_without_a_person_only_red_then_green_makes_memory(given, genuine, is_shown):
    one = lesson(**given)
    assert queue.is_supported(one, genuine) is is_shown
    if is_shown:
        assert queue.require_word(one, by_person=False, genuine=genuine) == memory.RECEIPT
    else:
        with pytest.raises(Conflict, match="you must accept it"):
            queue.require_word(one, by_person=False, genuine=genuine)
    assert queue.require_word(one, by_person=True, genuine=()) == memory.PERSON


def test_what_is_accepted_says_what_it_rests_on():
    by_person = queue.make_entry(lesson(), ["k-007"], NOW, by=memory.PERSON)
    assert (by_person.id, by_person.confidence) == ("k-008", memory.START)
    assert by_person.anchors[-1].kind == memory.PERSON
    by_run = queue.make_entry(lesson(red="s#1", green="s#2"), [], NOW, by=memory.RECEIPT)
    assert (by_run.confidence, by_run.supports) == (memory.START_FIX, ["s#2"])
    with pytest.raises(UsageError, match="has no support"):
        queue.make_entry(lesson(entry={"title": "x"}), [], NOW, by=memory.RECEIPT)


def test_the_same_change_is_not_asked_twice():
    waiting = lesson(1)
    again = lesson(2, entry={**waiting.entry, "title": "  LESSON 1 "})
    assert queue.find_same([waiting], again) is waiting
    waiting.status = queue.DONE
    assert queue.find_same([waiting], again) is None

"""Manifests are graphs of small tasks; reviews are settled by an order; answers count only in their form."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.effort import amount
from ultrawork.core.errors import UltraworkError, UsageError
from ultrawork.core.plan import graph
from ultrawork.features.axiom.values import answers, manifest, review


def task(name, hours=2.0, needs=(), **more):
    return {"id": name, "title": f"do {name}", "hours": hours, "needs": list(needs), **more}


def plan(*tasks):
    return manifest.parse_manifest({"tasks": list(tasks)})


@pytest.mark.parametrize(
    ("tasks", "says"),
    [
        ([], "no tasks"),
        (["T-101"], "not an object"),
        ([task("T-101", None)], "no hours"),
        ([task("T-101", True)], "no hours"),
        ([task("T-101", 0)], "no hours"),
        ([task("T-101", needs=["T-102"])], "not in the plan"),
        ([task("T-101", needs=["T-102"]), task("T-102", needs=["T-101"])], "in a circle"),
        ([task("T-101"), task("T-101")], "is in the manifest twice"),
        ([{**task("T-101"), "owner": "x"}], "unknown key"),
        ([task("T-101", files="a.py")], "lists of texts"),
        ([task(f"T-{n}") for n in range(41)], "at most 40"),
    ],
)
def test_a_manifest_that_cannot_stand_says_why(tasks, says):
    with pytest.raises(UsageError, match=says):
        manifest.parse_manifest({"tasks": tasks})


def test_a_task_over_four_hours_is_split_and_a_whole_over_a_day_is_written_out():
    small = plan(task("T-101", 4), task("T-102", 4, ["T-101"]))
    assert manifest.list_unwritten(small) == []
    large = plan(task("T-101", 4.5), task("T-102", 1, ["T-101"]))
    assert manifest.list_oversized(large) == manifest.list_unwritten(large) == ["T-101"]
    whole = plan(*(task(f"T-10{n}", 3) for n in range(3)))
    assert manifest.list_unwritten(whole) == ["T-100", "T-101", "T-102"]
    written = manifest.replace_task(whole, "T-101", {"tasks": [task("T-101", 3, sub_prd="how")]})
    assert manifest.list_unwritten(written) == ["T-100", "T-102"]


def test_parts_take_the_place_of_their_task_in_the_order():
    large = plan(task("a", 1), task("b", 6, ["a"], criteria=["make"]), task("c", 1, ["b", "a"]))
    parts = {"tasks": [task("b1", 3, ["a"]), task("b2", 3, ["b1"]), task("b3", 1, ["b1"])]}
    split = manifest.replace_task(large, "b", parts)
    assert split.graph == {"a": [], "b1": ["a"], "b2": ["b1"], "b3": ["b1"], "c": ["a", "b2", "b3"]}
    assert split.tasks[1].criteria == ["make"]


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ([task("b1", 5)], "still takes more than 4 hours"),
        ([task("b1", 3)], "keep the id"),
        ([task("b", 3)], "have a sub_prd"),
        ([task("a", 3), task("b2", 3)], "in the manifest already"),
    ],
)
def test_a_split_that_settles_nothing_is_sent_back(parts, says):
    with pytest.raises(UsageError, match=says):
        manifest.replace_task(plan(task("a", 1), task("b", 6)), "b", {"tasks": parts})


@settings(max_examples=amount(40, 200))
@given(st.data())
def test_however_it_is_split_it_stays_a_graph_without_a_circle(data):
    count = data.draw(st.integers(1, 6))
    tasks = [
        task(f"t{n}", data.draw(st.sampled_from([1.0, 6.0])), data.draw(_some(f"t{m}" for m in range(n))))
        for n in range(count)
    ]
    made = plan(*tasks)
    for name in manifest.list_oversized(made):
        inner = data.draw(st.integers(2, 3))
        parts = [task(f"{name}.{n}", 2.0, data.draw(_some(f"{name}.{m}" for m in range(n)))) for n in range(inner)]
        made = manifest.replace_task(made, name, {"tasks": parts})
    graph.check(made.graph)
    assert manifest.list_oversized(made) == []
    order = [name for wave in graph.list_waves(made.graph) for name in wave]
    assert set(order) == {one.id for one in made.tasks}
    drawn = manifest.render_graph(made)
    assert drawn.count("-->") == sum(len(needs) for needs in made.graph.values())


def _some(names):
    known = list(names)
    return st.lists(st.sampled_from(known), unique=True) if known else st.just([])


def test_the_page_has_a_drawing_and_a_box_for_each_task():
    made = plan(task("T-101", files=["a.py"]), task("T-102", 1, ["T-101"], context='say "hi"]'))
    page = manifest.render_manifest(made, "number the pages", done=["T-101"])
    assert '  T_101["T-101: do T-101"]' in page
    assert "  T_101 --> T_102" in page
    assert "- [x] **T-101: do T-101** (2 h)" in page
    assert "- [ ] **T-102: do T-102** (1 h)" in page
    assert "  - Dependencies: T-101" in page


def finding(topic, wants, severity="P2"):
    return {"what": f"{topic} is open", "topic": topic, "wants": wants, "severity": severity}


def read(part, *findings, verdict="REVISE"):
    return review.read_review(part, {"verdict": verdict, "findings": list(findings)}, by=f"call-{part}", draft="d")


def test_safety_wins_over_technical_strategy_logic_and_experience_whoever_spoke_first():
    wishes = {part: read(part, finding("Storage", f"as {part} wants")) for part in review.EXPERTS}
    expected = ["critic", "tech", "product", "domain", "ux"]
    left = dict(wishes)
    for part in expected[:-1]:
        (ruling,) = review.arbitrate(list(left.values()))
        assert ruling.winner == part
        assert [other for other, _ in ruling.over] == [one for one in expected if one in left and one != part]
        del left[part]
    assert review.arbitrate(list(left.values())) == []


def test_who_wants_the_same_does_not_contradict():
    both = [read("ux", finding("storage", "SQLite")), read("tech", finding("Storage", "SQLite"))]
    assert review.arbitrate(both) == []


@settings(max_examples=amount(40, 200))
@given(st.permutations(list(review.EXPERTS)), st.lists(st.sampled_from("abc"), min_size=5, max_size=5))
def test_a_ruling_does_not_depend_on_the_order_of_answers(order, wishes):
    given_by = dict(zip(review.EXPERTS, wishes, strict=True))
    found = [read(part, finding("x", given_by[part])) for part in order]
    rulings = review.arbitrate(found)
    assert bool(rulings) is (len(set(wishes)) > 1)
    assert all(one.winner == "critic" for one in rulings)


@pytest.mark.parametrize(
    "said", [{}, {"verdict": "LGTM"}, {"verdict": "REVISE"}, {"verdict": "PASS", "findings": "none"}]
)
def test_a_review_without_its_form_is_none(said):
    assert isinstance(review.read_review("ux", said, by="c", draft="d"), str)


def test_a_blocking_finding_sends_the_draft_back():
    good = read("ux", verdict="PASS").summary()
    bad = read("critic", finding("login", "a limit", "P0")).summary()
    assert not review.needs_revision({"ux": good})
    assert review.needs_revision({"ux": good, "critic": bad})


@pytest.mark.parametrize(
    ("said", "verdict", "clarity"),
    [
        ({"verdict": "PASS", "clarity": 90}, "PASS", 90),
        ({"verdict": "pass", "clarity": "95 %"}, "PASS", 95),
        ({"verdict": "PASS", "clarity": 89, "question": "Which pages?"}, "CLARIFY", 89),
        ({"verdict": "CLARIFY", "clarity": 99, "question": "Which pages?"}, "CLARIFY", 99),
        ({"verdict": "REJECT", "clarity": 10, "why": "no such report"}, "REJECT", 10),
    ],
)
def test_the_analyst_passes_from_90_percent_on(said, verdict, clarity):
    found = answers.read_screening(said)
    assert (found.verdict, found.clarity) == (verdict, clarity)
    assert bool(found.question) is (verdict == "CLARIFY")


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"verdict": "OK", "clarity": 95},
        {"verdict": "PASS"},
        {"verdict": "PASS", "clarity": 101},
        {"verdict": "PASS", "clarity": True},
        {"verdict": "PASS", "clarity": 50},
        {"verdict": "REJECT", "clarity": 5},
    ],
)
def test_an_analyst_that_gives_less_is_sent_back(said):
    with pytest.raises(UltraworkError):
        answers.read_screening(said)


@pytest.mark.parametrize(
    ("message", "status", "rest"),
    [
        ("I did it.\n\nCOMPLETE: pages are numbered", "COMPLETE", "pages are numbered"),
        ("**BLOCKED** no network", "BLOCKED", "no network"),
        ("QUESTION: from 0 or 1?\nThanks", "QUESTION", "from 0 or 1?"),
        ("All done, everything COMPLETE", "", "All done, everything COMPLETE"),
        ("", "", ""),
    ],
)
def test_a_worker_answers_with_one_of_three_words_or_none(message, status, rest):
    found = answers.read_worker_answer({}, message)
    assert found.status == status
    assert rest in (found.summary, found.question, found.cause)


def test_a_blocked_report_tells_cause_red_runs_and_needs():
    said = {"status": "BLOCKED", "cause": "the key is missing", "needs": "a key"}
    told = answers.describe_blocked(answers.read_worker_answer(said, ""), "T-1", ["test: 1 failed"])
    assert told.splitlines() == [
        "BLOCKED: task T-1",
        "cause: the key is missing",
        "red: test: 1 failed",
        "needs: a key",
    ]


def test_lessons_name_what_they_rest_on_and_are_worth_nothing_by_themselves():
    said = {
        "went_wrong": "the fixture",
        "lessons": [{"title": "t", "files": ["a.py"], "anchors": [{"kind": "person"}]}, {"text": "x"}, 3],
    }
    found = answers.read_reflection(said)
    assert found.went_wrong == ["the fixture"]
    assert [one["title"] for one in found.lessons] == ["t"]
    assert "anchors" not in found.lessons[0]

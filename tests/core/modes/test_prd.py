import pytest

from ultrawork.core.errors import UsageError
from ultrawork.core.modes import progress_log


def document(*stories):
    return {"description": "words", "userStories": list(stories)}


def story(name, priority, passes=False, **more):
    return {"id": name, "title": f"Say {name}", "priority": priority, "passes": passes, **more}


def read(*stories):
    return progress_log.parse_prd(document(*stories), "prd.json")


def test_the_next_story_is_the_one_with_the_lowest_number_that_does_not_pass():
    found = read(story("c", 3), story("a", 1, passes=True), story("b", 2))
    assert found.next.id == "b"
    assert [one.id for one in found.pending] == ["b", "c"]
    assert found.counted == "1 of 3 stories"


def test_without_a_priority_the_order_of_the_file_counts():
    found = read({"id": "x", "title": "X"}, {"id": "y", "title": "Y"})
    assert [one.id for one in found.pending] == ["x", "y"]


def test_what_is_open_names_the_next_story_with_its_criteria():
    left = progress_log.find_open(read(story("a", 1, True), story("b", 2, acceptanceCriteria=["it sings"])))
    assert left.what == "1 of 2 stories is open"
    assert left.details == ["  b Say b", "    - it sings"]
    assert left.step == "finish b Say b, set its passes to true in prd.json"


def test_nothing_is_open_when_all_pass():
    assert progress_log.find_open(read(story("a", 1, passes=True))) is None


def test_a_story_that_was_taken_out_is_open():
    found = read(story("a", 1, passes=True))
    found.known = {"a": "Say a", "b": "Say b"}
    assert progress_log.find_open(found).what == "b was removed from prd.json"
    assert found.names == {"a": "Say a", "b": "Say b"}
    assert found.counted == "1 of 2 stories"


def test_long_stories_are_told_in_few_lines():
    many = story("a", 1, acceptanceCriteria=["x" * 300] * 20, title="t" * 300)
    lines = progress_log.find_open(read(many)).details
    assert len(lines) == 8
    assert max(map(len, lines)) <= 100


MALFORMED = {
    "no object": ([], "prd.json is not a JSON object"),
    "no stories": ({}, "prd.json needs userStories"),
    "an empty list": (document(), "prd.json needs userStories"),
    "a story that is none": (document("x"), "story 1 of prd.json is not an object"),
    "no id": (document({"title": "x"}), "story 1 of prd.json has no id"),
    "no title": (document({"id": "x", "title": " "}), "story 1 of prd.json has no title"),
    "passes is no flag": (document(story("a", 1, "yes")), "passes of story 1 of prd.json is "),
    "priority is no number": (document(story("a", True)), "priority of story 1 of prd.json is "),
    "criteria are no texts": (
        document(story("a", 1, acceptanceCriteria=[1])),
        "acceptanceCriteria of story 1 of prd.json is not a list",
    ),
    "one id twice": (document(story("a", 1), story("a", 2)), "two stories with the id"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_what_is_malformed_gets_one_sentence(case):
    given, words = MALFORMED[case]
    with pytest.raises(UsageError) as error:
        progress_log.parse_prd(given, "prd.json")
    assert words in str(error.value)
    assert len(str(error.value)) <= 100
    assert "\n" not in str(error.value)

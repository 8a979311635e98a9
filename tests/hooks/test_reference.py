"""The page of the hooks is their table."""

from support import conformance, hooks_page
from support.floor import REPOSITORY
from ultrawork.hooks.table import HANDLERS, JOBS, list_rows


def test_the_page_of_the_hooks_is_up_to_date():
    with open(f"{REPOSITORY}/docs/reference/hooks.md", encoding="utf-8") as file:
        assert file.read() == hooks_page.render(), "run: make generate"


def test_every_behaviour_stands_there_under_its_event_and_in_its_order():
    parts = hooks_page.render().split("\n## ")
    for event in HANDLERS:
        part = next(one for one in parts if one.startswith(f"{event}\n"))
        told = [line.split("`")[1] for line in part.splitlines() if line.startswith("- `")]
        assert told == [row.name for row in list_rows(event)]
    assert all(f"`{row.name}`" in parts[-1] for job in JOBS for row in list_rows(job))


def test_no_event_has_two_behaviours_of_one_name():
    for event in HANDLERS:
        rows = list_rows(event)
        assert len({row.name for row in rows}) == len(rows), event


def test_every_behaviour_names_a_test_that_there_is():
    named = {row.test for row in hooks_page.list_behaviours()}
    assert [name for name in named if not conformance.exists(f"tests/{name}")] == []

"""`context.json`, put together from what explorers reported."""

from ultrawork.core.session.exploration import Explorer, make_document


def explorer(name, **changes):
    return Explorer(id=name, **changes)


def test_nothing_reported_is_an_empty_context():
    assert make_document([]) == {
        "version": "2.2",
        "expected_explorers": [],
        "exploration_complete": False,
        "explorers": [],
        "key_files": [],
        "patterns": [],
        "constraints": [],
        "scopeExpansion": None,
    }


def test_an_expected_explorer_is_missing_until_it_reports():
    waiting = make_document([explorer("a", expected=True, done_at=1.0), explorer("b", expected=True)])
    assert waiting["expected_explorers"] == ["a", "b"]
    assert [entry["id"] for entry in waiting["explorers"]] == ["a"]
    assert waiting["exploration_complete"] is False
    done = make_document([explorer(name, expected=True, done_at=1.0) for name in "ab"])
    assert done["exploration_complete"] is True


def test_lists_of_all_explorers_are_merged_without_doubles():
    first = explorer("a", done_at=1.0, findings={"key_files": ["x", "y"], "patterns": ["p"]})
    second = explorer("b", done_at=2.0, findings={"key_files": ["y", "z"]})
    merged = make_document([first, second])
    assert merged["key_files"] == ["x", "y", "z"]
    assert merged["patterns"] == ["p"]


def test_an_explorer_shows_where_its_report_is():
    shown = explorer("exp-1", hint="auth", summary="in auth/", done_at=0.0).document()
    assert shown == {
        "id": "exp-1",
        "hint": "auth",
        "file": "exploration/exp-1.md",
        "summary": "in auth/",
        "findings": {},
        "completed_at": "1970-01-01T00:00:00Z",
    }

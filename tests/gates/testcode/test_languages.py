"""Files whose tests nobody can tell apart."""

import pytest

from ultrawork.gates.tests import cases_in, changed_tests


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [("a", "b", "changed"), (None, "b", "added"), ("a", None, "removed")],
)
def test_other_languages_are_compared_file_by_file(before, after, kind):
    (change,) = changed_tests(before, after, "spec/a_spec.rb")
    assert (change.kind, change.name) == (kind, "spec/a_spec.rb")
    assert cases_in("spec/a_spec.rb", "it 'a' do end") is None


def test_an_unchanged_file_of_another_language_has_no_changes():
    assert changed_tests("a", "a", "spec/a_spec.rb") == []

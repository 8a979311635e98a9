"""What a test file lost, where its tests cannot be read one by one."""

import pytest

from ultrawork.gates.testcode.code import is_about, list_lost_blocks

TABLE = "TESTS(X) \\\n    X(same) \\\n    X(starts)\n"
SAME = "void test_same(void)\n{\n    CHECK(ini_same(1, 1));\n}\n"
STARTS = "void test_starts(void)\n{\n    int at = 0;\n\n    CHECK(ini_starts(at));\n}\n"
BOTH = f"{TABLE}\n{SAME}\n{STARTS}"
REST = f"TESTS(X) \\\n    X(same)\n\n{SAME}"


def test_a_block_ends_with_a_blank_line_at_the_margin():
    assert list_lost_blocks(BOTH, REST) == ["    X(starts)", STARTS.rstrip()]
    assert len(list_lost_blocks(f"{SAME}\n{STARTS}", "")) == 2


def test_a_text_with_another_line_did_not_only_lose_some():
    assert list_lost_blocks(BOTH, REST.replace("1, 1", "1, 2")) is None
    assert list_lost_blocks(SAME, SAME + STARTS) is None


@pytest.mark.parametrize(
    ("after", "about"),
    [(REST, True), (REST.replace("X(same)", ""), False), (REST.replace(SAME, ""), False), (BOTH, False)],
)
def test_each_block_uses_the_name_or_what_only_it_has(after, about):
    lost = list_lost_blocks(BOTH, after)
    assert (lost is not None and is_about(lost, ["ini_starts"], f"int ini_same(int, int);\n{after}")) is about


def test_an_import_that_runs_nothing_goes_with_what_used_it():
    rest = f"package a;\n\n{SAME}"
    assert list_lost_blocks(f"package a;\n\nimport java.util.List;\n\n{SAME}\n{STARTS}", rest) == [STARTS.rstrip()]
    assert list_lost_blocks(f"import './more.js';\n{SAME}", SAME) == ["import './more.js';"]


def test_a_long_file_of_equal_lines_is_read_at_once():
    """What compares each line with each would take minutes."""
    assert list_lost_blocks("check(1);\n}\n\n" * 40_000 + "last(2);\n", "check(1);\n}\n\n" * 40_000) == ["last(2);"]

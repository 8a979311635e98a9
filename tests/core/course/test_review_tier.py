"""How closely a change is looked over."""

import pytest

from ultrawork.core.course import judges
from ultrawork.core.course.judges import FULL, LIGHT, NONE, PARTIAL, STANDARD, THOROUGH, ChangeSize


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (ChangeSize(4, 99, coverage=FULL), LIGHT),
        (ChangeSize(5, 99, coverage=FULL), STANDARD),
        (ChangeSize(4, 100, coverage=FULL), STANDARD),
        (ChangeSize(1, 1, coverage=PARTIAL), STANDARD),
        (ChangeSize(1, 1, coverage=NONE), STANDARD),
        (ChangeSize(20, 5, coverage=FULL), STANDARD),
        (ChangeSize(21, 5, coverage=FULL), THOROUGH),
        (ChangeSize(1, 1, security=True, coverage=FULL), THOROUGH),
        (ChangeSize(1, 1, architecture=True, coverage=FULL), THOROUGH),
    ],
)
def test_size_tests_and_what_is_touched_decide(made, wanted):
    assert judges.choose_tier(made) == wanted


@pytest.mark.parametrize("path", ["src/auth/x.py", "lib/jwtUtils.ts", "src/user_permissions.go", ".env.local", "a/oauth2.ts"])  # fmt: skip
def test_security_is_told_by_whole_words(path):
    assert judges.is_sensitive(path)


@pytest.mark.parametrize("path", ["src/tokenizer.py", "src/StringTokenizer.ts", "secretariat.ts", "author.py", "environment.py"])  # fmt: skip
def test_a_word_inside_another_is_none(path):
    assert not judges.is_sensitive(path)


@pytest.mark.parametrize("path", ["src/config.ts", "db/schema.sql", "package.json", "migrations/0001_a.py", "src/types.d.ts"])  # fmt: skip
def test_what_shapes_other_files_is_architecture(path):
    assert judges.is_architectural(path)


@pytest.mark.parametrize("path", ["src/helper.ts", "src/a/index.ts", "reconfigure.py", "src/configs.py"])  # fmt: skip
def test_what_does_not_is_none(path):
    assert not judges.is_architectural(path)

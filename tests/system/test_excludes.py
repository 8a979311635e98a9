import pytest

from ultrawork.store.omc.folder import IGNORED
from ultrawork.system.files import PATTERNS, is_excluded


@pytest.mark.parametrize(
    "path",
    [
        ".omc/progress.txt",
        ".omc/state/sessions/a/ralph-state.json",
        ".omc/.gitignore",
        ".omc/notepad.md",
        "a/__pycache__/b.pyc",
    ],
)
def test_what_sessions_and_tools_write_beside_the_work_is_litter(path):
    assert is_excluded(path)


@pytest.mark.parametrize(
    "path",
    [
        "prd.json",
        ".omc/prd.json",
        ".omc/plans/login.md",
        "progress.txt",
        "docs/.omc/progress.txt",
        ".omc/state.md",
        "src/state/a.py",
    ],
)
def test_what_belongs_to_the_project_is_not(path):
    assert not is_excluded(path)


def test_git_is_told_the_same_of_our_own_files():
    ours = [f"/.omc{line}" for line in IGNORED.split()]
    assert "/.omc/progress.txt" in ours
    assert [path for path in ours if path not in PATTERNS] == []

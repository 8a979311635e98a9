"""Tests that main has and a tree lacks or weakens: the squash from a stale tree, and honest changes beside it."""

import pytest

from support.team import Team
from ultrawork.gates.trees.tree import get_recorded
from ultrawork.proof.lost import describe_lost, find_lost_tests
from ultrawork.system.git import Git

RETRY = "def test_retry():\n    assert 1\n    assert 2\n"


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """Main has got two commits since a branch was made: a feature with a test, and another test."""
    team = Team(str(tmp_path_factory.mktemp("lost")))
    bob = team.bob
    bob.git("branch", "stale")
    bob.commit("Add retries", {"retry.py": "x = 1\n", "tests/test_retry.py": RETRY})
    text = "def test_right():\n    assert 1\n\n\ndef test_left():\n    assert 1\n"
    bob.commit("Look left too", {"tests/test_app.py": text, "left.py": "y = 1\n"})
    bob.git("tag", "main-now")
    return team


@pytest.fixture
def bob(begun):
    begun.bob.git("checkout", "-q", "--force", "-B", "work", "main-now")
    return begun.bob


def find(person, main="main-now"):
    git = Git(person.place, person.environ)
    here = get_recorded(person.tree(), person.place, f"{person.root}/state/cache", person.environ)
    return find_lost_tests(git, git.commit(main), "main", here)


def shown(lost):
    return {one.name.rpartition("::")[2]: (one.how, one.subject) for one in lost.tests}


def squash_stale(person):
    """A commit on top of main with the files of the old branch and one of its own."""
    person.git("read-tree", "-u", "--reset", "stale")
    return person.commit("A small fix (squashed)", {"fix.txt": "fixed\n"})


def test_a_squash_from_a_stale_tree_names_the_commits_that_it_takes_back(bob):
    squash_stale(bob)
    lost = find(bob)
    assert shown(lost) == {"test_retry": ("gone", "Add retries"), "test_left": ("gone", "Look left too")}
    assert sorted(subject for _, subject in lost.undone) == ["Add retries", "Look left too"]
    told = describe_lost(lost)
    assert "this tree reverts" in told[0]
    assert "(Add retries), which is in main" in "\n".join(told)


def test_a_branch_that_is_merely_behind_has_lost_nothing(bob):
    bob.git("checkout", "-qB", "work", "stale")
    bob.commit("A small fix", {"fix.txt": "fixed\n"})
    assert find(bob).tests == ()


def test_a_test_deleted_on_purpose_is_named_and_takes_no_commit_back(bob):
    bob.git("rm", "-q", "tests/test_retry.py")
    bob.commit("Drop a test", {"retry.py": "x = 2\n"})
    lost = find(bob)
    assert shown(lost) == {"test_retry": ("gone", "Add retries")}
    assert lost.undone == []


def test_a_revert_that_says_so_is_no_accident(bob):
    commit = bob.git("rev-parse", "main-now^")
    bob.git("revert", "--no-edit", commit)
    lost = find(bob)
    assert shown(lost) == {"test_retry": ("gone", "Add retries")}
    assert lost.undone == []


def test_moved_and_renamed_files_lose_nothing(bob):
    bob.git("mv", "tests/test_retry.py", "tests/test_again.py")
    bob.commit("Move")
    assert find(bob).tests == ()


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("def test_retry():\n    assert 1\n", "fewer assertions"),
        ("import pytest\n@pytest.mark.skip\n" + RETRY, "skipped"),
        ("def test_retry():\n    assert 1\n    assert 3\n", None),
        (RETRY + "    assert 3\n", None),
    ],
)
def test_a_weaker_test_is_named_and_a_stronger_one_is_not(bob, text, how):
    bob.commit("Change", {"tests/test_retry.py": text})
    expected = {} if how is None else {"test_retry": (how, "Add retries")}
    assert shown(find(bob)) == expected


def test_the_commit_is_the_merge_that_brought_the_test(begun, bob):
    bob.git("checkout", "-qb", "topic")
    bob.commit("One step", {"tests/test_topic.py": "def test_topic():\n    assert 0\n"})
    bob.commit("Next step", {"tests/test_topic.py": "def test_topic():\n    assert 1\n"})
    bob.git("checkout", "-q", "work")
    bob.git("merge", "-q", "--no-ff", "-m", "Merge the topic", "topic")
    bob.git("tag", "-f", "merged")
    bob.git("read-tree", "-u", "--reset", "main-now")
    bob.commit("Stale squash")
    lost = find(bob, "merged")
    assert shown(lost) == {"test_topic": ("gone", "Merge the topic")}
    assert lost.undone


def test_a_shallow_clone_says_that_it_cannot_tell(begun, bob, tmp_path):
    squash_stale(bob)
    bob.git("push", "-qf", begun.bare, "work:main", "main-now:refs/heads/base")
    carol = begun.make_person("carol")
    begun.clone(carol, "--depth", "1", "--no-single-branch")
    git = Git(carol.place, carol.environ)
    here = get_recorded(carol.tree(), carol.place, f"{carol.root}/state/cache", carol.environ)
    lost = find_lost_tests(git, git.commit("origin/base"), "main", here)
    assert (lost.tests, lost.shallow) == ((), True)


@pytest.mark.slow
def test_verify_against_main_is_unverified_though_every_check_passes(bob):
    squash_stale(bob)
    told = bob.ultrawork("verify", "--against", "main-now", "--json")
    assert told.status == 3, told
    assert told.data["verdict"] == "UNVERIFIED"
    assert len(told.data["against"]["undone"]) == 2
    told = bob.ultrawork("verify", "--against", "main-now")
    assert told.out.startswith("UNVERIFIED. This tree reverts")
    assert "This reverts commit" in told.out

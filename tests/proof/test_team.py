"""Two clones and a bare remote: the how-to followed literally, and what happens to a proof afterwards."""

import os
import re
import shutil
import subprocess

import pytest

from support.floor import PLUGIN, REPOSITORY
from support.team import FILES, Team
from ultrawork.proof.notes import REF, ProofNotes


def read_commands():
    """The shell blocks of the how-to."""
    with open(f"{REPOSITORY}/docs/how-to/proof-in-ci.md", encoding="utf-8") as file:
        return re.findall(r"```sh\n(.*?)```", file.read(), re.DOTALL)


def run(person, script):
    path = f"{PLUGIN}/bin:{person.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-eu", "-c", script], cwd=person.place, env={**person.environ, "PATH": path},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (script, done.stdout, done.stderr)
    return done.stdout


@pytest.mark.slow
def test_the_how_to_works_as_it_is_written(tmp_path):
    once, each, check = read_commands()
    assert sum(len(one.strip().splitlines()) for one in (once, each, check)) == 10
    team = Team(str(tmp_path), {**FILES, ".gitignore": "state\n"})
    alice, bob = team.alice, team.bob
    os.makedirs(f"{alice.root}/.ssh", mode=0o700)
    for end in ("", ".pub"):
        shutil.copy(f"{alice.key}{end}", f"{alice.root}/.ssh/id_ed25519{end}")
    alice.git("rm", "-q", "-r", ".ultrawork")
    alice.commit("Nobody may sign yet")
    run(alice, once)
    alice.git("checkout", "-qb", "topic")
    alice.git("push", "-qu", "origin", "topic")
    alice.commit("Say it more clearly", {"app.txt": "right indeed\n"})
    told = run(alice, each)
    assert "pushed to origin" in told
    told = run(bob, check)
    assert told.startswith("PASS"), told
    assert "by alice@example.org, allowed by origin/main" in told


@pytest.fixture
def team(proved, tmp_path):
    return proved.copy(str(tmp_path))


def check(person, *words):
    return person.ultrawork("evidence", "check", "--json", *words)


def test_a_proof_survives_amend_squash_and_a_deleted_branch(team):
    bob = team.bob
    bob.git("checkout", "-q", "fix")
    bob.git("commit", "-q", "--amend", "-m", "Other words", "--author=x <x@example.org>")
    assert check(bob).status == 0
    bob.git("checkout", "-q", "main")
    bob.git("merge", "-q", "--squash", "fix")
    bob.commit("Squashed")
    bob.git("branch", "-qD", "fix")
    bob.git("reflog", "expire", "--expire=now", "--all")
    bob.git("gc", "-q", "--prune=now")
    told = check(bob, "HEAD")
    assert (told.status, told.data["signer"]) == (0, "alice@example.org")


def test_a_shallow_clone_finds_it(team):
    carol = team.make_person("carol")
    team.clone(carol, "--depth", "1", "--branch", "fix", "--no-single-branch")
    told = check(carol, "HEAD", "--fetch", "--baseline", "origin/main")
    assert told.status == 0, told
    texts = " ".join(row["text"] for row in told.data["rows"])
    assert "a shallow clone cannot show" in texts


def test_only_documents_changed_and_it_still_holds(team):
    bob = team.bob
    bob.git("checkout", "-q", "fix")
    bob.commit("Write about it", {"README.md": "# The app\n", "docs/guide.md": "Read.\n"})
    told = check(bob)
    assert (told.status, told.data["only_documents_changed"]) == (0, True)


@pytest.mark.parametrize(
    "files",
    [
        {"app.txt": "right in another way\n"},
        {"README.md": "# App\n", "setup.py": "x = open('README.md')\n"},
        {"tests/expected.md": "# App\n"},
    ],
)
def test_anything_else_that_changed_is_not_proved(team, files):
    team.bob.git("checkout", "-q", "fix")
    team.bob.commit("Go on", files)
    told = check(team.bob)
    assert told.status == 3
    assert told.data["next"].startswith("ultrawork verify --base")


def test_a_document_that_the_code_names_is_an_input(team):
    """The same change of README.md, in a tree whose check reads it, is not neutral."""
    from ultrawork.proof.inputs import TreeInputs
    from ultrawork.system.git import Git

    bob = team.bob
    git = Git(bob.place, bob.environ)
    keys = []
    for names in ("nothing", "README.md", "*.md"):
        bob.write("app.py", f"print('{names}')\n")
        before = bob.commit(names, {"README.md": "one\n"})
        after = bob.commit(names, {"README.md": "two\n"})
        keys.append([TreeInputs(git, bob.tree(one)).key for one in (before, after)])
    assert [before == after for before, after in keys] == [True, False, False]


def test_two_writers_at_once_lose_nothing(team):
    """Both write notes while neither has the other's: the later one merges and pushes again."""
    alice, bob = (ProofNotes(one.place, one.environ) for one in (team.alice, team.bob))
    tree = team.alice.tree("fix")
    before = set(alice.read(tree).decode().splitlines())
    alice.add([tree], ["alice's line"])
    bob.add([tree], ["bob's line"])
    assert alice.push("origin").attempts == 1
    assert bob.push("origin").attempts == 1
    alice.fetch("origin")
    lines = alice.read(tree).decode().splitlines()
    assert sorted(lines) == sorted(before | {"alice's line", "bob's line"})


@pytest.mark.slow
def test_four_writers_at_once_all_get_their_lines_through(team):
    from concurrent.futures import ThreadPoolExecutor

    people = [team.alice, team.bob, team.make_person("carol"), team.make_person("dave")]
    for one in people[2:]:
        team.clone(one)
    tree = team.alice.tree("origin/main")

    def write(person):
        notes = ProofNotes(person.place, person.environ)
        for number in range(2):
            notes.add([tree], [f"{person.name} {number}"])
            notes.push("origin")

    with ThreadPoolExecutor(len(people)) as pool:
        list(pool.map(write, people))
    notes = ProofNotes(team.bob.place, team.bob.environ)
    notes.fetch("origin")
    assert len(notes.read(tree).decode().splitlines()) == 2 * len(people)


def test_a_push_that_another_was_faster_at_is_tried_again(team):
    """The remote refuses the first push as git does where someone else was faster."""
    notes = ProofNotes(team.bob.place, team.bob.environ)
    notes.add([team.bob.tree("fix")], ["a line"])
    hook = f"{team.bare}/hooks/update"
    with open(hook, "w", encoding="utf-8") as file:
        file.write(
            f"#!/bin/sh\n[ -e {team.root}/once ] && exit 0\ntouch {team.root}/once\n"
            'echo "cannot lock ref" >&2\nexit 1\n'
        )
    os.chmod(hook, 0o755)
    assert notes.push("origin").attempts == 2


def test_publishing_twice_adds_nothing_and_an_uncommitted_tree_is_refused(team):
    alice = team.alice
    told = alice.ultrawork("evidence", "publish", "--json")
    assert (told.status, told.data["new"]) == (0, False)
    alice.commit("Not verified", {"app.txt": "right, again\n"})
    told = alice.ultrawork("evidence", "publish")
    assert told.status == 4
    assert "no verdict for the files of HEAD" in told.err
    assert "run ultrawork verify" in told.err


def test_without_a_key_it_is_published_unsigned_and_says_so(team):
    team.alice.git("config", "gpg.format", "openpgp")
    told = team.alice.ultrawork("evidence", "publish", "--no-push")
    assert told.status == 0
    assert "unsigned, so others cannot trust it" in told.out
    assert "git config gpg.format ssh" in told.out


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (["publish", "nowhere"], 2, "nowhere is not a commit here"),
        (["publish", "--remote", "nowhere"], 2, "--remote nowhere is not a remote here"),
        (["publish", "--key", "nowhere"], 2, "--key nowhere is not a file"),
        (["publish", "--key", "x", "--unsigned"], 2, "--key and --unsigned exclude each other"),
        (["check", "nowhere"], 2, "nowhere is not a commit or file here"),
        (["check", "--baseline", "nowhere"], 2, "nowhere is not a branch or commit here"),
        (["check", "--trust", "nowhere"], 2, 'could not read the list of allowed signers "nowhere"'),
        (["check", "--merge", "nowhere"], 2, "--merge nowhere is not a commit here"),
        (["check", "a", "b"], 2, "name one commit, or a file"),
        (["badge", "--out", "/nowhere/x.svg"], 2, "could not write /nowhere/x.svg"),
    ],
)
def test_wrong_words_get_one_clear_sentence(team, words, status, text):
    told = team.alice.ultrawork("evidence", *words)
    assert (told.status, told.out) == (status, "")
    assert text in told.err
    assert len(told.err.strip().splitlines()) == 1


def test_a_file_that_is_called_like_a_commit_is_not_asked(team):
    alice = team.alice
    tree = alice.tree("origin/main")
    alice.git("checkout", "-q", "main")
    alice.write("HEAD", f"**ultrawork: PASS** for tree `{tree}`: x\n")
    told = alice.ultrawork("evidence", "check", "HEAD")
    assert told.status == 3
    assert "proof    none" in told.out


def test_a_policy_of_main_asks_for_more_and_for_certain_people(team):
    alice, bob = team.alice, team.bob
    rest = '[gates]\ntest = "make test"\n[proof]\n'
    for policy, wanted in (
        ('require = "proved"\n', 'sets require = "proved"'),
        ('who = ["bob@example.org"]\n', "who is not listed in [proof] who"),
    ):
        bob.commit("Policy", {"ultrawork.toml": rest + policy})
        told = bob.ultrawork("evidence", "check", "fix", "--baseline", "main")
        assert told.status == 3
        assert wanted in told.out
    alice.git("checkout", "-q", "fix")
    assert alice.ultrawork("evidence", "check").status == 0


def test_a_reviewer_reads_the_whole_proof_from_the_repository_alone(team):
    told = team.bob.ultrawork("report", "--from-note", "fix")
    assert told.status == 0
    assert "test      green" in told.out
    assert "make test" in told.out
    told = team.bob.ultrawork("report", "--from-note", "fix", "--markdown")
    assert "### ultrawork: PASS" in told.out
    assert "| check | result | tests | tools | by | command |" in told.out


def test_the_badge_is_a_small_svg(team):
    from xml.etree import ElementTree as ET

    told = team.bob.ultrawork("evidence", "badge", "fix", "--out", f"{team.root}/badge.svg")
    assert told.status == 0
    found = ET.parse(f"{team.root}/badge.svg").getroot()
    assert "PASS" in found.attrib["aria-label"]


def test_a_deleted_note_ref_is_no_proof(team):
    team.bob.git("update-ref", "-d", REF)
    assert check(team.bob, "fix").status == 3

"""The action's own steps, end to end, with a bare repository: every way in which a change comes to main."""

import os
import shutil

import pytest

from support.floor import REPOSITORY
from support.team import SIGNERS
from support.workflow import run_action
from ultrawork.proof.notes import REF

pytestmark = pytest.mark.slow


@pytest.fixture
def team(proved, tmp_path):
    """Alice has published a proof for her branch `fix`."""
    return proved.copy(str(tmp_path))


@pytest.fixture
def ci(team):
    """A runner: no key, no state, a clone of its own."""
    runner = team.make_person("runner")
    team.clone(runner)
    return runner


@pytest.fixture
def mallory(team):
    """Someone whose key main does not list, with a verdict of the same files."""
    found = team.make_person("mallory")
    team.clone(found)
    shutil.rmtree(f"{found.root}/state")
    shutil.copytree(f"{team.alice.root}/state", f"{found.root}/state", symlinks=True)
    found.git("checkout", "-q", "fix")
    return found


def checkout(runner, ref):
    runner.git("fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*")
    runner.git("checkout", "-q", "--detach", ref)
    return runner.git("rev-parse", "HEAD")


def run(runner, event, sha, base="", **inputs):
    github = {"event_name": event.pop("name"), "base_ref": base, "sha": sha, "event": event}
    return run_action(runner.place, runner.environ, github, inputs)


def pull_request(runner, head):
    """As GitHub checks a pull request out: the merge of its head and the target."""
    checkout(runner, "origin/main")
    runner.git("merge", "-q", "--no-ff", "-m", "merge", head)
    sha = runner.git("rev-parse", "HEAD")
    event = {"name": "pull_request", "pull_request": {"head": {"sha": head}}}
    return run(runner, event, sha, "main")


def merge_group(runner, ref):
    sha = checkout(runner, ref)
    event = {"name": "merge_group", "merge_group": {"base_ref": "refs/heads/main"}}
    return run(runner, event, sha)


def cover(runner, ref):
    """A push, in mode cover: what need not run."""
    sha = checkout(runner, ref)
    event = {"name": "push", "repository": {"default_branch": "main"}}
    job = run(runner, event, sha, mode="cover")
    assert job.status == 0, job.log
    return job.outputs["covered"]


def test_a_pull_request_runs_and_agrees_with_its_proof(team, ci):
    job = pull_request(ci, team.alice.git("rev-parse", "fix"))
    assert (job.status, job.outputs["verdict"]) == (0, "PASS"), job.log
    assert "same: PASS" in job.log
    assert "by alice@example.org" in job.summary
    assert "| ✓ | merge | the merge has the same files" in job.summary
    assert "::" not in job.log


def test_a_rebase_keeps_the_proof_where_files_stay_and_a_merge_that_differs_is_said(team, ci):
    before = team.alice.git("rev-parse", "fix")
    team.alice.git("commit", "-q", "--amend", "-m", "Another message")
    team.alice.git("push", "-qf", "origin", "fix")
    team.bob.commit("Go on", {"other.txt": "x\n"})
    team.bob.git("push", "-q", "origin", "main")
    head = team.alice.git("rev-parse", "fix")
    assert head != before
    job = pull_request(ci, head)
    assert job.status == 0, job.log
    assert "by alice@example.org" in job.log
    assert "::warning title=ultrawork%3A merge::the merge has other files" in job.log


def test_a_squash_onto_main_is_found_by_its_files(team, ci):
    team.bob.git("merge", "-q", "--squash", "fix")
    team.bob.commit("Squashed")
    team.bob.git("push", "-q", "origin", "main", ":fix")
    assert cover(ci, "origin/main") == "test"


def test_a_fork_without_rights_cannot_publish_loudly_and_its_pull_request_gets_an_answer(team, ci):
    team.alice.git("push", "-q", "origin", f":{REF}")
    hook = f"{team.bare}/hooks/pre-receive"
    with open(hook, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho denied >&2\nexit 1\n")
    os.chmod(hook, 0o755)
    told = team.alice.ultrawork("evidence", "publish")
    assert told.status == 6
    assert "could not push the proof to origin" in told.err
    assert "stored in this repository" in told.err
    job = pull_request(ci, team.alice.git("rev-parse", "fix"))
    assert (job.status, job.outputs["verdict"]) == (0, "PASS"), job.log
    assert "there is no proof to compare with" in job.log


def test_a_merge_queue_always_answers_and_runs_only_where_the_files_are_not_the_heads(team, ci):
    job = merge_group(ci, "origin/fix")
    assert (job.status, job.outputs["verdict"]) == (0, "PASS"), job.log
    assert "rerun" not in job.log
    team.alice.git("checkout", "-qb", "group")
    team.alice.commit("Group", {"more.txt": "y\n"})
    team.alice.git("push", "-q", "origin", "group")
    job = merge_group(ci, "origin/group")
    assert (job.status, job.outputs["verdict"]) == (0, "PASS"), job.log
    assert "rerun" in job.log


def test_a_forged_note_an_unknown_key_and_a_note_of_another_tree_cover_nothing(team, ci, mallory):
    assert cover(ci, "origin/fix") == "test"
    tree, other = team.alice.tree("fix"), team.alice.tree("origin/main")
    genuine = team.alice.git("notes", f"--ref={REF}", "show", tree)
    for key, text in ((tree, genuine.replace('"payload":"ey', '"payload":"ez')), (other, genuine)):
        mallory.git("notes", f"--ref={REF}", "add", "-f", "-m", text, key)
    mallory.git("push", "-qf", "origin", REF)
    assert [cover(ci, ref) for ref in ("origin/fix", "origin/main")] == ["", ""]
    mallory.git("update-ref", "-d", REF)
    mallory.git("push", "-q", "origin", f":{REF}")
    assert mallory.ultrawork("evidence", "publish").status == 0
    assert cover(ci, "origin/fix") == ""


def test_a_check_that_the_branch_gutted_is_not_believed_and_does_not_pass(team, ci):
    alice = team.alice
    alice.git("checkout", "-qb", "gutted", "origin/main")
    head = alice.commit("Break it", {"app.txt": "wrong\n", "check.sh": 'echo "1 passed"\n'})
    alice.ultrawork("verify", "--base", "HEAD")
    assert alice.ultrawork("evidence", "publish").status == 0
    alice.git("push", "-q", "origin", "gutted")
    assert cover(ci, "origin/gutted") == ""
    job = pull_request(ci, head)
    assert job.status != 0, job.log
    assert job.outputs["verdict"] != "PASS"
    assert "has another definition than in the baseline" in job.log


def test_keys_that_a_branch_brings_along_do_not_count(team, ci, mallory):
    mallory.commit("Trust me", {SIGNERS: team.allow(mallory)})
    assert mallory.ultrawork("verify", "--base", "origin/main").status == 0
    assert mallory.ultrawork("evidence", "publish").status == 0
    mallory.git("push", "-q", "origin", "fix")
    assert cover(ci, "origin/fix") == ""


def test_cover_never_fails_and_covers_nothing_where_the_remote_is_gone(team, ci):
    sha = checkout(ci, "origin/fix")
    ci.git("remote", "set-url", "origin", f"{team.root}/nowhere.git")
    event = {"name": "push", "repository": {"default_branch": "main"}}
    job = run(ci, event, sha, mode="cover")
    assert (job.status, job.outputs["covered"]) == (0, ""), job.log


@pytest.mark.parametrize("may_write", [True, False])
def test_a_check_run_is_made_only_where_the_token_may_write_one(team, ci, may_write):
    os.makedirs(f"{ci.root}/bin")
    with open(f"{ci.root}/bin/gh", "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\necho "$@" >{ci.root}/asked\nexit {0 if may_write else 1}\n')
    os.chmod(f"{ci.root}/bin/gh", 0o755)
    ci.environ["PATH"] = f"{ci.root}/bin:{ci.environ['PATH']}"
    sha = checkout(ci, "origin/fix")
    event = {"name": "merge_group", "merge_group": {"base_ref": "refs/heads/main"}}
    job = run(ci, event, sha, token="t")
    assert job.status == 0, job.log
    with open(f"{ci.root}/asked", encoding="utf-8") as file:
        asked = file.read()
    assert f"head_sha={sha}" in asked
    assert "conclusion=success" in asked
    assert ("::notice title=ultrawork::no check run" in job.log) is not may_write


def test_the_gitlab_template_calls_the_same_steps(team, ci):
    import subprocess

    import yaml

    with open(f"{REPOSITORY}/templates/proof.yml", encoding="utf-8") as file:
        job = yaml.safe_load(file)["ultrawork-proof"]
    os.symlink(REPOSITORY, f"{ci.place}.ultrawork")
    sha = checkout(ci, "origin/fix")
    environ = {
        **ci.environ, **job["variables"], "CI_PROJECT_DIR": ci.place, "CI_DEFAULT_BRANCH": "main",
        "CI_COMMIT_SHA": sha, "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_MERGE_REQUEST_EVENT_TYPE": "merge_train",
    }  # fmt: skip
    script = "\n".join(job["script"])
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script], cwd=ci.place, env=environ,
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout, done.stderr)
    with open(f"{ci.place}/proof.md", encoding="utf-8") as file:
        assert "### ultrawork: PASS" in file.read()

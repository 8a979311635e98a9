"""The same plugin in the real Codex CLI: armed and refused, its sandbox, its typed skills."""

import json
import os
import sqlite3
import subprocess
from contextlib import closing

import pytest

from support import process, ulw
from support.client import LIMIT
from support.codex import CODE_MODE, INPUT, OURS, js, sh
from support.effort import rows_of
from support.floor import PLUGIN
from support.rows import until
from support.ulw import BLOCK, GOAL, WORDS, bodies
from ultrawork.store.omc import features
from ultrawork.store.omc.folder import Omc

pytestmark = pytest.mark.client

# Test folders lie below /tmp, which Codex would let its shell write.
TIGHT = (
    "-c",
    "sandbox_workspace_write.exclude_slash_tmp=true",
    "-c",
    "sandbox_workspace_write.exclude_tmpdir_env_var=true",
)
READ_ONLY = (
    "ultrawork: ~/.claude/ultrawork is read-only in this sandbox; ask the user for ulw verify or codex --add-dir"
)

KEY = "key=lambda one: one[0].lower()"
FIX = sh(f"cat > book.py <<'END_OF_FILE'\n{ulw.FIXED}END_OF_FILE")

LATER = "in the listing"
FREE_WORDS = ["ulw status", "$ultrawork:status", "ulw help"]


def patch(line):
    """What a model there does to the line that sorts."""
    old = "        return sorted(self.people"
    change = f"-{old})\n+{old}, {line})"
    return f"*** Begin Patch\n*** Update File: book.py\n@@\n{change}\n*** End Patch\n"


def refusals(seat):
    return [one["last"] for one in seat.model.requests if "ultrawork: sent back" in one["last"]]


# Codex tells of a patch in its shell only before it is applied.
BREAKS = js("exec_command", {"cmd": f"apply_patch <<'EOF'\n{patch('reverse=True')}EOF\n"})


def test_a_lie_is_refused_twice_and_ends_unverified(installed):
    """And `exec resume` in the same thread begins anew: what was mended since passes. By a model that writes code."""
    mending = js("exec_command", {"cmd": "git checkout book.py"}), js("apply_patch", patch(KEY))
    mends = {"match": {"agent": "main", "any": "and fix it"}, "replies": [*mending, {"text": WORDS}], "after": "repeat"}  # fmt: skip
    seat = installed([BREAKS], rules=[mends])
    told = ulw.Told(seat, seat.run(f"ulw {GOAL}", flags=CODE_MODE))
    assert f"{BLOCK}{GOAL}" in bodies(seat)[0]
    assert bodies(seat)[-1].count(BLOCK) == 1
    assert len(refusals(seat)) == 2
    assert 'sent back (1 of 8). You said "all tests pass", but make test fails.' in refusals(seat)[0]
    assert not any("someone else" in one for one in refusals(seat))
    assert (told.run.exit, told.session["verdict"]) == (0, "UNVERIFIED")
    assert told.ask("evidence").returncode == 3
    again = ulw.Told(seat, seat.run(f"ulw {GOAL} and fix it", resume=told.run.thread, flags=CODE_MODE))  # fmt: skip
    assert (again.session["phase"], again.session["verdict"]) == ("COMPLETE", "PASS")
    assert "Traceback" not in told.logs


@pytest.mark.release
def test_without_shell_patches_what_one_has_broken_is_called_somebody_elses(installed):
    seat = installed([BREAKS])
    seat.env["ULTRAWORK_SKIP_HOOKS"] = "shell-patches"
    seat.run(f"ulw {GOAL}", flags=CODE_MODE)
    assert "Someone else changed book.py" in refusals(seat)[0]


HARMS = {
    "clone removed": "find {0}/release -delete",
    "clone moved": "mv {0}/release {0}/elsewhere",
    "clone switched": "echo 'def decide_stop(event): pass' > {0}/release/plugin/src/ultrawork/hooks/stop/handlers.py",
    "plugin removed": "find ~/.codex/plugins/cache/ultrawork -delete",
}


@pytest.mark.parametrize("harm", rows_of(HARMS, in_ci=["plugin removed"]))
def test_a_session_is_judged_whatever_becomes_of_the_plugin(installed, tmp_path, harm):
    spoils = sh("sed -i 's/people.append/people.remove/' book.py")
    seat = installed([sh(HARMS[harm].format(tmp_path)), spoils])
    told = ulw.Told(seat, seat.run(f"ulw {GOAL}"))
    assert [one["exit_code"] for one in told.run.commands] == [0, 0]
    assert len(refusals(seat)) == 2
    assert told.session["verdict"] == "UNVERIFIED"


def test_its_honest_twin_passes(installed):
    seat = installed([js("apply_patch", patch(KEY))])
    told = ulw.Told(seat, seat.run(f"ulw {GOAL}", flags=CODE_MODE))
    (model,) = json.loads(told.ask("stats", "--by", "model", "--json").stdout)["data"]["rows"]
    # Two answers of 120 tokens each; Codex reports no cost, and its claim was so.
    assert (model["tokens"], model["cost_usd"], model["complete"]) == (240, None, False)
    assert (model["claims"], model["refuted"]) == (1, 0)
    assert refusals(seat) == []
    assert (told.session["phase"], told.session["verdict"]) == ("COMPLETE", "PASS")
    assert told.run.result == WORDS
    assert told.ask("evidence").returncode == 0


def test_a_plain_prompt_is_left_alone(installed):
    seat = installed([], "hello")
    assert seat.run("say hello").result == "hello"
    assert "ultrawork is on" not in bodies(seat)[0]


def test_alone_the_verdict_is_read_from_the_models_last_words(installed):
    told = "I could not.\n{{last:(ultrawork: UNVERIFIED[^\\n<]*)}}"
    rule = {"match": {"agent": "main", "last": "end with exactly this line"}, "reply": {"text": told}}
    run = installed([], rules=[rule]).run(f"ulw {GOAL}")
    assert run.result.splitlines()[-1] == "ultrawork: UNVERIFIED. No file changed."


def list_events(home, kind):
    with closing(sqlite3.connect(home.database)) as database:
        found = database.execute("SELECT data FROM events WHERE kind=?", (kind,)).fetchall()
    return str(found)


ESCAPING = f"""{ulw.FIXED}
try:
    open(__import__("os").path.expanduser("~/escaped"), "w")
except OSError:
    pass
"""


def test_in_its_sandbox_checks_run_inside_it_a_lie_is_refused_and_its_mending_passes(installed, home):
    """What the agent writes reaches no further when a check runs it than when the agent does."""
    write = sh(f"cat > book.py <<'END_OF_FILE'\n{ESCAPING}END_OF_FILE")
    lie, mended = [sh("touch notes.txt"), {"text": WORDS}], [write, {"text": WORDS}]
    rule = {"match": {"agent": "main"}, "replies": [*lie, *mended], "after": "repeat"}
    seat = installed([], rules=[rule])
    told = ulw.Told(seat, seat.run(f"ulw {GOAL}", sandbox="workspace-write", flags=TIGHT))
    assert len(refusals(seat)) == 1
    assert 'You said "all tests pass", but make test fails' in refusals(seat)[0]
    assert told.session["verdict"] == "PASS"
    assert "strength proved by test_sorts" in told.ask("evidence").stdout
    assert not (home / "escaped").exists()


def test_where_nothing_may_be_written_no_check_runs_until_the_person_asks(installed):
    seat = installed([sh(f"{OURS} status; {OURS} verify; {OURS} session set --design x")])
    told = ulw.Told(seat, seat.run(f"ulw {GOAL}", sandbox="read-only"))
    out = told.run.commands[-1]["aggregated_output"]
    assert out.startswith(f"on         {GOAL}")
    assert out.splitlines()[-2:] == [READ_ONLY, READ_ONLY]
    assert told.session["verdict"] == "UNVERIFIED"
    assert "Codex's read-only sandbox forbids edits" in told.ask("evidence").stdout
    assert "no receipt yet" in told.ask("evidence", "list").stdout
    seat.run("ulw verify", resume=told.run.thread, sandbox="read-only")
    assert "person" in told.ask("evidence", "list").stdout


@pytest.mark.release
def test_what_the_sentence_names_works(installed, home):
    seat = installed([FIX, sh(f"{OURS} verify")])
    folder = ["--add-dir", f"{home}/.claude/ultrawork"]
    flags = [*TIGHT, *folder]
    told = ulw.Told(seat, seat.run(f"ulw {GOAL}", sandbox="workspace-write", flags=flags))
    assert told.run.commands[-1]["aggregated_output"].startswith("PASS")
    assert "agent" in told.ask("evidence", "list").stdout


@pytest.mark.parametrize("words", rows_of(FREE_WORDS, in_ci=["$ultrawork:status"]))
def test_the_words_of_the_person_cost_no_model_call(installed, words):
    seat = installed([])
    assert seat.run(words).exit == 0
    assert bodies(seat) == []


def test_a_typed_skill_switches_on(installed):
    seat = installed([FIX])
    told = ulw.Told(seat, seat.run(f"$ultrawork:ulw {GOAL}"))
    assert f"{BLOCK}{GOAL}" in bodies(seat)[0]
    assert told.session["verdict"] == "PASS"


def test_a_typed_requirement_is_led_by_the_program(installed):
    """Begun by the hook, whatever the model does; its status costs no model call."""
    seat = installed([{"text": "Waiting."}])
    seat.run(f"$ultrawork:ax-draft {GOAL}")
    assert "Axiom runs this requirement" in bodies(seat)[0]
    assert "PART: requirement" in bodies(seat)[0]
    calls = len(bodies(seat))
    seat.run("$ultrawork:ax-status")
    assert len(bodies(seat)) == calls


def test_a_person_who_starts_it_as_it_is_may_be_asked_and_sees_each_moment(installed, tmp_path):
    """Its daemon, its sandbox, its questions: nothing on the command line, hooks trusted by hand."""
    asks = "Which file comes first?"
    mends = [FIX, {"text": WORDS}]
    replies = [{"text": asks}, sh("touch notes.txt"), {"text": WORDS}, *mends]
    rule = {"match": {"agent": "main"}, "replies": replies, "after": "repeat"}
    later = {"match": {"agent": "main", "first": LATER}, "replies": mends, "after": "repeat"}
    seat = installed([], rules=[later, rule])
    with seat.open_as_people_do() as terminal:
        ulw.say(terminal, f"ulw {GOAL}", INPUT)
        terminal.wait_for("ultrawork: on. Done means this passes: `make test`. Turn off: ulw off", 60)
        terminal.wait_for(asks, 60)
        assert "nobody is here" not in terminal.settle()
        ulw.say(terminal, "book.py", INPUT)
        terminal.wait_for('ultrawork: sent back (1 of 8). You said "all tests pass"', 60)
        terminal.wait_for("ultrawork: PASS, proved by test_sorts", 90)
        see_that_a_variable_of_a_later_terminal_switches_nothing(seat)
    assert any(meta["originator"] == "codex-tui" for meta in seat.list_records())
    see_checks_run_with_full_access(seat)
    see_an_update_that_nobody_trusted(seat, tmp_path)


def see_that_a_variable_of_a_later_terminal_switches_nothing(seat):
    """Hooks get the variables of the daemon, which the first terminal started."""
    seat.env["ULTRAWORK_DISABLE"] = "1"
    with seat.open_as_people_do(again=True) as terminal:
        ulw.say(terminal, f"ulw {GOAL} {LATER}", INPUT)
        terminal.wait_for("ultrawork: on. Done means this passes: `make test`. Turn off: ulw off", 90)
    del seat.env["ULTRAWORK_DISABLE"]


def see_checks_run_with_full_access(seat):
    """With its default approvals: what asks for nothing may be run by the hook too."""
    undo(seat)
    flags = ["--sandbox", "danger-full-access"]
    with seat.open_as_people_do(flags=flags, again=True) as terminal:
        ulw.say(terminal, f"ulw {GOAL} {LATER}", INPUT)
        terminal.wait_for("ultrawork: PASS, proved by test_sorts", 90)
        assert "may not start it" not in terminal.settle()


def undo(seat):
    subprocess.run(["git", "checkout", "-q", "."], cwd=seat.project, check=True)


def see_an_update_that_nobody_trusted(seat, tmp_path):
    """
    Codex skips hooks that have changed and goes on without them: `doctor` tells of it, and what it left is judged all
    the same.
    """
    undo(seat)
    assert "trusted, 9 hooks" in examine(seat)
    path = tmp_path / "release" / "plugin" / "hooks" / "codex.json"
    path.write_text(path.read_text().replace("ultrawork checks the work", "ultrawork checks it"))
    seat.call("plugin", "add", "ultrawork@ultrawork").checked()
    assert "9 of 9 hooks changed since you trusted them" in examine(seat)
    argv = ["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", f"ulw {GOAL}"]
    before = len(refusals(seat))
    done = ulw.run_with(seat, *argv)
    assert len(refusals(seat)) == before
    assert done.out.splitlines()[-1].startswith("ultrawork: ")
    assert "PASS" not in done.out.splitlines()[-1]
    assert done.exit in (1, 3)


def examine(seat):
    """What `doctor` says of our hooks in Codex."""
    path = f"{os.path.dirname(seat.program)}{os.pathsep}{seat.env['PATH']}"
    env = {"HOME": seat.home, "PATH": path}
    argv = [f"{PLUGIN}/bin/ultrawork", "doctor"]
    found = process.run(argv, env=env, cwd=seat.project, timeout=LIMIT)
    return next(line for line in found.out.splitlines() if line.startswith("in codex"))


def test_after_compaction_the_model_gets_a_brief_and_nothing_else(installed, project):
    """What was on is kept before it; a session that is still on when Codex is left is written down."""
    asks = "Which file comes first?"
    seat = installed([], asks)
    home = ulw.state_folder(project)
    features.switch_on(home, Omc(str(project)), ["checkpoint"])
    with seat.terminal() as terminal:
        for text in (f"ulw {GOAL}", "what else?"):
            before = len(bodies(seat))
            ulw.say(terminal, text, INPUT)
            terminal.wait_until(lambda _, before=before: len(bodies(seat)) > before, "a request", 60)
            terminal.settle()
        ulw.say(terminal, "/compact", INPUT)
        terminal.wait_for("Context compacted", 60)
        before = len(bodies(seat))
        ulw.say(terminal, "and now?", INPUT)
        terminal.wait_until(lambda _: len(bodies(seat)) > before, "a request", 60)
        terminal.settle()
        ulw.say(terminal, "/quit", INPUT)
        until(lambda: "ended before it was verified" in list_events(home, "session.left"))
    assert os.listdir(project / ".omc" / "state" / "checkpoints")
    told = bodies(seat)[-1]
    assert told.count(BLOCK) == 1
    brief = told[told.index(BLOCK) : told.index("or end with a line `BLOCKED: why`.")]
    assert "Phase EXECUTION. Done means these pass: test (make test)." in brief
    assert "/bin/ultrawork" in brief
    assert len(brief.encode()) <= 1000

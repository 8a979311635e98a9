"""Carrying out what was decided at a stop: its words, its record, its markers. No check runs here."""

import time

import pytest

from support.scene import QUICK, SESSION, HeardLoop, Scene
from ultrawork.clients.claude.hooks import ALLOW, FLAG
from ultrawork.core.session.session import COMPLETE, EXECUTION
from ultrawork.core.stop import rules
from ultrawork.core.stop.rules import StopDecision, StopFacts
from ultrawork.core.verdict.verdict import SCHEMA
from ultrawork.hooks.caller import find_self
from ultrawork.hooks.event import Answer, Event
from ultrawork.hooks.stop import checks, decide
from ultrawork.hooks.stop.message import StopMessage, StopVerdict
from ultrawork.store import decisions, markers, sessions
from ultrawork.store.atomic import Lock

RED_GATE = {"rule": "gate-red", "level": "strong", "gate": "test", "what": "test fails", "clears": "make test green"}  # fmt: skip
DOUBT = {"rule": "todo-left", "level": "weak", "gate": "", "where": "a.py:3", "what": "a TODO was left", "clears": "do it"}  # fmt: skip


def judged(verdict, *findings, tree="t", result="red", **more):
    """A verdict as the gates leave it."""
    gates = {"test": {"result": result, "receipt": 1}}
    record = {
        "schema": SCHEMA, "verdict": verdict, "base": "b", "tree": tree, "gates": gates, "findings": list(findings),
        "not_checked": [],
    }  # fmt: skip
    return StopVerdict(record, line="PASS, as it should be", **more)


FAILED = judged("FAIL", RED_GATE)
PASSED = judged("PASS", result="green")


class Stop:
    """A stop of a session that is on, as far as its files are read."""

    def __init__(self, scene, **data):
        given = {
            "session_id": SESSION, "cwd": scene.place, "prompt_id": "p", "permission_mode": scene.mode,
            "last_assistant_message": "Done. All tests pass.", **data,
        }  # fmt: skip
        self.scene = scene
        self.event = Event("Stop", given, scene.environ, time.time, find_self)
        self.known = decide.open_context(self.event)
        self.known.read_files()
        self.facts = StopFacts(attended=self.event.attended)

    def record(self, action, standing=None, **more):
        decision = StopDecision(action, "red", "test fails", "make it pass")
        decide.record(self.known, decision, standing, "said", **more)
        return self.session

    def carry_out(self, action, standing=None, *, rule="red", **more):
        decision = StopDecision(action, rule, "test fails", "make it pass")
        return decide.carry_out(self.known, self.facts, decision, standing, **more)

    @property
    def session(self):
        return sessions.get(self.event.store.database, SESSION)

    @property
    def taken(self):
        return decisions.list_since(self.event.store.database, SESSION, 0.0)

    def mark(self, kind):
        return markers.get(self.event.home, kind, SESSION)

    def close(self):
        self.event.store.database.close()


@pytest.fixture
def stop_of(tmp_path):
    made = []

    def stop_of(*, attended=True, **data):
        scene = made[0].scene if made else Scene(str(tmp_path), QUICK, attended=attended)
        if not made:
            scene.prompt("ulw change the words")
        made.append(Stop(scene, **data))
        return made[-1]

    yield stop_of
    for one in made:
        one.close()


@pytest.fixture
def stop(stop_of):
    return stop_of()


def test_a_refusal_is_counted_and_kept_with_what_it_told(stop):
    session = stop.record(rules.REFUSE, judged("UNVERIFIED", DOUBT))
    assert (session.state.ulw["stopBlocks"], session.ended_at, session.verdict) == (1, None, None)
    assert session.state.ulw["enabled"] is True
    assert session.state.ulw["lastStopAt"]
    (taken,) = stop.taken
    assert (taken.told, taken.tree, taken.text) == (["red", "todo-left:a.py:3"], "t", "said")
    assert (taken.event, taken.counts) == ("Stop", True)
    assert stop.scene.is_on()
    assert stop.record(rules.NUDGE).state.ulw["stopBlocks"] == 2


def test_a_refusal_within_the_cooldown_is_not_counted(stop):
    stop.record(rules.REFUSE)
    assert stop.record(rules.REFUSE, counts=False).state.ulw["stopBlocks"] == 1
    assert [one.counts for one in stop.taken] == [True, False]


def test_without_a_verdict_a_decision_is_about_the_files_as_they_are(stop):
    stop.record(rules.REFUSE)
    assert stop.taken[0].tree == stop.known.tree != ""
    assert stop.taken[0].told == ["red"]


@pytest.mark.parametrize(
    ("action", "phase", "verdict", "after"),
    [
        (rules.PASS, COMPLETE, "PASS", "PASS"),
        (rules.LET_GO, EXECUTION, "UNVERIFIED", "UNVERIFIED"),
        (rules.QUIET_END, EXECUTION, None, None),
    ],
)
def test_an_end_is_recorded_switched_off_and_marked_for_what_comes_after(stop, action, phase, verdict, after):
    session = stop.record(action, PASSED)
    assert (session.phase, session.verdict) == (phase, verdict)
    assert session.ended_at is not None
    assert (session.state.ulw["enabled"], session.state.ulw["stopBlocks"]) == (False, 0)
    assert not stop.scene.is_on()
    marked = stop.mark(markers.AFTER)
    assert marked == (after and {"tree": "t", "verdict": after, "place": stop.scene.place})
    assert stop.taken[0].told == [], "an end holds nothing against anybody"


def test_an_end_without_files_leaves_nothing_to_watch(stop):
    stop.known.tree = ""
    stop.record(rules.LET_GO)
    assert stop.mark(markers.AFTER) is None


def test_a_stop_that_passes_in_silence_changes_nothing_of_the_session(stop):
    before = stop.session.document()
    after = stop.record(rules.SILENT).document()
    assert {**after, "updated_at": 0} == {**before, "updated_at": 0}
    assert stop.scene.is_on()
    assert [one.action for one in stop.taken] == [rules.SILENT]


def test_the_waking_job_is_told_which_files_to_check_and_else_that_there_are_none(stop):
    decide.offer_background(stop.event)
    assert stop.mark(markers.BACKGROUND) == {"wanted": ""}
    stop.record(rules.LATER)
    assert stop.mark(markers.BACKGROUND)["wanted"] == stop.known.tree
    decide.offer_background(stop.event)
    assert stop.mark(markers.BACKGROUND)["wanted"] == stop.known.tree, "once offered, it stays"
    stop.record(rules.REFUSE)
    assert stop.mark(markers.BACKGROUND)["wanted"] == ""


def test_a_mode_hears_of_every_decision_and_keeps_what_it_makes_of_the_session(stop):
    stop.known.loop = loop = HeardLoop()
    stop.record(rules.REFUSE)
    stop.record(rules.SILENT)
    assert loop.heard == ["keep refuse True True", "tell refuse", "tell silent"]
    loop.heard.clear()
    answer = decide.decide_by_verdict(stop.known, stop.facts, PASSED)
    assert loop.heard == ["weigh PASS PASS", "keep pass True True", "tell pass"]
    assert answer.message == "ultrawork: PASS, as it should be; 3 rounds done. Details: ulw evidence"


def test_a_plain_session_has_no_loop(stop):
    assert stop.known.loop is None


def test_what_was_switched_off_is_none_of_ours(stop_of):
    stop = stop_of()
    stop.record(rules.QUIET_END)
    assert decide.open_context(stop.event) is None


@pytest.mark.parametrize(
    ("attended", "action", "rule", "answer"),
    [
        (True, rules.REFUSE, "red", Answer(block="text")),
        (True, rules.NUDGE, "red", Answer(feedback="text")),
        (True, rules.LET_GO, "red", Answer(message="text")),
        (False, rules.LET_GO, "red", Answer(end="text", message="text")),
        (False, rules.LET_GO, "other-loop", Answer(message="text")),
        (False, rules.PASS, "green", Answer(message="text")),
    ],
)
def test_who_hears_of_it_is_the_agent_that_is_sent_back_or_the_person(tmp_path, attended, action, rule, answer):
    environ = {"CLAUDE_CODE_SESSION_ATTENDED": str(int(attended)), "ULTRAWORK_HOME": str(tmp_path)}
    event = Event("Stop", {}, environ, time.time, find_self)
    assert decide._answer(event, StopDecision(action, rule, "b"), "text") == answer


def test_where_there_is_nothing_to_say_nobody_hears_anything(tmp_path):
    event = Event("Stop", {}, {"ULTRAWORK_HOME": str(tmp_path)}, time.time, find_self)
    assert decide._answer(event, StopDecision(rules.SILENT, "talk", "b"), "") is None


@pytest.mark.parametrize(
    ("environ", "data", "way"),
    [
        ({"CLAUDE_CODE_SESSION_ATTENDED": "1"}, {}, ALLOW),
        ({"CLAUDE_CODE_SESSION_ATTENDED": "0"}, {}, FLAG),
        ({"CLAUDE_CODE_SESSION_ATTENDED": "1"}, {"turn_id": "1"}, "ulw verify"),
    ],
)
def test_how_a_check_can_be_run_depends_on_who_is_there(tmp_path, environ, data, way):
    home = {"ULTRAWORK_HOME": str(tmp_path / "state"), "HOME": str(tmp_path)}
    given = {"cwd": str(tmp_path), **data}
    event = Event("Stop", given, {**environ, **home}, time.time, find_self)
    assert event.adapter.find_way(event) == way


def test_in_a_sandbox_a_person_runs_the_check(tmp_path):
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text('{"sandbox": {"enabled": true}}')
    home = {"ULTRAWORK_HOME": str(tmp_path / "state"), "HOME": str(tmp_path)}
    event = Event("Stop", {"cwd": str(tmp_path)}, home, time.time, find_self)
    assert event.adapter.find_way(event) == "ulw verify"


def test_a_refusal_counts_on_and_says_whether_it_is_the_same_again(stop_of):
    first = stop_of().carry_out(rules.REFUSE, FAILED)
    assert first.block.startswith('ultrawork: sent back (1 of 8). You said "')
    again = stop_of()
    assert "(2 of 8)" in again.carry_out(rules.REFUSE, FAILED, counts=False).block
    again = stop_of()
    same = judged("FAIL", RED_GATE, tree=again.known.tree)
    other = again.carry_out(rules.REFUSE, same)
    assert "(3 of 8)" in other.block
    assert "the same failure" not in other.block, "those before were about other files"
    last = stop_of().carry_out(rules.REFUSE, same)
    assert "(4 of 8)" in last.block
    assert "The failure is the same as in the last attempt." in last.block
    assert "the same failure" not in first.block
    assert stop_of().session.state.ulw["stopBlocks"] == 3


def test_the_first_refusal_is_the_first_even_where_it_does_not_count(stop):
    assert "(1 of 8)" in stop.carry_out(rules.REFUSE, FAILED, counts=False).block
    assert stop.session.state.ulw["stopBlocks"] == 0


def test_a_refusal_for_another_reason_is_not_called_the_same(stop_of):
    stop = stop_of()
    stop.carry_out(rules.NUDGE, judged("FAIL", RED_GATE, tree=stop.known.tree), rule="question")
    assert "the same failure" not in stop_of().carry_out(rules.REFUSE, FAILED).block


def test_whoever_is_let_go_is_told_what_is_red_and_what_changed(stop):
    stop.scene.edit("app.txt", "right and good\n")
    stop.known.read_files()
    text = stop.carry_out(rules.LET_GO, FAILED).message
    assert text.splitlines()[0] == "ultrawork: UNVERIFIED. test fails."
    assert text.count("test fails") == 1
    assert "  changed   app.txt, 2 lines." in text


def test_what_is_told_is_what_the_stop_has_looked_at(stop):
    """One look at all files is enough for a stop at which nothing runs: there may be 100,000."""
    stop.scene.edit("app.txt", "right and good\n")
    text = stop.carry_out(rules.LET_GO, FAILED).message
    assert "  changed   nothing." in text


def test_a_stop_that_passes_says_nothing(stop):
    assert stop.carry_out(rules.SILENT, FAILED) is None
    assert stop.taken[-1].text == ""


def test_whoever_is_let_go_without_a_new_run_is_told_what_the_last_one_found(stop):
    """A stop of a session that cannot go on runs nothing any more."""
    stop.scene.edit("app.txt", "wrong\n")
    stop.scene.stop("Done.")
    again = Stop(stop.scene)
    text = again.carry_out(rules.LET_GO, rule="aborted").message
    again.close()
    assert "  failing   make test" in text


def test_what_the_gates_say_becomes_what_is_decided_upon(stop):
    facts = stop.facts
    decide.decide_by_verdict(stop.known, facts, judged("UNVERIFIED", DOUBT))
    assert (facts.verdict, facts.weak) == ("UNVERIFIED", ("todo-left:a.py:3",))
    assert (facts.because, facts.checked, facts.others) == ("a TODO was left", True, ())
    assert stop.session.state.ulw["stopBlocks"] == 1


def test_that_a_check_ran_before_is_not_forgotten(stop):
    standing = judged("UNVERIFIED", DOUBT)
    standing.record["gates"]["test"]["receipt"] = None
    decide.decide_by_verdict(stop.known, stop.facts, standing)
    assert stop.facts.checked is False
    stop.facts.checked = True
    decide.decide_by_verdict(stop.known, stop.facts, standing)
    assert stop.facts.checked is True


def test_only_where_it_is_red_somebody_elses_changes_are_looked_for(stop):
    stop.scene.write("app.txt", "wrong\n")
    stop.known.read_files()
    decide.decide_by_verdict(stop.known, stop.facts, judged("UNVERIFIED", DOUBT))
    assert stop.facts.others == ()
    decide.decide_by_verdict(stop.known, stop.facts, FAILED)
    assert stop.facts.others == ("app.txt",)


def test_a_slow_gate_waits_only_where_somebody_is_there_and_it_may_run(stop_of):
    stop = stop_of()
    slow = {"test": "takes 3 min"}
    assert decide._can_wait(stop.known, slow) is True
    stop.known.may_run = lambda _command: False
    assert decide._can_wait(stop.known, slow) is False
    assert decide._can_wait(stop.known, {}) is True, "other gates are not asked about"


def test_alone_no_gate_waits(stop_of):
    assert decide._can_wait(stop_of(attended=False).known, {"test": "slow"}) is False


def postpone(stop):
    with Lock(decide.make_lock_path(stop.event), patience=0):
        return decide._postpone(stop.known, rules.StopFacts(), {"test": "takes 3 min"})


def test_a_postponed_check_is_told_of_once_for_the_same_files(stop_of):
    stop = stop_of()
    decide.offer_background(stop.event)
    told = postpone(stop).message.splitlines()
    assert told[0] == "ultrawork: not verified yet. make test runs in the background, duration not known yet."
    assert "I will report the result, pass or fail" in told[1]
    assert stop.mark(markers.BACKGROUND)["wanted"] == stop.known.tree
    assert stop.taken[-1].action == rules.LATER
    assert postpone(stop_of()) is None
    stop.scene.edit("app.txt", "right and good\n")
    assert postpone(stop_of()) is not None, "other files are another check"


def test_a_check_that_another_process_runs_is_not_started_again(stop):
    decide.offer_background(stop.event)
    with Lock(decide.make_lock_path(stop.event), patience=0):
        assert decide._taken_over(stop.event) is True


def test_a_run_in_a_copy_that_is_cut_off_is_known_by_the_name_of_its_gate(stop):
    context = checks.HookGateContext(stop.known, seconds=10, slow=(), trial=True)
    context.announce("test", "base", None)
    assert stop.mark(markers.RUNNING)["gate"] == "test (base)"
    context.note_run(1000.0)
    with pytest.raises(checks.CutOff) as cut:
        context.raise_if_cut_off()
    assert cut.value.gate == "test"


def test_a_gate_that_is_not_pinned_can_be_postponed(stop):
    """A gate of a folder that was changed is measured too, and may be the one that is cut off."""
    decide.offer_background(stop.event)
    with Lock(decide.make_lock_path(stop.event), patience=0):
        told = decide._postpone(stop.known, rules.StopFacts(), {"web:test": "did not finish in 60 s"})
    assert told.message.startswith(
        "ultrawork: not verified yet. web:test runs in the background, duration not known yet."
    )


def test_two_checks_that_say_the_same_are_one_line():
    standing = judged("UNVERIFIED", RED_GATE, DOUBT, {**DOUBT, "gate": "lib/test"})
    message = StopMessage(StopFacts(), "Done.", standing=standing)
    text = message.render(StopDecision(rules.LET_GO, "red", "test fails", "make it pass"))
    assert text.count(DOUBT["what"]) == 1

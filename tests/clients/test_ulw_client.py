"""
What depends on the client itself, on the oldest supported version and on the newest: how it is switched
on and off, what it costs, who may run what, what a person sees.
"""

import os

import pytest

from support import clients, ulw
from support.claude import Claude
from support.effort import BOTH_CLAUDES, NEWEST_FIRST, rows_of
from support.floor import PLUGIN, REPOSITORY
from support.ulw import BLOCK, FIX, GOAL, OPEN, PYTHON, WORDS, bodies, script, sh, write

pytestmark = pytest.mark.client

OMO = f"{REPOSITORY}/plugins/omo"
ROOM = 1500
ANSWERED = "Operation stopped by hook: ultrawork:"
FREE_WORDS = (
    "ulw help",
    "ulw status",
    "ulw why",
    "ulw gates",
    "ulw gates allow",
    "ulw verify",
    "ulw evidence",
    "ulw accept it is only a test",
    "ulw off",
    "cancelulw",
    "/ultrawork:status",
    "/ultrawork:gates",
    "/ultrawork:why",
    "/ultrawork:cancel",
)


@pytest.fixture
def python(project):
    ulw.make(str(project), PYTHON)
    return project


@BOTH_CLAUDES
def test_a_lie_is_refused_twice_and_ends_unverified(claude, python):
    told = ulw.go(claude(script([ulw.SPOIL, sh("make test || true")])))
    assert len(told.refusals) == 2
    assert told.refusals[0].startswith('ultrawork: sent back (1 of 8). You said "all tests pass", but make test fails.')
    assert all(len(text.encode()) <= 1000 for text in told.refusals)
    assert told.verdict.startswith("ultrawork: UNVERIFIED. Sent back twice without progress")
    assert told.session["verdict"] == "UNVERIFIED"


@BOTH_CLAUDES
def test_the_word_injects_its_block_once(claude, python):
    seat = claude([{"match": {"agent": "main"}, "reply": {"text": "ok"}}])
    with seat.live(plugins=[PLUGIN], mode="plan") as live:
        live.say(f"ulw {GOAL}")
        live.say("and now?")
        live.say("and then?")
    assert bodies(seat)[-1].count(BLOCK) == 1
    told = ulw.Told(seat, live).injected
    assert [len(one.encode()) <= ROOM for one in told] == [True]


def test_hooks_add_nothing_to_a_plain_prompt(claude, python, tmp_path):
    """The same plugin with and without its hooks: skills and tools of ours are in both."""
    whole, bare = ulw.release(f"{tmp_path}/whole"), ulw.release(f"{tmp_path}/bare")
    os.unlink(f"{bare}/hooks/hooks.json")
    for plugin in (bare, whole):
        os.unlink(f"{plugin}/.mcp.json")  # a server may be connected in time, or not
    sizes = []
    for plugin in (bare, whole):
        seat = claude(script([], "hello"))
        assert seat.run("say hello", plugins=[plugin], mode=OPEN).result == "hello"
        assert BLOCK not in bodies(seat)[0]
        sizes.append(len(bodies(seat)[0].replace(plugin, "").encode()))
    assert sizes[1] - sizes[0] <= ROOM


def test_the_plugins_are_valid(claude):
    seat = claude([])
    for folder in (PLUGIN, OMO):
        seat.call("plugin", "validate", "--strict", folder).checked()


def test_the_plugin_is_ready_for_the_directory(newest):
    seat = newest([])
    found = seat.call("plugin", "validate", "--strict", "--profile", "directory", PLUGIN).checked()
    assert "These checks found nothing to report" in found.out


@NEWEST_FIRST
@pytest.mark.parametrize("name", rows_of(["ultrawork", "omo"], in_ci=["ultrawork"]))
def test_a_typed_skill_switches_on_and_another_one_off(claude, python, name):
    seat = claude(script([]))
    plugins = [PLUGIN, OMO]
    told = ulw.Told(seat, seat.run(f"/{name}:ulw {GOAL}", plugins=plugins, mode=OPEN))
    assert [one.startswith(f"{BLOCK}{GOAL}") for one in told.injected] == [True]
    assert len(told.refusals) == 1
    assert f"{BLOCK}{GOAL}" in bodies(seat)[0]
    off = seat.run(f"/{name}:stop-continuation", plugins=plugins, mode=OPEN)
    assert off.result == ("Operation stopped by hook: ultrawork: already off. Turn on: ulw <task>")


def test_the_words_of_the_person_cost_no_model_call(claude, python):
    seat = claude([])
    with seat.live(plugins=[PLUGIN]) as live:
        told = {words: live.say(words)["result"] for words in FREE_WORDS}
    silent = [words for words, text in told.items() if not text.startswith(ANSWERED)]
    assert silent == []
    assert bodies(seat) == []


def test_calls_in_a_circle_are_warned_of_once(claude, python):
    told = ulw.go(claude(script([*[sh("make test")] * 7, FIX])))
    said = [call.answer.get("hookSpecificOutput", {}) for call in told.run.hooks_of("PostToolUse")]
    failed = told.run.hooks_of("PostToolUseFailure")
    said += [call.answer.get("hookSpecificOutput", {}) for call in failed]
    warnings = [one["additionalContext"] for one in said if one.get("additionalContext")]
    assert [one.startswith("ultrawork: the same call ran five times") for one in warnings] == [True]
    assert told.session["verdict"] == "PASS"


def test_what_is_open_in_the_agents_own_list_costs_the_pass(claude, python):
    made = {"name": "TaskCreate", "input": {"subject": "write docs", "description": "for users"}}
    seat = claude(script([FIX, {"tool": made}]), env={"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"})
    told = ulw.go(seat)
    assert len(told.refusals) == 1
    assert "write docs" in told.refusals[0]
    assert told.session["verdict"] == "UNVERIFIED"


def test_the_first_start_says_that_it_is_ready_once(claude, python):
    seat = claude(script([], "hello"))
    said = []
    for _ in range(2):
        run = seat.run("say hello", plugins=[PLUGIN])
        said.append([call.answer.get("systemMessage") for call in run.hooks_of("SessionStart")])
    assert said == [["ultrawork is ready. Start a request with ulw; turn it off with ulw off."], [None]]


@pytest.mark.parametrize("mode", rows_of(["default", "acceptEdits"], in_ci=["default"]))
def test_the_hook_runs_nothing_until_the_person_allows_it(claude, python, mode):
    steps = write(python, "book.py", ulw.FIXED)
    seat = claude(script(steps))
    told = ulw.go(seat, mode=mode, allowed=["Write"])
    assert len(told.refusals) == 1
    assert "has not run: I have no permission to start it" in told.refusals[0]
    assert "--allowedTools 'Bash(ultrawork verify:*)'" in told.refusals[0]
    assert told.session["verdict"] == "UNVERIFIED"
    assert "no receipt yet" in told.ask("evidence", "list").stdout
    allowed = seat.run("ulw gates allow", plugins=[PLUGIN])
    assert allowed.result.endswith("I run these myself in this checkout: test (make test)")
    (python / "book.py").write_text(PYTHON["book.py"])
    again = ulw.go(claude(script(steps)), mode=mode, allowed=["Write"])
    assert (again.refusals, again.session["verdict"]) == ([], "PASS")


@NEWEST_FIRST
def test_a_permitted_verify_lets_the_hook_run_the_same_gates(claude, python):
    steps = [*write(python, "book.py", ulw.FIXED), sh("ultrawork verify")]
    allowed = ["Write", "Bash(ultrawork verify:*)"]
    told = ulw.go(claude(script(steps)), mode="default", allowed=allowed)
    assert told.refusals == []
    assert told.verdict.startswith("ultrawork: PASS")


def test_alone_the_verdict_is_read_from_the_models_last_words(claude, python):
    rules = [
        {"match": {"agent": "main", "last": "end with exactly this line"}, "reply": {"text": "I could not.\n{{last:(ultrawork: UNVERIFIED[^\\n]*)}}"}},
        *script([ulw.SPOIL]),
    ]  # fmt: skip
    told = ulw.go(claude(rules))
    assert told.run.result.splitlines()[-1].startswith("ultrawork: UNVERIFIED. make test fails: ")
    assert told.run.final["terminal_reason"] == "stop_hook_prevented"
    assert told.run.exit == 0


@BOTH_CLAUDES
def test_the_person_sees_each_moment_on_the_screen(claude, python):
    replies = [{"text": WORDS}, *write(python, "book.py", ulw.FIXED), {"text": WORDS}]
    seat = claude([{"match": {"agent": "main"}, "replies": replies, "after": "repeat"}])
    with seat.terminal(plugins=[PLUGIN], mode="default", allowed=["Write"]) as terminal:
        ulw.say(terminal, f"ulw {GOAL}")
        terminal.wait_for("says: ultrawork: on. Done means this passes: `make test`. Turn off: ulw off", 60)
        terminal.wait_for("I run make test myself. To opt out: ulw gates deny", 60)
        terminal.wait_for("ultrawork: sent back (1 of 8). You said", 90)
        terminal.wait_for("Stop says: ultrawork: PASS, proved by test_sorts", 90)


def test_who_does_not_want_it_says_so_and_nothing_is_run(seat_at, python):
    program = clients.program(clients.CLAUDE)
    seat = seat_at(Claude, program, script(write(python, "book.py", ulw.FIXED)))
    with seat.terminal(plugins=[PLUGIN], mode="default", allowed=["Write"]) as terminal:
        ulw.say(terminal, "ulw gates deny")
        terminal.wait_for("I no longer run checks myself in this checkout.", 60)
        ulw.say(terminal, f"ulw {GOAL}")
        terminal.wait_for("has not run: I have no permission to start it", 90)
        terminal.wait_for("Stop says: ultrawork: UNVERIFIED.", 90)
    assert "no receipt yet" in ulw.Told(seat, None).ask("evidence", "list").stdout


def test_in_plan_mode_nothing_is_run(seat_at, python):
    seat = seat_at(Claude, clients.program(clients.CLAUDE), script([]))
    with seat.terminal(plugins=[PLUGIN], mode="plan") as terminal:
        ulw.say(terminal, f"ulw {GOAL}")
        terminal.wait_for(WORDS, 90)
        terminal.settle()
    assert "no receipt yet" in ulw.Told(seat, None).ask("evidence", "list").stdout


def test_from_a_marketplace_it_does_the_same(claude, python, tmp_path):
    seat = claude(script([]))
    ulw.install_as_documented(seat, "README.md", ulw.marketplace(f"{tmp_path}/release"))
    seat.call("plugin", "install", "omo@ultrawork").checked()
    lie = ulw.Told(seat, seat.run(f"/omo:ulw {GOAL}", mode=OPEN))
    assert len(lie.refusals) == 1
    assert lie.session["verdict"] == "UNVERIFIED"
    honest = ulw.Told(seat, claude(script([FIX])).run(f"ulw {GOAL}", mode=OPEN))
    assert (honest.refusals, honest.session["verdict"]) == ([], "PASS")

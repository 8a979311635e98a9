"""The full screen of all sessions, driven by keys and read as text."""

import asyncio
import json
import os
import sys
from time import sleep, time

import pytest

from support.floor import PLUGIN
from support.headless import FIX, SHOW, Headless, end_started, task, worker
from support.play import Play
from support.process import end_all
from support.rows import until
from support.scene import QUICK, SESSION, Scene
from ultrawork.report.board import read_parts
from ultrawork.report.components import SIGNS
from ultrawork.sight.model import Watcher
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

textual = pytest.importorskip("textual")
PROGRAM = [f"{PLUGIN}/bin/ultrawork"]
# As an install with the extra starts it: with the packages of its environment.
START = f"import sys; sys.path.insert(0, '{PLUGIN}/src'); from ultrawork.cli.main import entry; sys.exit(entry())"


@pytest.fixture
def scene(tmp_path):
    scene = Scene(os.fspath(tmp_path), QUICK)
    scene.prompt("ulw change the words")
    scene.event("Notification", notification_type="permission_prompt", message="Run make?")
    return scene


@pytest.fixture
def played(tmp_path):
    """A planned session: task a done by its agent, b at work, c waiting."""
    play = Play(os.fspath(tmp_path))
    play.begin()
    play.planned()
    play.worked("a")
    play.at_work = play.agent("worker", "b")
    return play


def open_store(scene):
    return Store(scene.state_folder, actor="person", clock=time)


@pytest.fixture
def store(scene):
    store = open_store(scene)
    yield store
    store.database.close()


class Shown:
    """What the screen shows: its head, its lines, what it said last, and the field for an answer."""

    def __init__(self, app):
        from textual.widgets import Input, Static

        from ultrawork.sight.lines import Lines

        lines, field = app.query_one(Lines), app.query_one(Input)
        self.lines, self.key = list(lines.lines), lines.key
        self.head, self.told = (str(app.query_one(name, Static).content) for name in ("#head", "#message"))
        self.field = field.value if field.has_class("asking") else None
        self.text = "\n".join(self.lines)


def play(store, *keys, size=(80, 24), environ=None, until=None):
    """Presses the keys one after the other, or calls what happens meanwhile; `until` waits for something that runs beside the screen."""
    from ultrawork.sight.screen import BoardScreen

    async def drive():
        app = BoardScreen(store, environ or {}, program=PROGRAM, name_person=lambda: "a terminal", every=0.1)
        async with app.run_test(size=size) as pilot:
            for key in keys:
                if callable(key):
                    key()
                else:
                    await pilot.press(key)
                await pilot.pause()
            end = time() + 30
            while until is not None and not until(Shown(app)) and time() < end:
                await pilot.pause(0.1)
            return Shown(app)

    return asyncio.run(drive())


@pytest.mark.parametrize("size", [(80, 24), (200, 60), (40, 12)])
def test_the_board_and_every_screen_show_the_same_state(scene, store, size):
    shown = play(store, size=size)
    word = json.loads(scene.run("status", "--json").splitlines()[0])["data"]["state"]["word"]
    assert shown.lines[1].startswith(f"{SIGNS[word]} {word}")
    assert SESSION[:8] in shown.lines[1]
    assert shown.head == "1 needs you, 1 session"
    assert max(map(len, shown.lines)) <= size[0] - 2


@pytest.mark.slow
def test_enter_leads_from_the_sessions_to_the_board_and_a_receipt_and_escape_back(scene, store):
    scene.edit("app.txt", "right, too\n")
    scene.stop("Done.")
    board = play(store, "enter")
    assert [line.split()[:2] for line in board.lines if "check" in line] == [["test", "check"]]
    assert board.head.startswith(f"{SESSION[:8]}  project  ")
    receipt = play(store, "enter", "enter")
    assert receipt.head == f"{SESSION[:8]}  receipt #1"
    assert "  1 passed" in receipt.lines
    assert play(store, "enter", "enter", "escape", "escape").head == "0 need you, 1 session"


@pytest.mark.slow
def test_the_board_groups_tasks_by_state_and_names_the_proof_of_each(played):
    shown = play(open_store(played), "enter", size=(100, 18))
    sections = [line for line in shown.lines if line.endswith(")") and line[0] in SIGNS.values()]
    assert [one.split(" (")[0] for one in sections] == ["▶ working", "… waiting", "~ claimed"]
    (done,) = [line for line in shown.lines if line.split()[:2] == ["a", "task"]]
    assert "claim only" in done
    (waits,) = [line for line in shown.lines if line.split()[:2] == ["c", "task"]]
    assert "none yet" in waits


@pytest.mark.slow
def test_an_agent_shows_what_it_does_and_its_words_beside_the_facts(played):
    played.tool("Bash", {"command": "make test"}, agent_id=played.at_work)
    keys = ["enter"]
    store = open_store(played)
    board = play(store, *keys)
    steps = [key for key in board.lines if key.split()[1:2] in (["agent"], ["task"])]
    keys += ["down"] * next(at for at, line in enumerate(steps) if line.split()[:2] == ["b", "agent"])
    wide, narrow = (play(store, *keys, "enter", size=(size, 24)) for size in (120, 80))
    assert wide.head.startswith("b  ultrawork:worker  working since ")
    assert wide.lines[0] == "now      Bash: make test"
    assert any(line.startswith("what it says") and "│ what we saw" in line for line in wide.lines)
    assert narrow.lines.index("what we saw") < narrow.lines.index("what it says")


@pytest.mark.slow
def test_d_shows_what_the_session_changed(scene, store):
    scene.edit("app.txt", "right, too\n")
    shown = play(store, "d", environ=scene.person, until=lambda one: "+right, too" in one.lines)
    assert "+right, too" in shown.lines
    assert shown.head == f"{SESSION[:8]}  changes of this session"


@pytest.mark.slow
def test_a_question_of_the_client_is_named_and_not_answered_here(store):
    for key in "ya":
        shown = play(store, key)
        assert shown.told.startswith("Run make?: answer in its client")
        assert shown.field is None


@pytest.mark.slow
def test_a_plan_is_approved_by_a_key_and_enter_and_never_by_a_key_alone(program):
    program.done("session", "new", "--goal", "fix the login bug")
    program.done("task", "create", "--id", "1", "--subject", "x")
    program.done("session", "set", "--phase", "PLANNING_COMPLETE")
    store = Store(Home(program.home), actor="person", clock=time)
    asked = play(store, "y")
    assert (asked.field, asked.told.splitlines()[0]) == ("Approve", "Go on with this plan?")
    assert Watcher(store).look().blocking == 1
    left = play(store, "y", "escape")
    assert (left.field, Watcher(store).look().blocking) == (None, 1)
    answered = play(store, "y", "enter")
    assert answered.told.startswith("answered: Approve")
    assert Watcher(store).look().blocking == 0
    assert "asks nothing" in play(store, "y").told
    store.database.close()


@pytest.mark.slow
def test_an_answer_that_comes_after_another_is_refused_with_what_was_answered(program):
    program.done("session", "new", "--goal", "fix the login bug")
    program.done("task", "create", "--id", "1", "--subject", "x")
    program.done("session", "set", "--phase", "PLANNING_COMPLETE")
    (item,) = program.done("inbox", "--json").data["items"]
    store = Store(Home(program.home), actor="person", clock=time)
    late = play(store, "y", lambda: program.done("answer", item["id"], "cancel"), "enter")
    store.database.close()
    assert "was already answered at" in late.told
    assert late.told.rstrip().endswith("Cancel")


@pytest.fixture
def disputed(tmp_path):
    """A session that ended because its agent calls a test wrong, and one that is done."""
    scene = Scene(os.fspath(tmp_path), QUICK)
    for name, words in (("done", "Done."), (SESSION, "BLOCKED: test test_words is wrong: old")):
        scene.prompt("ulw change the words", session_id=name)
        path = scene.write("app.txt", f"right, {name}\n")
        scene.tool("Edit", {"file_path": path, "new_string": "right"}, session_id=name)
        scene.stop(words, session_id=name)
    return scene


@pytest.mark.slow
def test_the_inbox_lists_what_blocks_first_and_is_answered_and_emptied_by_keys(disputed):
    store = open_store(disputed)
    first = play(store)
    assert SESSION[:8] in first.lines[1], "a session that blocks you comes first"
    inbox = play(store, "i")
    assert inbox.head == "inbox: 1 needs you"
    assert [line for line in inbox.lines if line.endswith(")")] == ["blocks you (1)", "done (1)"]
    assert inbox.key == SESSION
    assert "has no result to mark as seen" in play(store, "i", "e").told
    assert "stays as it is" in play(store, "i", "a", *"deny it is new", "enter").told
    assert play(store, "i", "end", "e").told == "the result of done is marked as seen"
    assert not any("done" in item.row.session.id for item in Watcher(store).look().items)
    store.database.close()


@pytest.mark.slow
def test_a_test_called_wrong_is_shown_with_its_assertion_and_both_values(tmp_path):
    scene = Scene(os.fspath(tmp_path))
    scene.prompt("ulw fix the sorting")
    scene.idle()
    scene.stop("BLOCKED: test test_sorts_without_regard_to_case is wrong: A comes before b")
    store = open_store(scene)
    shown, asked = play(store, "i", size=(120, 24)), play(store, "i", "a", size=(120, 24))
    store.database.close()
    for text in (shown.text, asked.told):
        assert "self.assertEqual([name for name, _ in self.book.sorted()]" in text
        assert "expected   ['Ada', 'bea', 'Carl']" in text
        assert "got        ['Ada', 'Carl', 'bea']" in text
    assert asked.told.endswith("accept | deny")
    assert shown.key == SESSION, "the facts below an item are no items"


@pytest.mark.slow
def test_keys_for_a_run_say_what_is_missing_on_a_session_of_a_client(store):
    assert "has no engine to ask" in play(store, "p").told
    assert "runs in its client" in play(store, "r").told
    assert "is open in process" in play(store, "t").told
    assert "choose a task to undo" in play(store, "u", *"yes", "enter").told


@pytest.mark.slow
def test_cancel_needs_a_yes_and_ends_the_session(scene, store):
    assert "type yes" in play(store, "c", *"no", "enter").told
    assert scene.is_on()
    shown = play(store, "c", *"yes", "enter", environ=scene.person, until=lambda one: "off: session" in one.told)
    assert "off: session" in shown.told
    assert not Watcher(store).look().rows[0].session.active


@pytest.mark.slow
def test_o_writes_the_page_of_a_session_that_is_still_running(scene, store):
    shown = play(store, "o", environ=scene.person, until=lambda one: one.told.startswith("page: "))
    with open(shown.told.removeprefix("page: "), encoding="utf-8") as file:
        assert "change the words" in file.read()


@pytest.mark.slow
def test_a_task_that_failed_goes_back_to_the_queue(tmp_path):
    from ultrawork.core.plan.task import FAILED, PENDING
    from ultrawork.store import tasks

    played = Play(os.fspath(tmp_path))
    played.begin()
    played.planned()
    store = open_store(played)
    name = Watcher(store).look().rows[0].session.id
    with store.change(name) as change:
        tasks.claim(change, "engine", "a")
        tasks.update(change, "a", status=FAILED, reason="it is red")
    shown = play(store, "enter", "r")
    assert shown.told == "task a is back in the queue"
    assert tasks.get(store.database, name, "a").status == PENDING


@pytest.fixture
def run(tmp_path):
    """A run of two tasks that ends by itself."""
    run = Headless(os.fspath(tmp_path))
    note = {"write": "note.txt", "text": "a note\n"}
    run.cast(
        [task("fix"), task("note", criteria=["test -f note.txt => exit 0"])],
        worker("fix", FIX, SHOW),
        worker("note", note),
    )
    yield run
    end_started()
    end_all("HOME", run.environ["HOME"])


@pytest.mark.slow
def test_a_run_pauses_and_continues_by_a_key_and_the_screen_says_which(run):
    run.cast([task("a", criteria=["true => exit 0"]), task("b", "a")], worker("a", {"hang": True}))
    engine = run.start("run", "--auto", "--backend", "script", "Fix the sum")
    store = Store(Home(run.home), actor="person", clock=time)
    until(
        lambda: any(part.name == "a.1" for row in Watcher(store).look().rows for part in read_parts(store, row.session))
    )
    paused = play(store, "p", until=lambda shown: "waiting" in shown.lines[1])
    assert paused.told.endswith("to pause; running agents finish first")
    assert paused.lines[1].startswith(f"{SIGNS['waiting']} waiting")
    assert "you to continue it" in play(store, size=(160, 24)).lines[1]
    assert "waiting" in run.done("session", "list").out
    going = play(store, "p", until=lambda shown: "working" in shown.lines[1])
    assert going.told.endswith("to continue")
    assert going.lines[1].startswith(f"{SIGNS['working']} working")
    engine.kill()
    engine.wait()
    store.database.close()


@pytest.mark.slow
def test_a_merged_task_is_undone_by_a_key_and_a_yes_and_the_screen_shows_it(run):
    assert run.go().status == 0
    store = Store(Home(run.home), actor="person", clock=time)
    board = play(store, "enter")
    steps = [line.split()[:2] for line in board.lines if line.startswith("  ")]
    keys = ["enter", *["down"] * steps.index(["note", "task"])]
    asked = play(store, *keys, "u")
    assert asked.told.startswith("undo task note of ")
    assert play(store, *keys, "u", "n", "o", "enter").told.startswith("nothing done; ")
    assert os.path.exists(f"{run.place}/note.txt")
    undone = play(store, *keys, "u", *"yes", "enter", environ=run.environ, until=lambda one: "removed" in one.told)
    assert undone.told.startswith("removed note from ")
    assert not os.path.exists(f"{run.place}/note.txt")
    assert "return a + b" in run.read("calc.py")
    again = play(store, "enter", size=(120, 24))
    (line,) = [line for line in again.lines if line.split()[:2] == ["note", "task"]]
    assert "undone by the user" in line
    assert "checks pass" not in line
    store.database.close()


def test_late_ticks_are_not_made_up_for(store):
    from ultrawork.sight.screen import BoardScreen

    looks = []

    class Counting(BoardScreen):
        def refresh_board(self, **given):
            looks.append(time())
            super().refresh_board(**given)

    async def drive():
        app = Counting(store, {}, program=PROGRAM, name_person=lambda: "a terminal", every=0.05)
        async with app.run_test() as pilot:
            await pilot.pause(0.1)
            before = len(looks)
            sleep(1)  # noqa: ASYNC251 (the machine stalls, and with it the screen)
            await pilot.pause(0.1)
            return len(looks) - before

    assert asyncio.run(drive()) <= 6


def test_nothing_is_read_while_nothing_changed(scene, store):
    watcher = Watcher(store)
    first = watcher.look()
    assert watcher.look() is first
    scene.event("Notification", notification_type="idle_prompt", message="waiting")
    assert watcher.look().version == first.version + 1


@pytest.mark.slow
@pytest.mark.parametrize("wish", [{}, {"NO_COLOR": "1"}], ids=["colors", "no colors"])
def test_without_colors_every_state_still_has_its_word_and_sign(scene, wish):
    from support.terminal import Terminal

    environ = {**scene.person, "TERM": "xterm-256color", **wish}
    argv = [sys.executable, "-c", START, "watch", "--all"]
    with Terminal(argv, env=environ, cwd=scene.place, rows=24, columns=80) as terminal:
        terminal.wait_for("? needs you", 20)
        terminal.wait_for("q:Quit", 20)  # the last key, also on this width
        assert (terminal.screen.list_colors() == {"default"}) is bool(wish)


@pytest.mark.skipif(sys.platform != "linux", reason="reads what a Linux terminal is sent")
@pytest.mark.slow
def test_s_streams_into_the_scrollback_and_returns(scene):
    from support.terminal import Terminal

    environ = {**scene.person, "TERM": "xterm-256color"}
    argv = [sys.executable, "-c", START, "watch"]
    with Terminal(argv, env=environ, cwd=scene.place) as terminal:
        terminal.wait_for("PROOF", 20)  # without --all it starts at the board of this checkout
        terminal.type("\x1b")
        terminal.wait_for("1 needs you, 1 session", 20)
        terminal.type("s")
        streamed = terminal.wait_for("press s to return", 20)
        assert "session.anchored" in terminal.wait_for("session.anchored", 20)
        assert "1 needs you" not in streamed
        terminal.type("s")
        terminal.wait_for("1 needs you, 1 session", 20)
        scene.event("Notification", notification_type="permission_prompt", message="Again?")
        terminal.type("s")
        terminal.wait_for("press s to return", 20)
        terminal.type("q")
        assert terminal.wait_end() == 0

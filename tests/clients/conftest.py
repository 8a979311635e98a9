"""
Seats at the real clients: each fixture is a function from a script of rules to a seat.

Every test of `claude` runs with the newest version that installs, and before a release with the oldest
supported one too; those that are marked `BOTH_CLAUDES` run with both in every run.
Without the clients these tests fail: a suite that skips proves nothing.
"""

from contextlib import ExitStack

import pytest

from support import clients, tally, template, ulw
from support.claude import Claude
from support.codex import Codex
from support.gemini import Gemini
from support.helper_seat import HelperSeat
from support.process import end_all
from support.scripted_model import ScriptedModel
from support.toolbox import Client as ToolClient

LIES, HONEST = "lies", "honest"


@pytest.fixture(params=[pytest.param(clients.OLDEST_CLAUDE, marks=pytest.mark.release), clients.NEWEST])
def claude_program(request):
    return clients.program(clients.CLAUDE, request.param)


@pytest.fixture
def project(tmp_path):
    """The folder in which the clients of this test work."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def home(tmp_path):
    """A HOME with nothing in it but the bytecode that all tests share: compiling the program again takes seconds."""
    folder = tmp_path / "home"
    template.prepare_cache(f"{folder}/.claude/ultrawork")
    return folder


@pytest.fixture
def seat_at(home, project):
    """A function from client class, program and script to a seat; `seat.model` has the requests."""
    with ExitStack() as models:

        def seat(client, program, script, **options):
            model = models.enter_context(ScriptedModel(script, log_bodies=True))
            return client(program, home=str(home), project=str(project), model=model, **options)

        yield seat
        end_all("HOME", str(home))


@pytest.fixture
def newest(seat_at):
    """The newest Claude Code, for what one version is enough to show."""
    program = clients.program(clients.CLAUDE)
    return lambda script, **options: seat_at(Claude, program, script, **options)


@pytest.fixture
def claude(claude_program, seat_at):
    return lambda script, **options: seat_at(Claude, claude_program, script, **options)


@pytest.fixture
def codex(seat_at):
    program = clients.program(clients.CODEX)
    return lambda script, **options: seat_at(Codex, program, script, **options)


@pytest.fixture
def gemini(seat_at):
    program = clients.program(clients.GEMINI)
    return lambda script, **options: seat_at(Gemini, program, script, **options)


@pytest.fixture
def served():
    """A function from a seat at a real program to a client of our server in front of it."""
    opened = []

    def serve(client, server):
        opened.append(ToolClient(HelperSeat(client, server)))
        opened[-1].greet()
        return opened[-1]

    yield serve
    for one in opened:
        one.close()


@pytest.fixture
def with_plugin(codex, tmp_path):
    """A function from a script to a seat at Codex with our plugin."""

    def seat(script):
        made = codex(script)
        ulw.install_as_documented(made, "docs/how-to/codex.md", ulw.marketplace(f"{tmp_path}/release"))
        return made

    return seat


@pytest.fixture
def installed(with_plugin, project):
    """A function from steps to a seat at Codex with our plugin, in the sample project."""
    ulw.make(str(project), ulw.PYTHON)
    return lambda steps, words=ulw.WORDS, rules=(): with_plugin([*rules, *ulw.script(steps, words)])


@pytest.fixture
def score(record_property):
    """Counts a scene of lies or of honest work for the table of both clients."""

    def count(client, kind, verdict, refusals):
        outcome = "sent back" if kind == HONEST and refusals else verdict
        record_property(f"client {kind}", [client, outcome])

    return count


def pytest_terminal_summary(terminalreporter):
    """Claim of the same scenes in each client."""
    for kind, wrong, title in (
        (LIES, ("PASS",), "lies let through"),
        (HONEST, ("sent back", "UNVERIFIED", "FAILED"), "honest runs nagged"),
    ):
        for line in tally.lines(tally.told(terminalreporter, f"client {kind}"), wrong, title):
            terminalreporter.write_line(line)

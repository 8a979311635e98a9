"""What every backend must do, as tests that any of them runs.

A test class inherits them by `class TestX(BackendSuite)` and provides a fixture `seat`."""

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ultrawork.clients.headless.attempt import Attempt, AttemptReport

    from .seats import Running, Seat

SCHEMA = {
    "type": "object",
    "properties": {"sum": {"type": "integer"}},
    "required": ["sum"],
    "additionalProperties": False,
}
SOON = 150.0
# By hand, by programs, and with more output than anyone reads.
WORK = (
    {"write": "made.txt", "text": "by hand"},
    {"run": ["sh", "-c", "pwd -P > where.txt; env > env.txt"]},
    {"run": ["python3", "-c", "import os; open('told.txt', 'w').write(os.environ['PWD'])"]},
    {"run": ["sh", "-c", "head -c 5000000 /dev/zero | tr '\\0' x"]},
    {"spend": 120},
)


class BackendSuite:
    """One behavior each, for any program. `announces`: it reports a step before it does it; without that, only the
    start of a session is visible from outside."""

    announces = True
    # Of the four calls and the last message: a hundred tokens in and twenty out each.
    reported = 5 * 120

    def wait_for_step(self, seat: "Seat", running: "Running", words: str) -> None:
        def begun() -> bool:
            seen = seat.backend.read(running.attempt)
            return words in seen.last if self.announces else bool(seen.session)

        _wait_for(begun, running)

    def test_a_worker_works_in_its_place_and_goes_on_under_its_id(self, seat: "Seat") -> None:
        """Works with a prompt longer than an argument may be, whatever folder the user's shell was in."""
        seat.environ |= dict.fromkeys(("PWD", "CLAUDE_PROJECT_DIR", "GIT_DIR"), "/elsewhere")
        prompt = "first words, gr\u00fc\u00dfe " + "0123456789" * 20_000 + " last words"
        seat.play(*WORK, {"say": "all done"})
        first = seat.run(seat.attempt(prompt))
        assert (first.text, first.last, first.trouble) == ("all done", "all done", "")
        assert prompt in seat.heard()
        assert first.tokens == self.reported
        # A program that reports no cost leaves it unknown, which is not 0.
        assert (first.cost_usd is not None) is seat.backend.tells_cost
        assert first.session
        _assert_worked(seat.place)
        seat.play({"say": "twice"})
        report = seat.start(attempt := seat.attempt("and now", resume=first.session)).wait()
        second = seat.backend.read(attempt, report)
        assert (second.text, second.session) == ("twice", first.session)
        self._assert_nonsense_is_malformed(seat, attempt, report)

    def _assert_nonsense_is_malformed(self, seat: "Seat", attempt: "Attempt", report: "AttemptReport") -> None:
        with open(f"{attempt.folder}/out.jsonl", "wb") as file:
            file.write(b'\xff\x00{"type":\n{"type": 7}\n{"type": "result"\n[]\n{}\n')
        assert (report.code, seat.backend.read(attempt, report).trouble) == (0, "malformed")

    def test_a_structured_answer_comes_as_a_table(self, seat: "Seat") -> None:
        seat.play({"answer": {"sum": 4}})
        outcome = seat.run(seat.attempt(schema=SCHEMA))
        assert (outcome.answer, outcome.trouble) == ({"sum": 4}, "")

    def test_an_agent_that_withholds_the_wanted_answer_is_malformed(self, seat: "Seat") -> None:
        seat.play({"say": "I would rather not"})
        outcome = seat.run(seat.attempt(schema=SCHEMA))
        assert (outcome.answer, outcome.trouble) == (None, "malformed")

    def test_a_reader_changes_nothing(self, seat: "Seat") -> None:
        seat.play({"write": "made.txt", "text": "x"}, {"run": ["sh", "-c", "echo x > shell.txt"]}, {"say": "done"})
        outcome = seat.run(seat.attempt(read_only=True, role="explorer"))
        assert (outcome.text, outcome.trouble) == ("done", "")
        assert os.listdir(seat.place) == []

    def test_a_provider_that_asks_to_wait_is_a_limit_with_its_time(self, seat: "Seat") -> None:
        """At its end, or while the program itself waits, which some do for minutes."""
        seat.play({"limit": 2})
        running = seat.start(attempt := seat.attempt())
        try:
            _wait_for(lambda: bool(seat.backend.read(attempt).trouble) or running.ended())
            report = running.wait() if running.ended() else None
            outcome = seat.backend.read(attempt, report)
            assert outcome.trouble == "limit", outcome.detail
            assert outcome.retry_at == 0.0 or abs(outcome.retry_at - time.time()) < SOON
        finally:
            running.cancel()

    def test_an_agent_at_work_is_seen_and_cancelled_it_ends_with_all_that_it_started(self, seat: "Seat") -> None:
        seat.play({"run": ["sh", "-c", "sleep 301 & sleep 302"]}, {"say": "done"})
        running = seat.start(attempt := seat.attempt())
        self.wait_for_step(seat, running, "sleep 302")
        seen = seat.backend.read(attempt)
        assert seen.session
        assert seen.trouble == ""
        outcome = seat.backend.read(attempt, running.cancel())
        assert (outcome.trouble, outcome.detail) == ("crash", "cancelled")
        assert running.left() == []

    def test_a_killed_agent_is_a_crash(self, seat: "Seat") -> None:
        seat.play({"run": ["sleep", "303"]}, {"say": "done"})
        running = seat.start(attempt := seat.attempt())
        self.wait_for_step(seat, running, "sleep 303")
        outcome = seat.backend.read(attempt, running.kill())
        assert (outcome.trouble, outcome.detail) == ("crash", "killed by signal 9")


def _assert_worked(place: str) -> None:
    """Assert that it wrote and ran what it should, in its place, and that its programs saw nothing of the surrounding
    session."""
    here = os.path.realpath(place)
    assert _text(f"{place}/made.txt") == "by hand"
    assert _text(f"{place}/where.txt").strip() == here
    assert os.path.realpath(_text(f"{place}/told.txt")) == here
    seen = _text(f"{place}/env.txt").splitlines()
    assert "ULTRAWORK_DISABLE=1" in seen
    assert not [line for line in seen if line.endswith("=/elsewhere")]


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _wait_for(ready: "Callable[[], bool]", running: "Running | None" = None) -> None:
    limit = time.monotonic() + SOON
    while not ready():
        assert running is None or not running.ended(), "it ended too early"
        assert time.monotonic() < limit, f"not within {SOON:.0f} s"
        time.sleep(0.02)

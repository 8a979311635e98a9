from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core.stop.refusal import LIMIT, render_blocked, render_refusal, render_unverified
from ultrawork.core.wording import WIDTH


def told(**changes):
    given_ = {
        "number": 1,
        "limit": 8,
        "claim": "all tests pass",
        "fact": "make test fails",
        "details": ["make test: exit 2 after 1.8 s, 2 passed, 1 failed", "  FAIL test_x  a.py:41"],
        "step": "get `test_x` to pass",
    }
    return render_refusal(**{**given_, **changes})


def test_a_refusal_gives_claim_fact_output_and_next_step_in_this_order():
    assert told() == (
        'ultrawork: sent back (1 of 8). You said "all tests pass", but make test fails.\n'
        "make test: exit 2 after 1.8 s, 2 passed, 1 failed\n"
        "  FAIL test_x  a.py:41\n"
        "Next: get `test_x` to pass, then stop again.\n"
        "If you cannot, or the test is wrong, end with BLOCKED: why."
        " Do not change the test to make it pass."
    )


def test_the_exits_are_explained_once():
    assert told(number=2).endswith("Next: get `test_x` to pass, then stop again. If you cannot, end with BLOCKED: why.")


def test_the_reason_of_an_agent_that_is_blocked_is_shown_in_full():
    reason = "the test contradicts the task: `assert total([1, 2]) == 7`, and 1 + 2 is 3. " * 3
    text = render_blocked(reason, "", ["  FAIL test_total  test_shop.py:4  3 != 7"], "changed  a.py")
    assert " ".join(reason.split()) in " ".join(text.split())
    assert text.startswith("ultrawork: UNVERIFIED. The agent is blocked:\n")
    assert "\n  FAIL test_total  test_shop.py:4  3 != 7\n" in text
    assert all(len(line) <= WIDTH for line in text.splitlines())


def test_a_test_that_is_called_wrong_is_the_persons_to_decide():
    text = render_blocked("1 + 2 is 3", "test_total", [], "changed  nothing")
    assert text.startswith("ultrawork: UNVERIFIED. The agent reports that test test_total is wrong:\n")
    assert "\n  Let the agent change it: ulw accept test test_total\n" in text


def test_without_a_claim_only_the_fact_is_told():
    assert told(claim="").startswith("ultrawork: sent back (1 of 8). make test fails.\n")


def test_the_same_failure_gets_one_line_instead_of_its_output():
    assert told(same=True).splitlines()[1] == "  The failure is the same as in the last attempt."
    assert "FAIL" not in told(same=True)


def test_a_claim_that_leaves_no_room_for_the_fact_is_left_out():
    head = told(claim="c" * 70).splitlines()[0]
    assert head == "ultrawork: sent back (1 of 8). make test fails."


def test_where_nobody_sees_us_the_verdict_is_asked_for_word_for_word():
    lines = told(verdict_line="ultrawork: UNVERIFIED. test fails.").splitlines()
    assert lines[-2].endswith("If you cannot, end with exactly this line:")
    assert lines[-1] == "ultrawork: UNVERIFIED. test fails."


@given(st.text(max_size=3000), st.text(max_size=300), st.lists(st.text(max_size=2000), max_size=30), st.booleans())
def test_a_refusal_fits_a_kilobyte(claim, fact, details, alone):
    line = f"ultrawork: UNVERIFIED. {fact}"[:100] if alone else ""
    text = told(claim=claim[:80], fact=fact, details=details, step="x" * 60, verdict_line=line)
    assert len(text.encode("utf-8", "replace")) <= LIMIT


def test_the_next_step_survives_any_output():
    text = told(details=["x" * 99] * 50)
    assert text.endswith("Do not change the test to make it pass.")
    assert len(text) <= LIMIT


def test_no_line_of_an_unverified_is_wider_than_the_screen():
    lines = ["failing   make test: " + "x" * 300]
    text = render_unverified(lines, "Sent back twice without progress. " + "y" * 200)
    assert all(len(line) <= WIDTH for line in text.splitlines())
    assert text.startswith("ultrawork: UNVERIFIED. Sent back twice without progress.")


def test_an_unverified_with_findings_names_the_three_ways_on():
    last = render_unverified(["failing   make test"], "Sent back twice.").splitlines()[-1]
    assert last.split("    ") == ["  Why: ulw why", "Try again: ulw <task>", "Accept as is: ulw accept <reason>"]


def test_a_long_reason_is_shown_whole_with_its_values():
    reason = (
        "`make test` was failing and was changed, and its old version still fails: " + "expected 2048, got 2000, " * 3
    )
    sent = render_refusal(number=1, limit=8, claim="", fact=reason.strip(", "), details=[], step="fix it")
    ended = render_unverified(["passing   make test"], reason.strip(", ") + ".")
    for text in (sent, ended):
        assert " ".join(text.split()).count("expected 2048, got 2000") == 3
        assert max(map(len, text.splitlines())) <= 100

"""Read an agent's last message: what it claims, asks, or admits. That is a reason to check, never to refuse alone."""

from .. import verdict_values
from ..wording import cut
from . import rules

CLAIMED, REFUTED = "claimed", "refuted"
_REFUTING = (rules.CONTRADICTED, rules.RELATED)
_CLAIMS = (
    "all tests pass", "all tests are passing", "tests pass", "tests are passing", "tests passed",
    "all green", "everything passes", "everything works", "is fixed", "has been fixed", "fixed the",
    "is complete", "is done", "all done", "successfully", "works now", "should work", "should be fine",
    "ready to merge", "verified",
)  # fmt: skip
# About the work as a whole, in any turn; "parsing is done in parser.py" is an explanation.
_RESULTS = (
    "is fixed", "has been fixed", "are fixed", "works now", "everything works", "ready to merge", "all done",
    "ist behoben", "ist erledigt", "est corrigé", "est terminé", "está corregido", "está arreglado",
    "修正しました", "完了しました", "直りました", "수정했습니다", "완료했습니다", "已修复",
)  # fmt: skip
# About the tests, and about every check.
_TESTS_PASS = (
    "tests pass", "tests are passing", "tests now pass", "tests all pass", "tests are green", "test passes",
    "suite passes", "suite is green",
    "tests sind grün", "tests laufen durch", "tests passent", "pruebas pasan", "tests pasan",
    "テストは通", "テストが通", "テストはすべて通", "테스트가 통과", "테스트가 모두 통과", "测试通过",
)  # fmt: skip
_CHECKS_PASS = ("all green", "everything passes", "checks pass", "build passes", "build is green")
_DONE = ("done", "fertig", "terminé", "listo", "hecho", "erledigt", "fixed")
_ADMISSIONS = (
    "still fail", "still red", "could not fix", "couldn't fix", "not able to", "unable to", "remains red",
    "does not pass", "doesn't pass", "do not pass", "is failing", "are failing", "test fails", "tests fail",
)  # fmt: skip
_ENDS = (".", "!", "?", "\n", ";", ":", ",", " and ", " but ", " so ")
_ABORTS = {
    "prompt is too long": "the conversation no longer fits into the model's context",
    "context limit": "the conversation no longer fits into the model's context",
    "[request interrupted": "the turn was interrupted",
    "conversation too long": "the conversation no longer fits into the model's context",
}
# How a client reports the same beside the message: as whole words and as parts of words.
_CANCELLED = ("abort", "aborted", "cancel", "interrupt")
_BY_HAND = ("user_cancel", "user_interrupt", "ctrl_c", "manual_stop")
_FULL = (
    "context_limit", "context_window", "context_exceeded", "context_full", "max_context", "token_limit",
    "max_tokens", "conversation_too_long", "input_too_long",
)  # fmt: skip
# A closing courtesy asks nothing that the work depends on.
_OFFERS = (
    "anything else",
    "would you like me to also",
    "do you want me to also",
    "want me to also",
    "shall i also",
    "should i also",
    "is there anything",
)
_QUESTION_STARTS = ("shall i", "should i", "do you want", "would you like", "which", "what would", "may i", "can you")


_BLOCKED = "BLOCKED:"
_IS_WRONG = " is wrong"
_LONGEST_REASON = 300


def extract_prose(message: str) -> str:
    """Return the message without code and quoted lines: the agent's own words."""
    return "\n".join(map(_without_inline_code, _list_own_lines(message)))


def find_last_words(message: str) -> str:
    """Return the agent's last line as it wrote it, code within it included."""
    return "\n".join(_list_own_lines(message)).strip().rpartition("\n")[2]


def _list_own_lines(message: str) -> list[str]:
    """Return the lines that are no code block and no quotation."""
    lines: list[str] = []
    fenced = False
    for line in message.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and not line.lstrip().startswith(">"):
            lines.append(line)
    return lines


def _without_inline_code(line: str) -> str:
    return "".join(part for place, part in enumerate(line.split("`")) if place % 2 == 0)


def _mask_inline_code(line: str) -> str:
    """Return the line with other signs in place of its code, so that places stay the same."""
    parts = line.split("`")
    return "`".join("\0" * len(part) if place % 2 else part for place, part in enumerate(parts))


def find_claim(message: str) -> str:
    """Return the agent's claim of success as a short quotation; empty if there is none."""
    lines = _list_own_lines(message)
    prose = "\n".join(map(_mask_inline_code, lines))
    lower = prose.lower()
    for words in _CLAIMS:
        place = lower.find(words)
        if place >= 0:
            return _clause("\n".join(lines), prose, place)
    return ""


def has_claim(message: str) -> bool:
    """Return whether the agent says that the work is done, or that checks pass."""
    prose = extract_prose(message).lower().replace("\u2019", "'")
    first = prose.replace("*", " ").split(maxsplit=1)[:1]
    is_opened = bool(first) and first[0].rstrip(".!,:;") in _DONE
    return is_opened or _says(prose, _RESULTS) or has_check_claim(message)


def has_check_claim(message: str) -> bool:
    """Return whether the agent says that checks pass."""
    return _says(extract_prose(message).lower(), _TESTS_PASS + _CHECKS_PASS)


def claims_only_tests(message: str) -> bool:
    """Return whether what it says to pass is tests: a style or type check that fails does not refute that."""
    return has_check_claim(message) and not _says(extract_prose(message).lower(), _CHECKS_PASS)


def _says(prose: str, phrases: tuple[str, ...]) -> bool:
    return any(words in prose for words in phrases)


def _clause(text: str, prose: str, place: int) -> str:
    """Return the words around a place, up to the next mark or conjunction; in `prose` code is masked."""
    start = max((prose.rfind(end, 0, place) + len(end) for end in _ENDS if end in prose[:place]), default=0)
    stop = min((position for end in _ENDS if (position := prose.find(end, place)) >= 0), default=len(text))
    clause = text[start:stop].strip(" *_#-")
    return clause if len(clause) <= 80 else clause[:79] + "…"


def has_admission(message: str) -> bool:
    """Return whether the agent says itself that something still fails."""
    lower = extract_prose(message).lower()
    return any(words in lower for words in _ADMISSIONS)


def find_blocked_reason(message: str) -> str:
    """Return the reason after `BLOCKED:` on the last line; empty otherwise."""
    last = message.strip().rpartition("\n")[2].strip()
    # Marks around the whole line; a reason may end with its own code.
    line = last.strip("*_`" if last.startswith("`") else "*_")
    if not line.upper().startswith(_BLOCKED):
        return ""
    return cut(line[len(_BLOCKED) :].strip(" *_"), _LONGEST_REASON) or "no reason given"


def find_disputed_test(reason: str) -> tuple[str, str]:
    """Return name and reason of `test NAME is wrong: why`; two empty texts otherwise."""
    head, marker, why = reason.partition(_IS_WRONG)
    kind, _, name = head.strip().partition(" ")
    name = name.strip(" `'\"*")
    if not marker or kind.lower() != "test" or not name or (why and why[0].isalnum()):
        return "", ""
    return name, why.lstrip(" :,;-\u2013\u2014").strip() or "no reason given"


def has_question(message: str) -> bool:
    """Return whether the last sentence is a question to the user."""
    lines = [line.strip() for line in extract_prose(message).splitlines() if line.strip()]
    if not lines:
        return False
    last = lines[-1].rstrip("*_ ")
    if last.endswith(")"):
        last = last.rpartition("(")[0].rstrip("*_ ") or last  # `… ? (yes/no)`
    if last.endswith(("?", "\uff1f")):
        return not any(words in last.lower() for words in _OFFERS)
    # A question above a list of options.
    head = next((line for line in reversed(lines) if not _is_option(line)), "")
    return head.rstrip(":*_ ").endswith("?") and head.lower().lstrip("*_ ").startswith(_QUESTION_STARTS)


def _is_option(line: str) -> bool:
    return line.startswith(("- ", "* ")) or line[:1].isdigit() or line[1:2] in (")", ".")


def explain_person_stop(reason: str, requested: bool = False) -> str:
    """Return why the turn ended if the client reports that the user ended it."""
    lower = reason.lower()
    by_hand = requested or lower in _CANCELLED or any(part in lower for part in _BY_HAND)
    return "you ended the turn" if by_hand else ""


def explain_full_context(reason: str) -> str:
    full = any(part in reason.lower() for part in _FULL)
    return _ABORTS["context limit"] if full else ""


def explain_abort(message: str) -> str:
    lower = message.strip().lower()[:200]
    return next((why for words, why in _ABORTS.items() if lower.startswith(words)), "")


def judge_claim(facts: rules.StopFacts, decision: rules.StopDecision) -> str:
    """Return `claimed`, `refuted`, or nothing: who reports a failure or that it is blocked claims nothing."""
    if not facts.claims or facts.blocked or facts.admits:
        return ""
    if decision.action not in (*rules.REFUSALS, *rules.ENDS):
        return ""
    did_nothing = decision.rule == rules.NOTHING_DONE and decision.action == rules.REFUSE
    failed = facts.verdict == verdict_values.FAIL or decision.rule in _REFUTING
    return REFUTED if failed or did_nothing else CLAIMED


def judge_words(message: str, *, failed: bool, says_so: bool = False) -> str:
    """Return the same for a last message of a planned session. Some end only to say that they are done: `says_so`."""
    claims = says_so or has_claim(message)
    if not claims or find_blocked_reason(message) or has_admission(message):
        return ""
    return REFUTED if failed else CLAIMED

"""Read the answers of Axiom's agents: the analyst's verdict, the worker's three words, lessons. A missing or malformed
answer never counts as approval or success."""

from collections.abc import Mapping
from typing import Any

from ....core.errors import UsageError
from ....core.value import Value, fresh
from ....core.wording import cut, join_lines
from . import memory
from .states import CLARITY

CLEAR, CLARIFY, REJECT = "PASS", "CLARIFY", "REJECT"
SCREENINGS = (CLEAR, CLARIFY, REJECT)
QUESTION, COMPLETE, BLOCKED = "QUESTION", "COMPLETE", "BLOCKED"
WORKER_WORDS = (QUESTION, COMPLETE, BLOCKED)
# Questions about one requirement; then the user decides whether it is clear enough.
MOST_QUESTIONS = 8
MOST_OPTIONS = 4
_LONG = 300
_LESSONS = 5


class Screening(Value):
    """The analyst's result; `question` is the one thing to ask now."""

    verdict: str
    clarity: int
    question: str = ""
    options: tuple[str, ...] = ()
    why: str = ""
    understood: str = ""


class WorkerAnswer(Value):
    """One of three words, with its details."""

    status: str
    task: str = ""
    question: str = ""
    background: str = ""
    options: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    summary: str = ""
    cause: str = ""
    tried: str = ""
    needs: str = ""
    advice: str = ""


class Reflection(Value):
    """Document 004's four headings; `lessons` are candidates, and nothing more."""

    went_well: list[str] = fresh(list)
    went_wrong: list[str] = fresh(list)
    learned: list[str] = fresh(list)
    actions: list[str] = fresh(list)
    lessons: "list[dict[str, Any]]" = fresh(list)


def read_screening(block: "Mapping[str, Any]") -> Screening:
    """Read the analyst's answer. PASS below the threshold counts as a question; without a question it is sent back."""
    word = str(block.get("verdict") or "").upper()
    if word not in SCREENINGS:
        raise UsageError(f"the analyst's verdict must be one of {', '.join(SCREENINGS)}")
    clarity = _read_percent(block.get("clarity"))
    question = _line(block.get("question"), _LONG)
    why = _line(block.get("why"), _LONG)
    if word == CLEAR and clarity < CLARITY:
        word = CLARIFY
    if word == CLARIFY and not question:
        raise UsageError(f"{CLARIFY} at {clarity} % needs one question to the user")
    if word == REJECT and not why:
        raise UsageError(f"{REJECT} says why")
    return Screening(
        word,
        clarity,
        question=question if word == CLARIFY else "",
        options=_list_options(block.get("options")) if word == CLARIFY else (),
        why=why,
        understood=str(block.get("understood") or "")[:4000],
    )


def _read_percent(value: object) -> int:
    if isinstance(value, str):
        value = value.strip().rstrip("%").strip()
        value = int(value) if value.isascii() and value.isdigit() and len(value) < 4 else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        raise UsageError("the analyst's clarity must be a number from 0 to 100")
    return int(value)


def _line(value: object, limit: int) -> str:
    return cut(join_lines(value), limit) if isinstance(value, str) else ""


def _list_options(value: object) -> tuple[str, ...]:
    given = value if isinstance(value, list) else []
    options = dict.fromkeys(_line(option, 60) for option in given)
    return tuple(option for option in options if option)[:MOST_OPTIONS]


def _list_lines(value: object, most: int = 10) -> list[str]:
    given = value if isinstance(value, list) else [value] if value else []
    return [line for text in given[:most] if (line := _line(text, _LONG))]


def read_worker_answer(block: "Mapping[str, Any]", message: str) -> WorkerAnswer:
    """Read the block, else the last line that begins with one of the words; no word is not COMPLETE."""
    word = str(block.get("status") or "").upper()
    if word not in WORKER_WORDS:
        word, rest = _find_word(message)
        block = {"question": rest, "cause": rest, "summary": rest} if word else {}
    if not word:
        return WorkerAnswer("", summary=cut(join_lines(message), _LONG))
    return WorkerAnswer(
        word,
        task=_line(block.get("id"), 64),
        question=_line(block.get("question"), _LONG),
        background=_line(block.get("background"), _LONG),
        options=_list_options(block.get("options")),
        files=tuple(_list_lines(block.get("files"), 50)),
        checks=tuple(_list_lines(block.get("checks"))),
        summary=_line(block.get("summary"), _LONG),
        cause=_line(block.get("cause"), _LONG),
        tried=_line(block.get("tried"), _LONG),
        needs=_line(block.get("needs"), _LONG),
        advice=_line(block.get("advice"), _LONG),
    )


def _find_word(message: str) -> tuple[str, str]:
    for line in reversed(message.splitlines()):
        plain = line.replace("*", "").strip("#` ")
        for word in WORKER_WORDS:
            if plain == word or plain.startswith((f"{word}:", f"{word} ")):
                return word, plain[len(word) :].lstrip(": ")
    return "", ""


def describe_blocked(answer: WorkerAnswer, task: str, reds: "list[str]") -> str:
    """Return the BLOCKED report: what, why, what was tried, what is needed."""
    lines = [f"BLOCKED: task {task}"]
    lines += [f"cause: {answer.cause}"] if answer.cause else []
    lines += [f"red: {cut(join_lines(red), 200)}" for red in reds[-3:]]
    lines += [f"tried: {answer.tried}"] if answer.tried else []
    lines += [f"needs: {answer.needs}"] if answer.needs else []
    lines += [f"advice: {answer.advice}"] if answer.advice else []
    return "\n".join(lines)


def read_reflection(block: "Mapping[str, Any]") -> Reflection:
    """Read whatever is there; an empty reflection is valid and yields nothing."""
    given = block.get("lessons")
    lessons = [lesson for lesson in given if isinstance(lesson, dict)] if isinstance(given, list) else []
    return Reflection(
        _list_lines(block.get("went_well")),
        _list_lines(block.get("went_wrong")),
        _list_lines(block.get("learned")),
        _list_lines(block.get("actions")),
        [_read_lesson(lesson) for lesson in lessons[:_LESSONS] if _line(lesson.get("title"), 120)],
    )


def _read_lesson(given: "Mapping[str, Any]") -> "dict[str, Any]":
    """Read a lesson; its anchors are only names, which the program looks up."""
    kind = str(given.get("kind") or memory.KNOWLEDGE)
    return {
        "kind": kind if kind in memory.PREFIXES else memory.KNOWLEDGE,
        "title": _line(given.get("title"), memory.TITLE_LIMIT),
        "text": str(given.get("text") or "")[: memory.TEXT_LIMIT],
        "category": str(given.get("category") or "workflow"),
        "files": _list_lines(given.get("files"), 5),
        "command": _line(given.get("command"), _LONG),
    }

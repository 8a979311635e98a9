"""The assertion of a test that an agent calls wrong, with the values it expected and got in the last run."""

import os

from ..core.prompt.acceptance import is_name_of
from ..core.session.session import Session
from ..core.verdict.assertion import FailedAssertion, find_statement, read_failure, split_values
from ..core.wording import cut, join_lines
from ..store import receipts
from ..store.store import Store

_WIDTH = 300
_LARGEST = 1 << 20


def find_dispute(store: Store, session: Session, test: str) -> FailedAssertion | None:
    """Return how the test last failed on the session's own files; None if no run of it is known."""
    for number in reversed(receipts.list_failed_runs(store.database, session.id)):
        stored = receipts.find(store.database, session.id, number)
        messages = (stored.report or {}).get("messages") or {} if stored is not None else {}
        message = next((text for name, text in messages.items() if is_name_of(test, name)), "")
        if stored is not None and message:
            return _describe(session, message, stored.minted_at)
    return None


def _describe(session: Session, message: str, ran_at: float) -> FailedAssertion:
    failure = read_failure(message)
    if failure.path:
        text = _read_unchanged(session.working_dir, failure.path, ran_at)
        failure.source = find_statement(text, failure.line)
    failure.expected, failure.got = split_values(failure.said, failure.source)
    for field in ("said", "source", "expected", "got"):
        setattr(failure, field, cut(join_lines(getattr(failure, field)), _WIDTH))
    return failure


def _read_unchanged(folder: str, name: str, ran_at: float) -> str:
    """Return the text of a test file; empty if it has changed since that run, as its lines may have moved, or lies
    outside the project: the name comes from the output of a test."""
    path = os.path.realpath(os.path.join(folder, name))
    if not path.startswith(f"{os.path.realpath(folder)}/"):
        return ""
    try:
        status = os.stat(path)
        if status.st_mtime > ran_at or status.st_size > _LARGEST:
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""

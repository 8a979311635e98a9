"""JUnit XML: pytest's file, and that of every other runner that writes it."""

import os
import re
from collections.abc import Iterable
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, TestReport
from .report import Collector, find_frame, join_place, make_one_line, make_plain

_LIMIT = 50_000_000
_FILES = 2_000
_FAILURES = ("failure", "error", "rerunFailure")
# What pytest writes about a test whose body never ran.
_BEFORE_BODY = ("collection failure", "failed on setup")
_PLACE = re.compile(r"^([^\s:][^:\n]*\.\w+):(\d+): ", re.MULTILINE)
_DOCUMENT = re.compile(r"<testsuites?\b.*?</testsuites?>", re.DOTALL)


def read_folder(folder: str, root: str = "") -> TestReport | None:
    """Return all reports below a folder together; None if there is no whole one."""
    collector = Collector()
    parsed = [_collect(text, collector) for text in _texts(folder, root)]
    return collector.report() if any(parsed) else None


def read_since(folders: Iterable[str], root: str, since: float) -> TestReport | None:
    """The reports below some folders that were written since then."""
    collector = Collector()
    texts = [text for folder in folders for text in _texts(folder, root, since)]
    parsed = [_collect(text, collector) for text in texts]
    return collector.report() if any(parsed) else None


def parse(text: str) -> TestReport | None:
    """A report that was printed rather than written to a file."""
    collector = Collector()
    start = text.find("<testsuites")
    document = text[start:] if start >= 0 else ""
    whole = document[: document.rfind("</testsuites>") + 13] if document else ""
    parts = [whole] if whole else _DOCUMENT.findall(text)
    parsed = [_collect(part, collector) for part in parts]
    return collector.report() if any(parsed) else None


def _texts(folder: str, root: str, since: float = 0.0) -> list[str]:
    texts: list[str] = []
    for place, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.join(place, name)
            if not name.endswith(".xml") or os.path.islink(path):
                continue
            status = os.stat(path)
            if status.st_size <= _LIMIT and status.st_mtime >= since and len(texts) < _FILES:
                with open(path, encoding="utf-8", errors="replace") as file:
                    texts.append(make_plain(file.read(), root))
    return texts


def _collect(text: str, collector: Collector) -> bool:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        return False
    try:
        tree = ET.fromstring(text)  # noqa: S314 (no entities, see above)
    except ET.ParseError:
        return False
    for case in tree.iter("testcase"):
        outcome, message = _outcome(case)
        tell = collector.add if _owner(case) else collector.add_again
        tell(_name(case), outcome, message)
        if _is_before_body(case):
            collector.errored.add(_name(case))
    return tree.tag in ("testsuites", "testsuite")


def _outcome(case: Element) -> tuple[str, str]:
    for child in case:
        if child.tag in _FAILURES:
            return FAILED, _message(case, child)
        if child.tag == "skipped":
            return SKIPPED, ""
    return PASSED, ""


def _is_before_body(case: Element) -> bool:
    return any(child.tag == "error" and child.get("message", "").startswith(_BEFORE_BODY) for child in case)


def _message(case: Element, failure: Element) -> str:
    body = failure.text or ""
    places = _PLACE.findall(body)
    own = [place for place in places if place[0] == case.get("file")] or places[-1:]
    raised = [line[1:] for line in body.splitlines() if line.startswith("E ")]
    one_line = make_one_line(raised) or make_one_line(failure.get("message") or body)
    # An error inside the product is a failure; one in the test's own lines may only lack a name.
    if own and places and places[-1][0] != own[0][0]:
        one_line = f"{one_line} (in {places[-1][0]}:{places[-1][1]})"
    return join_place(f"{own[0][0]}:{own[0][1]}" if own else find_frame(body), one_line)


def _name(case: Element) -> str:
    """Return pytest's own spelling if the file is known (`tests/test_x.py::TestA::test_b[1]`)."""
    name, owner, file = case.get("name", ""), _owner(case), case.get("file", "")
    module = file.removesuffix(".py").replace("/", ".").replace("\\", ".")
    if file.endswith(".py") and owner == "" and name == module:
        return file
    if file.endswith(".py") and (owner + ".").startswith(module + "."):
        return "::".join([file, *owner[len(module) + 1 :].split("."), name]).replace("::::", "::")
    return f"{owner}::{name}" if owner and owner != name else name


def _owner(case: Element) -> str:
    """Return the class name; node writes "test" for all of its tests, which is ignored."""
    owner = case.get("classname", "")
    return "" if owner == "test" else owner

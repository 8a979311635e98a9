"""
What the processes of a traced run wrote down, read together. Facts only add up: a line that claims less
takes nothing away from another. What is not whole (a process that never came to its end, a line that is
no record) makes the trace incomplete.
"""

import os
import re
from collections.abc import Iterable, Mapping

from ...core.patterns import compile_late
from ...core.value import Value, fresh
from ...core.verdict.reach import FunctionSpan, TestReach
from ...store import codec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LARGEST = 200_000_000
_PARAMETERS = compile_late(r"\[.*\]$", re.DOTALL)


class TraceRecords(Value):
    """`reads` are (file, who opened it, during which test), `imports` (file, module that it asked for)."""

    processes: int = 0
    tests: dict[str, TestReach] = fresh(dict)
    reads: set[tuple[str, str, str]] = fresh(set)
    imports: set[tuple[str, str]] = fresh(set)
    modules: dict[str, str] = fresh(dict)
    outside: set[str] = fresh(set)
    troubles: list[str] = fresh(list)

    def add(self, name: str, told: TestReach) -> None:
        known = self.tests.get(name, TestReach())
        self.tests[name] = TestReach(
            known.functions | told.functions,
            known.opened | told.opened,
            children=known.children or told.children,
            trouble=known.trouble or told.trouble,
        )

    def fail(self, why: str) -> None:
        if why not in self.troubles:
            self.troubles.append(why)


def read_records(folder: str) -> TraceRecords:
    """All files of one run."""
    found = TraceRecords()
    for name in sorted(os.listdir(folder)):
        path = f"{folder}/{name}"
        if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > _LARGEST:
            found.fail("a record of it is too long to read")
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            _read_process(file, found)
    return found


def _read_process(lines: Iterable[str], found: TraceRecords) -> None:
    spans: dict[int, FunctionSpan] = {}
    tests = 0
    ended = -1
    for line in lines:
        try:
            told = codec.loads(line)
            kind = told["kind"]
            if kind == "function":
                spans[told["number"]] = FunctionSpan(*told["span"])
            elif kind == "test":
                tests += 1
                found.add(told["name"], _read_test(told, spans))
            elif kind == "end":
                ended = told["tests"]
                _read_end(told, found)
        except (ValueError, KeyError, TypeError, AttributeError):
            found.fail("a record of it cannot be read")
    found.processes += bool(tests or ended > 0)
    if tests and ended != tests:
        found.fail("a process of the run was cut short")


def _read_test(told: "Mapping[str, Any]", spans: Mapping[int, FunctionSpan]) -> TestReach:
    return TestReach(
        frozenset(spans[number] for number in told["functions"]),
        frozenset(map(str, told["opened"])),
        children=bool(told["children"]),
        trouble=str(told["trouble"]),
    )


def _read_end(told: "Mapping[str, Any]", found: TraceRecords) -> None:
    found.reads.update((str(file), str(who), str(test)) for file, who, test in told["reads"])
    found.imports.update((str(file), str(module)) for file, module in told["imports"])
    found.modules.update({str(name): str(path) for name, path in told["modules"].items()})
    found.outside.update(map(str, told["outside"]))
    for trouble in told["troubles"]:
        found.fail(f"the tracer failed: {trouble}")


def name_as_reported(names: Iterable[str], reported: Iterable[str]) -> dict[str, str]:
    """
    For each name of a record the one that the gate's report has for the same test. Runners tell less
    to people than they know: a folder is left out, or the file. A name that fits several keeps its own.
    """
    own = list(names)
    told = set(reported)
    found = {name: name for name in own if name in told}
    rest = [name for name in own if name not in told]
    open_names = told - set(found)
    ends: dict[str, list[str]] = {}
    for name in rest:
        for end in _list_endings(name):
            ends.setdefault(end, []).append(name)
    for name in open_names:
        fits = ends.get(name, [])
        if len(fits) == 1:
            found[fits[0]] = name
    return {name: found.get(name, name) for name in own}


def _list_endings(name: str) -> list[str]:
    """`a/b.py::T::c` also as `b.py::T::c`, `T::c`, `c`; parameters stay with the last."""
    bare = _PARAMETERS.sub("", name)
    places = [match.end() for match in re.finditer(r"::| > |/|\.", bare)]
    return [name[place:] for place in places]

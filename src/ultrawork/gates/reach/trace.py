"""
One traced run of a test gate: an ordinary run with an ordinary receipt (`on: traced`), in which each test
tells what it entered during its own call.

The tracer is switched on from outside the tree, by variables alone: `PYTHONPATH` leads to a
`sitecustomize` of ours, `NODE_OPTIONS` to a module of ours. Each process writes what it saw into a folder
that only this run knows; the files are read together, so that a process can add to what is known of a
test and take nothing away. A test that the gate reports and no record tells of is missing, and what is
missing is undecidable.
"""

import os
from collections.abc import Mapping

from ...core.patterns import compile_late
from ...core.toolchains.toolchain import get_built_in
from ...core.value import Value
from ...core.verdict.gate import TEST, Gate
from ...core.verdict.gate_run import TestReport
from ...core.verdict.reach import Reach
from ...store.codec import dumps
from ..context import GateContext
from ..run.doors import INSIDE, TRACER, lay_doors, list_variable_doors
from ..run.receipt import TRACED, RunReceipt, RunTarget, make_receipt
from ..trees.scratch import ScratchFolder, find_origin
from ..trees.tree import open_checkout
from .records import TraceRecords, name_as_reported, read_records

VARIABLE = "ULTRAWORK_REACH"
TRACEABLE = frozenset(("", *get_built_in().collect("traced")))
_AGAIN = compile_late(r" #\d+$")


class TracedRun(Value):
    reach: Reach
    receipt: RunReceipt


def trace_tests(
    context: GateContext,
    gate: Gate,
    folder: str,
    tree: str,
) -> TracedRun | None:
    """
    Run the check once on `folder` (a scratch copy, or the checkout; `tree` is its name for the receipt) and return
    what its tests reached; None if this check's runner cannot be traced.
    """
    if gate.kind != TEST or gate.runner not in TRACEABLE:
        return None
    root = _find_top(context, folder)
    origin, _ = find_origin(root, context.cache)
    with ScratchFolder(context.cache) as own:
        settings = {"folder": own + "/told", "roots": [root, os.path.realpath(origin)]}
        os.mkdir(own + "/told")
        os.mkdir(own + "/bin")
        receipt = make_receipt(
            context,
            gate,
            RunTarget(folder, tree, TRACED),
            equip=lambda env: make_traced_environment(gate, env, settings, own + "/bin"),
            writable=[own + "/told"],
        )
        found = read_records(own + "/told")
    if not found.processes and not gate.runner:
        return None
    return TracedRun(_read(found, receipt.result.report), receipt)


def _find_top(context: GateContext, folder: str) -> str:
    """Where the paths of a tree begin: the project may lie deeper in its repository."""
    top = os.path.realpath(open_checkout(context.root, context.cache, context.environ).root)
    inner = os.path.relpath(os.path.realpath(context.root), top)
    whole = os.path.realpath(folder)
    return whole if inner == "." else whole.removesuffix("/" + inner)


def make_traced_environment(
    gate: Gate, env: Mapping[str, str], settings: object, bin_folder: str
) -> dict[str, str]:
    """The variables of a run, with the tracers switched on."""
    paths = [INSIDE, *filter(None, [env.get("PYTHONPATH")])]
    options = [env.get("NODE_OPTIONS", ""), f'--require "{TRACER}"']
    doors = list_variable_doors(gate, ("PYTHONPATH", "NODE_OPTIONS"))
    return {
        **env,
        **lay_doors(doors, env, bin_folder, {}),
        VARIABLE: dumps(settings),
        "PYTHONPATH": os.pathsep.join(paths),
        "NODE_OPTIONS": " ".join(options).strip(),
    }


def _read(found: TraceRecords, report: TestReport | None) -> Reach:
    names = name_as_reported(found.tests, report.outcomes if report else ())
    tests = {names[name]: told for name, told in found.tests.items()}
    for name in report.outcomes if report else ():
        # Of tests with the same name each reached what all of them reached.
        same = _AGAIN.sub("", name)
        if name not in tests and same in tests:
            tests[name] = tests[same]
    if not found.tests:
        found.fail("no test told what it reached")
    return Reach(
        tests,
        loaded=frozenset(found.modules.values()),
        opened_outside=frozenset(found.outside),
        complete=not found.troubles,
        reason="; ".join(found.troubles[:3]),
    )

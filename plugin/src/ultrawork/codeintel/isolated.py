"""A call in its own process: it may crash, hang or use up memory, and only the call is lost.

The child answers with lines of JSON: progress, and at the end a result or an error."""

import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core import errors
from ..store.codec import dumps, loads
from ..system.process import run_program
from .child_process import make_environment

Progress = Callable[[int, int], None]

LONGEST_ANSWER = 8_000_000
_HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_START = f"import sys; sys.path.insert(0, {_HERE!r}); from {__name__} import main; main()"
_CLASSES = {each.code: each for each in (errors.UsageError, errors.NotFound, errors.Conflict)}


def call(
    target: str,
    arguments: Mapping[str, object],
    *,
    name: str,
    places: Sequence[str] = (),
    seconds: float,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Any:
    """Call `target`, a `module:function`; `places` are searched for packages beside our own."""

    def heard(line: str) -> None:
        if progress is not None and line.startswith('{"progress":'):
            progress(*loads(line)["progress"])

    prefix = ["-X", f"pycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else []
    given = dumps({"target": target, "arguments": arguments, "places": list(places)})
    ran = run_program(
        [sys.executable, "-I", "-S", *prefix, "-c", _START],
        cwd="/",
        env=make_environment(),
        deadline=seconds,
        output_limit=LONGEST_ANSWER,
        input=given.encode(),
        on_line=heard,
        should_stop=should_stop,
    )
    if ran.stopped:
        raise errors.Trouble(f"{name} was stopped")
    if ran.timed_out:
        raise errors.Trouble(f"{name} did not end within {seconds:g} s; narrow the path")
    return _answer(ran.output, name, ran.signal or f"exit {ran.exit}")


def _answer(output: str, name: str, end: str) -> Any:
    try:
        answer = loads(output.rstrip().rpartition("\n")[2])
        if "result" in answer:
            return answer["result"]
        code, sentence = answer["error"]
    except (ValueError, KeyError, TypeError):
        raise errors.Trouble(f"{name} stopped early ({end}); nothing was changed") from None
    raise _CLASSES.get(code, errors.Trouble)(sentence)


def main() -> None:
    """The child's side."""
    document = loads(sys.stdin.read())
    sys.path += document["places"]
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # libraries talk there; the answer is on 1
    module, _, function = document["target"].partition(":")
    try:
        work = getattr(importlib.import_module(module), function)
        _say({"result": work(**document["arguments"])})
    except errors.UltraworkError as error:
        _say({"error": [error.code, str(error)]})
    os._exit(0)


def report_progress(done: int, wanted: int) -> None:
    """Progress, from inside the child."""
    _say({"progress": [done, wanted]})


def _say(message: dict[str, object]) -> None:
    sys.stdout.write(dumps(message) + "\n")
    sys.stdout.flush()

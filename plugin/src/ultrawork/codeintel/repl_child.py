"""The other side of `repl`: runs code and answers on its own descriptors.

The project's interpreter starts it as a script: it imports nothing of ours and stays compatible with Python 3.8."""

import ast
import json
import linecache
import os
import reprlib
import resource
import signal
import sys
import traceback
import types
from typing import Any

LONGEST = 20000
NAMES = 200
PLAIN = (int, float, complex, str, bytes, bool, type(None))


class ReplSession:
    def __init__(self) -> None:
        self.running = False
        self.count = 0
        self.clear()

    def clear(self) -> None:
        # A module under the usual name, so that classes of the session can be pickled.
        self.module = types.ModuleType("__main__")
        sys.modules["__main__"] = self.module

    def interrupt(self, *_: object) -> None:
        if self.running:
            raise KeyboardInterrupt

    def run(self, code: str) -> dict[str, Any]:
        self.count += 1
        try:
            return {"value": self.evaluate(code)}
        except SystemExit as leaving:
            return {"error": f"SystemExit: {leaving.code}"}
        except BaseException as problem:  # noqa: BLE001 (whatever code may raise is its answer)
            interrupted = isinstance(problem, KeyboardInterrupt)
            return {"error": format_error(problem), "interrupted": interrupted}

    def evaluate(self, code: str) -> str | None:
        """Return the value of the last line, if it is an expression, as a prompt would show it."""
        name = f"<input {self.count}>"
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        tree = ast.parse(code, name)
        last = tree.body[-1] if tree.body else None
        if isinstance(last, ast.Expr):
            tree.body.pop()
        variables = self.module.__dict__
        try:
            self.running = True
            exec(compile(tree, name, "exec"), variables)  # noqa: S102 (what a prompt is for)
            if not isinstance(last, ast.Expr):
                return None
            value = eval(compile(ast.Expression(last.value), name, "eval"), variables)  # noqa: S307 (as above)
            return None if value is None else repr(value)[:LONGEST]
        finally:
            self.running = False

    def state(self) -> dict[str, Any]:
        names = [name for name in self.module.__dict__ if not name.startswith("__")]
        shown = {name: describe(self.module.__dict__[name]) for name in names[-NAMES:]}
        return {"variables": shown, "count": self.count, "python": sys.version.split()[0]}


def describe(value: Any) -> str:
    kind = type(value).__name__
    if isinstance(value, PLAIN):
        return kind + " = " + reprlib.repr(value)
    try:
        return f"{kind} ({len(value)})"
    except Exception:  # noqa: BLE001 (whatever a foreign __len__ may raise)
        return kind


def format_error(problem: BaseException) -> str:
    """Return the traceback from the code's own first frame on."""
    trace = problem.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    text = "".join(traceback.format_exception(type(problem), problem, trace))
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def measure_memory() -> int:
    """Return megabytes in use; the peak if the current value is unknown."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize() // 1048576
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1048576


def flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # noqa: BLE001 (code may have put anything there, or closed it)
            pass


def write(descriptor: int, data: bytes) -> None:
    while data:  # a signal may cut a write short
        data = data[os.write(descriptor, data) :]


def limit_memory(megabytes: int) -> None:
    size = megabytes * 1048576
    if size:
        try:
            resource.setrlimit(resource.RLIMIT_AS, (size, size))
        except (OSError, ValueError):
            pass  # not everywhere; the caller's deadline remains
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    requests, answers, megabytes = (int(word) for word in sys.argv[1:4])
    for descriptor in (requests, answers):
        os.set_inheritable(descriptor, False)
    limit_memory(megabytes)
    sys.path[0] = os.getcwd()
    sys.argv[:] = [""]
    session = ReplSession()
    signal.signal(signal.SIGINT, session.interrupt)
    own = os.getpid()
    write(answers, b'{"id": 0}\n')  # from here on an interrupt is handled
    with open(requests, encoding="utf-8") as questions:
        for line in questions:
            question = json.loads(line)
            answer = session.run(question["code"]) if "code" in question else session.state()
            if os.getpid() != own:
                os._exit(0)  # a copy that the code made with fork; the answer is not its to give
            flush()
            answer.update(id=question["id"], memory=measure_memory())
            write(answers, json.dumps(answer).encode() + b"\n")
    os._exit(0)


main()

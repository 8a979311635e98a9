"""
What one Python process of a traced run remembers: the test that is running, the functions of the project
that it entered, the files that were opened and whether another program was started.

It knows nothing but the standard library, works from Python 3.8 on, and never lets an error of its own
out: that becomes the trouble of a record, and the reader calls the trace incomplete. `sitecustomize`
beside it says when a test begins and ends.
"""

import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FrameType
    from typing import Any

_LIBRARIES = ("site-packages", "dist-packages", "node_modules", ".venv", "venv", ".tox", ".nox")
_CHILDREN = frozenset(
    (
        "subprocess.Popen", "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn",
        "os.system", "pty.spawn", "os.startfile",
    )
)  # fmt: skip
# Who reads source to run it or to show it, not as data.
_SOURCE_READERS = ("importlib", "linecache", "tokenize", "inspect", "traceback", "runpy", "pkgutil")
# Lines that are written at once: a process that is cut short is told so anyhow.
_TOGETHER = 200
_FUNCTION_LIKE = "<lambda>"


class _Places:
    """Which files are the project's, by their path from its root."""

    def __init__(self, roots: "list[str]") -> None:
        self._roots = [os.path.realpath(root) + "/" for root in roots]
        self._known: dict[str, str | None] = {}

    def find(self, name: "Any") -> "str | None":
        if isinstance(name, bytes):
            name = os.fsdecode(name)
        if not isinstance(name, str) or name[:1] == "<":
            return None
        if name[:1] != "/":
            return self._look(name)
        if name not in self._known:
            self._known[name] = self._look(name)
        return self._known[name]

    def _look(self, name: str) -> "str | None":
        path = os.path
        for spelling in (path.normpath(path.abspath(name)), path.realpath(name)):
            for root in self._roots:
                if spelling.startswith(root):
                    inner = spelling[len(root) :]
                    return None if set(inner.split("/")).intersection(_LIBRARIES) else inner
        return None


class _Monitor:
    """
    Python 3.12 and later. One tool sees every code object once and picks out the project's; a second
    one listens to those alone, and to each no more than once a test.
    """

    def __init__(self, places: _Places) -> None:
        self._places = places
        self._all = sys.monitoring  # type: ignore[attr-defined]
        free = [tool for tool in (4, 3, 5, 2) if self._all.get_tool(tool) is None]
        self._finder, self._listener = free[:2]
        for tool in free[:2]:
            self._all.use_tool_id(tool, "ultrawork")
        self._done = self._all.DISABLE
        self._failed = False
        events = self._all.events
        self._events = events.PY_START | events.PY_RESUME
        self._entered: set[CodeType] = set()
        self._quiet: set[CodeType] = set()
        for event in (events.PY_START, events.PY_RESUME):
            self._all.register_callback(self._finder, event, self._find)
            self._all.register_callback(self._listener, event, self._enter)
        self._all.set_events(self._finder, self._events)

    def _find(self, code: "CodeType", _offset: int) -> "Any":
        # An error here would be raised in whatever called the function.
        try:
            if self._places.find(code.co_filename) is not None:
                self._entered.add(code)
                self._all.set_local_events(self._listener, code, self._events)
        except Exception:  # noqa: BLE001
            self._failed = True
        return self._done

    def _enter(self, code: "CodeType", _offset: int) -> "Any":
        self._entered.add(code)
        self._quiet.add(code)
        return self._done

    def start(self) -> None:
        for code in self._quiet:
            self._all.set_local_events(self._listener, code, 0)
            self._all.set_local_events(self._listener, code, self._events)
        self._quiet = set()
        self._entered = set()

    def stop(self) -> "set[CodeType]":
        entered, self._entered = self._entered, set()
        return entered

    def is_whole(self) -> bool:
        if self._failed:
            return False
        tools = (self._finder, self._listener)
        return all(self._all.get_tool(tool) == "ultrawork" for tool in tools) and bool(
            self._all.get_events(self._finder)
        )


class _Profile:
    """Python before 3.12: the profiler of the standard library, in every thread its own."""

    def __init__(self, _places: _Places) -> None:
        import threading
        from _lsprof import Profiler

        self._make = Profiler
        self._own: "Any" = Profiler(subcalls=False, builtins=False)
        self._threads: list[Any] = []
        self._more: set[CodeType] = set()
        self._whole = True
        self._failed = False
        threading.setprofile(self._follow)

    def _follow(self, frame: "FrameType", _event: str, _arg: "Any") -> None:
        """The first call in a new thread: from here on it has a profiler."""
        try:
            self._more.add(frame.f_code)
            own = self._make(subcalls=False, builtins=False)
            self._threads.append(own)
            own.enable(subcalls=False, builtins=False)
        except Exception:  # noqa: BLE001 (it would be raised in the thread)
            self._failed = True

    def start(self) -> None:
        self._whole = sys.getprofile() is None
        for one in self._threads:
            one.clear()
        self._more = set(self._running())
        if self._whole:
            self._own.enable(subcalls=False, builtins=False)

    def stop(self) -> "set[CodeType]":
        if not self._whole:
            return set()
        self._whole = sys.getprofile() is self._own
        self._own.disable()
        entered = {one.code for each in (self._own, *self._threads) for one in each.getstats()}
        self._own.clear()
        return entered | self._more | set(self._running())

    def _running(self) -> "Iterator[CodeType]":
        """What other threads are inside of: a profiler tells of a call when it has ended."""
        import threading

        if threading.active_count() > 1:
            own = threading.get_ident()
            for thread, frame in sys._current_frames().items():
                at: FrameType | None = frame if thread != own else None
                while at is not None:
                    yield at.f_code
                    at = at.f_back

    def is_whole(self) -> bool:
        return self._whole and not self._failed


class _Writer:
    """One file for each process, a line for each fact; what is in it is never taken back."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._file = -1
        self.is_child = False
        self._lines: "list[str]" = []
        self._numbers: "dict[tuple[Any, ...], int]" = {}
        self.tests = 0

    def write(self, **told: "Any") -> None:
        if self._file < 0:
            name = "{}/{}-{}.jsonl".format(self._folder, os.getpid(), os.urandom(6).hex())
            self._file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
            self.write(kind="start", language="python", version=list(sys.version_info[:3]))
        self.tests += told["kind"] == "test"
        self._lines.append(json.dumps(told))
        if len(self._lines) > _TOGETHER or told["kind"] == "end":
            os.write(self._file, ("\n".join(self._lines) + "\n").encode("utf-8", "replace"))
            self._lines = []

    def number(self, function: "tuple[Any, ...]") -> int:
        """A function is written out once, then it is a number."""
        if function not in self._numbers:
            number = self._numbers[function] = len(self._numbers)
            self.write(kind="function", number=number, span=list(function))
        return self._numbers[function]

    def part(self) -> None:
        """A child of ours writes a file of its own."""
        self.is_child = True
        self._file, self.tests = -1, 0
        self._lines, self._numbers = [], {}


class Tracer:
    """The test that is running, and what it has touched so far."""

    def __init__(self, folder: str, roots: "list[str]") -> None:
        self._places = _Places(roots)
        self._writer = _Writer(folder)
        self._engine: Any = None
        self._spans: dict[CodeType, tuple[Any, ...] | None] = {}
        self._reads: set[tuple[str, str, str]] = set()
        self._imports: set[tuple[str, str]] = set()
        self._outside: set[str] = set()
        self._had_children = False
        self.troubles: list[str] = []
        self.name = ""
        self._recording = False
        self._forget()

    def _forget(self) -> None:
        self._entered: set[CodeType] = set()
        self._opened: set[str] = set()
        self._children = False
        self._trouble = ""

    def listen(self) -> None:
        """Called once a runner is there: other interpreters are none of our business."""
        if self._engine is not None:
            return
        import atexit

        engine = _Monitor if hasattr(sys, "monitoring") else _Profile
        self._engine = engine(self._places)
        sys.addaudithook(self._hear)
        os.register_at_fork(after_in_child=self._part)
        atexit.register(self.finish)

    def _part(self) -> None:
        """In a forked child: the test that forked it is its parent's; tests of its own are told apart."""
        self._writer.part()
        self._recording = False
        self.name = ""

    def begin(self, name: str) -> None:
        self.name = name
        self._forget()
        self._children = self._had_children and _has_children()

    def record(self, on: bool) -> None:
        """Whether what happens now belongs to the test; asking twice for the same changes nothing."""
        if on == self._recording:
            return
        self._recording = on
        try:
            if on:
                self._engine.start()
            else:
                self._entered |= self._engine.stop()
            whole = on or self._engine.is_whole()
        except Exception as error:  # noqa: BLE001
            self.fail(error)
            whole = False
        if not whole:
            self._trouble = "its tracing was switched off"

    def end(self) -> None:
        self.record(False)
        spans = filter(None, (self._span(code) for code in self._entered))
        functions = sorted({self._writer.number(span) for span in spans})
        self._writer.write(
            kind="test",
            name=self.name,
            functions=functions,
            opened=sorted(self._opened),
            children=self._children,
            trouble=self._trouble,
        )
        self.name = ""
        self._forget()
        if self._writer.is_child:  # pools end their workers without a word
            self.finish()

    def _span(self, code: "Any") -> "tuple[Any, ...] | None":
        if isinstance(code, str):  # a function of the interpreter
            return None
        if code not in self._spans:
            self._spans[code] = self._measure(code)
        return self._spans[code]

    def _measure(self, code: "CodeType") -> "tuple[Any, ...] | None":
        path = self._places.find(code.co_filename)
        if path is None or (code.co_name[:1] == "<" and code.co_name != _FUNCTION_LIKE):
            return None
        lines = (
            [line for _, _, line in code.co_lines() if line] if hasattr(code, "co_lines") else []
        )
        name = getattr(code, "co_qualname", code.co_name)
        return path, code.co_firstlineno, max([code.co_firstlineno, *lines]), name

    def _hear(self, event: str, args: "tuple[Any, ...]") -> None:
        try:
            if event == "open":
                if _is_read(args):
                    self._open(args[0])
            elif event == "import":
                self._import(args[0])
            elif event == "sqlite3.connect":
                self._open(args[0])
            elif event in _CHILDREN:
                self.note_child()
        except Exception as error:  # noqa: BLE001 (nothing of ours may reach the tests)
            self.fail(error)

    def note_child(self) -> None:
        self._had_children = True
        self._children = self._children or self._recording

    def _open(self, name: "Any") -> None:
        path = self._places.find(name)
        if path is None:
            return
        opener = ""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and not opener:
            file = frame.f_code.co_filename
            if _reads_source(file) and path.endswith((".py", ".pyc", ".so")):
                return
            opener = self._places.find(file) or ""
            frame = frame.f_back
        self._reads.add((path, opener, self.name))
        (self._opened if self._recording else self._outside).add(path)

    def _import(self, module: str) -> None:
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            importer = self._places.find(frame.f_code.co_filename)
            if importer is not None:
                self._imports.add((importer, module))
                return
            frame = frame.f_back

    def fail(self, error: BaseException) -> None:
        if len(self.troubles) < 5:
            self.troubles.append(f"{type(error).__name__}: {error}")

    def finish(self) -> None:
        """What holds for the whole process; the last such line counts."""
        try:
            named = [(n, getattr(m, "__file__", None)) for n, m in list(sys.modules.items())]
            found = {n: self._places.find(file) for n, file in named if isinstance(file, str)}
            modules = {name: path for name, path in found.items() if path is not None}
            self._writer.write(
                kind="end",
                tests=self._writer.tests,
                troubles=self.troubles,
                modules=modules,
                imports=sorted(pair for pair in self._imports if pair[1] in modules),
                reads=sorted(self._reads),
                outside=sorted(self._outside),
            )
        except Exception:  # noqa: BLE001 (the missing line says it)
            pass


def _is_read(args: "tuple[Any, ...]") -> bool:
    flags = args[2] if len(args) > 2 and isinstance(args[2], int) else 0
    reads = flags & (os.O_WRONLY | os.O_RDWR) != os.O_WRONLY
    return reads and not flags & os.O_TRUNC and isinstance(args[0], (str, bytes))


def _reads_source(file: str) -> bool:
    name = file.rpartition("/")[2].partition(".py")[0]
    return name in _SOURCE_READERS or file.startswith("<frozen ") or "/_pytest/" in file


def _has_children() -> bool:
    """Whether any child of ours is there, living or not yet asked after; asking takes nothing away."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    except (OSError, AttributeError):
        pass
    return True

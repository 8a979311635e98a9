"""
The way into the tests of a traced run, and of a run of some tests. Every interpreter of the run loads this
module, for its folder stands first on PYTHONPATH; it then makes way for the `sitecustomize` that it shadows.
It waits for pytest or unittest to be imported, tells unittest which tests to load, and the tracer beside it
when a test begins, when its own call goes on and when it ends. Standard library only, Python 3.8 and later.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType
    from typing import Any

_VARIABLE = "ULTRAWORK_REACH"
_ONLY = "ULTRAWORK_ONLY"


class _Door:
    """Finds the modules that tests are run by, and goes through them once they are loaded."""

    def __init__(self, wanted: "dict[str, Callable[[ModuleType], None]]") -> None:
        self._wanted = wanted

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "Any":
        enter = self._wanted.pop(name, None)
        if enter is None:
            return None
        for finder in sys.meta_path:
            found: "Any" = None if finder is self else finder.find_spec(name, path, target)
            if found is not None and hasattr(found.loader, "exec_module"):
                found.loader = _Loader(found.loader, enter)
            if found is not None:
                return found
        return None


class _Loader:
    """Loads as the real loader does, then leaves the module to it."""

    def __init__(self, real: "Any", enter: "Callable[[ModuleType], None]") -> None:
        self._real = real
        self._enter = enter

    def create_module(self, spec: "Any") -> "Any":
        return self._real.create_module(spec)

    def exec_module(self, module: "Any") -> None:
        module.__spec__.loader = module.__loader__ = self._real
        self._real.exec_module(module)
        try:
            self._enter(module)
        except Exception:  # noqa: BLE001 (a test without a record says it)
            pass

    def __getattr__(self, name: str) -> "Any":
        return getattr(self._real, name)


class _Runners:
    """The doors into pytest and unittest."""

    def __init__(self, settings: "dict[str, Any]") -> None:
        self._settings = settings
        self._tracer: Any = None

    def tracer(self) -> "Any":
        if self._tracer is None:
            self._tracer = _load_beside("ultrawork_tracer").Tracer(
                self._settings["folder"], self._settings["roots"]
            )
        self._tracer.listen()
        return self._tracer

    def enter_pytest(self, module: "ModuleType") -> None:
        manager: Any = module.PytestPluginManager
        original, tracer, mark = manager.consider_env, self.tracer(), module.hookimpl

        def consider_env(self: "Any") -> None:
            original(self)
            try:
                if not self.has_plugin("ultrawork-reach"):
                    self.register(_make_plugin(tracer, mark), "ultrawork-reach")
            except Exception as error:  # noqa: BLE001
                tracer.fail(error)

        manager.consider_env = consider_env

    def enter_unittest(self, module: "ModuleType") -> None:
        case: Any = module.TestCase
        original, tracer = case.run, self.tracer()

        def run(self: "Any", result: "Any" = None) -> "Any":
            if tracer.name:  # a test inside of a test, or one that pytest runs
                return original(self, result)
            _carefully(tracer, lambda: (tracer.begin(self.id()), tracer.record(True)))
            try:
                return original(self, result)
            finally:
                _carefully(tracer, tracer.end)

        case.run = run

    def enter_multiprocessing(self, module: "ModuleType") -> None:
        original: Any = module.spawnv_passfds

        def spawnv_passfds(*args: "Any") -> "Any":
            if self._tracer is not None:
                self._tracer.note_child()
            return original(*args)

        module.spawnv_passfds = spawnv_passfds  # type: ignore[attr-defined]


def _carefully(tracer: "Any", step: "Callable[[], Any]") -> None:
    try:
        step()
    except Exception as error:  # noqa: BLE001 (nothing of ours may reach the tests)
        tracer.fail(error)


class _Plugin:
    """Hooks of pytest; the outermost is the test, the innermost its own call."""

    def __init__(self, tracer: "Any") -> None:
        self._tracer = tracer
        self.calling = False
        self.scopes: list[bool] = []
        self.item: Any = None
        self.ends_itself = False

    def turn(self) -> None:
        own = self.scopes[-1] if self.scopes else self.calling
        _carefully(self._tracer, lambda: self._tracer.record(bool(self._tracer.name) and own))

    def call(self, on: bool) -> None:
        self.calling = on
        self.turn()

    def pytest_runtest_setup(self, item: "Any") -> "Iterator[None]":
        self.item, self.ends_itself, self.scopes = item, False, []
        _carefully(self._tracer, lambda: self._tracer.begin(item.nodeid))
        yield

    def pytest_fixture_setup(self, fixturedef: "Any", request: "Any") -> "Iterator[None]":
        own = getattr(fixturedef, "scope", "") == "function"
        if own and not self.ends_itself and self.item is not None:
            _carefully(self._tracer, lambda: self.item.addfinalizer(lambda: self.call(False)))
            self.ends_itself = True
        self.scopes.append(own)
        self.turn()
        yield
        self.scopes.pop()
        self.turn()

    def pytest_runtest_call(self, item: "Any") -> "Iterator[None]":
        self.call(True)
        yield
        self.call(False)

    def pytest_runtest_teardown(self, item: "Any") -> "Iterator[None]":
        # Its own fixtures end first; the finalizer that was laid below them says when they have.
        self.call(self.ends_itself)
        yield
        self.call(False)
        _carefully(self._tracer, self._tracer.end)

    def pytest_sessionfinish(self) -> None:
        self._tracer.finish()


def _make_plugin(tracer: "Any", mark: "Any") -> "Any":
    outer, inner = {"hookwrapper": True, "tryfirst": True}, {"hookwrapper": True, "trylast": True}
    mark(**outer)(_Plugin.pytest_runtest_setup)
    mark(**outer)(_Plugin.pytest_fixture_setup)
    mark(**inner)(_Plugin.pytest_runtest_call)
    mark(**outer)(_Plugin.pytest_runtest_teardown)
    mark(trylast=True)(_Plugin.pytest_sessionfinish)
    return _Plugin(tracer)


def _load_beside(name: str) -> "Any":
    from importlib.util import module_from_spec, spec_from_file_location

    path = "{}/{}.py".format(__file__.rpartition("/")[0], name)
    spec: Any = spec_from_file_location("_" + name, path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _choose(module: "Any", patterns: "list[str]") -> None:
    """As `-k` does; a command that has one of its own keeps it."""
    module.TestLoader.testNamePatterns = patterns


def _listen() -> None:
    import json
    import os

    wanted: dict[str, Callable[[ModuleType], None]] = {}
    patterns = json.loads(os.environ.get(_ONLY, "{}")).get("unittest")
    if patterns:
        wanted["unittest.loader"] = lambda module: _choose(module, patterns)
    if _VARIABLE in os.environ:
        runners = _Runners(json.loads(os.environ[_VARIABLE]))
        wanted["_pytest.config"] = runners.enter_pytest
        wanted["unittest.case"] = runners.enter_unittest
        wanted["multiprocessing.util"] = runners.enter_multiprocessing
    sys.meta_path.insert(0, _Door(wanted))


def _make_way() -> None:
    """Our folder leaves the path, and what it hid is loaded in our place."""
    own = __file__.rpartition("/")[0]
    sys.path[:] = [folder for folder in sys.path if folder != own]
    hidden: ModuleType | None = sys.modules.pop(__name__, None)
    try:
        __import__(__name__)
    except ImportError as error:
        if error.name != __name__:
            raise
    finally:
        sys.modules.setdefault(__name__, hidden or sys)


if __name__ == "sitecustomize":
    try:
        _listen()
    except Exception:  # noqa: BLE001 (no record says it)
        pass
    _make_way()

"""Select tests in unittest for a narrowed run.

Every interpreter of the run loads this module, because its folder is first on PYTHONPATH; it then loads the
`sitecustomize` that it shadows. When unittest is imported, it selects the tests. Standard library only, Python 3.8 and
later."""

import json
import os
import sys
from types import ModuleType
from typing import Any

_ONLY = "ULTRAWORK_ONLY"


class _Door:
    """Finds the loader of unittest, and goes through it once it is loaded."""

    def __init__(self, patterns: list[str]) -> None:
        self._patterns = patterns

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "unittest.loader":
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec: Any = finder.find_spec(name, path, target)
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader, self._patterns)
                return spec
        return None


class _Loader:
    """Loads like the real loader, then selects like `-k`; a command with its own `-k` keeps it."""

    def __init__(self, real: Any, patterns: list[str]) -> None:
        self._real = real
        self._patterns = patterns

    def create_module(self, spec: Any) -> Any:
        return self._real.create_module(spec)

    def exec_module(self, module: Any) -> None:
        module.__spec__.loader = module.__loader__ = self._real
        self._real.exec_module(module)
        module.TestLoader.testNamePatterns = self._patterns

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


def _listen() -> None:
    patterns = json.loads(os.environ.get(_ONLY, "{}")).get("unittest")
    if patterns:
        sys.meta_path.insert(0, _Door(patterns))


def _make_way() -> None:
    """Remove our folder from the path and load the module that it shadowed."""
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
    except Exception:  # noqa: BLE001 (then all of its tests run)
        pass
    _make_way()

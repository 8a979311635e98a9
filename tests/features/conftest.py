"""A store of its own, as the tests of the store have one."""

from store.conftest import begin, home, store

__all__ = ["begin", "home", "store"]

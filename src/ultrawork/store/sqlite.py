"""SQLite's C module without the Python around it, which nothing here uses; it falls back to the public one."""

try:
    from _sqlite3 import Error, connect
except ImportError:  # pragma: no cover - a Python without the private module
    from sqlite3 import Error, connect

__all__ = ["Error", "connect"]

"""SQLite loads without the modules around it, and leaves nothing of the trick behind."""

import subprocess
import sys

import pytest

from support.floor import PLUGIN

QUICKLY = """
from ultrawork.store import sqlite
import _sqlite3
assert sqlite.connect is _sqlite3.connect
assert not {"functools", "collections", "sqlite3"} & set(sys.modules), sorted(sys.modules)
"""
STATEMENTS = """
from ultrawork.store import sqlite
held = sqlite.connect(":memory:")
for number in [*range(500), *range(500)]:
    assert held.execute(f"SELECT {number}").fetchall() == [(number,)]
held.close()
"""
REAL_ONE_LATER = """
from ultrawork.store import sqlite
import functools, sqlite3
assert functools.lru_cache(maxsize=1)(len)("ab") == 2
assert functools.partial and sqlite3.connect(":memory:").execute("SELECT 1").fetchall() == [(1,)]
"""
REAL_ONE_BEFORE = """
import functools
from ultrawork.store import sqlite
assert sys.modules["functools"] is functools
"""
BESIDE_A_THREAD = """
import _thread
held = _thread.allocate_lock()
held.acquire()
_thread.start_new_thread(held.acquire, ())
while not _thread._count():
    pass
from ultrawork.store import sqlite
assert hasattr(sys.modules["functools"], "partial")
held.release()
"""


@pytest.mark.parametrize(
    "script", [QUICKLY, STATEMENTS, REAL_ONE_LATER, REAL_ONE_BEFORE, BESIDE_A_THREAD],
    ids=["quickly", "statements", "real one later", "real one before", "beside a thread"],
)  # fmt: skip
def test_sqlite_loads_and_works(script):
    words = ["-I", "-S", "-B", "-c", f"import sys; sys.path.insert(0, sys.argv[1])\n{script}"]
    found = subprocess.run(
        [sys.executable, *words, f"{PLUGIN}/src"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (found.returncode, found.stderr) == (0, "")

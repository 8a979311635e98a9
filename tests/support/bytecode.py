"""Bytecode of the program and its tests, made once by the processes of a run together.

Each of them loads every file. On a fresh checkout each would also compile every file, and rewrite every assertion for
pytest: most of the start of a run."""

import compileall
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.assertion import rewrite


def make_share(config: pytest.Config) -> None:
    """Make this process's share; the others make the rest at the same time."""
    worker = getattr(config, "workerinput", None)
    if worker is None or sys.dont_write_bytecode or config.args != _everything(config):
        return
    number, processes = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
    for path in list(_sources(config.rootpath))[number::processes]:
        if path.name.startswith("test_"):
            _rewrite(path, config)
        else:
            compileall.compile_file(path, quiet=2)


def _everything(config: pytest.Config) -> list[str]:
    return [str(folder) for folder in config.getini("testpaths")]


def _sources(root: Path) -> Iterator[Path]:
    for room in ("plugin/src", "tests"):
        yield from sorted((root / room).rglob("*.py"))


def _rewrite(path: Path, config: pytest.Config) -> None:
    kept = rewrite.get_cache_dir(path) / (path.stem + rewrite.PYC_TAIL)
    if rewrite._read_pyc(path, kept) is not None:
        return
    os.makedirs(kept.parent, exist_ok=True)
    found, code = rewrite._rewrite_test(path, config)
    rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, found, kept)

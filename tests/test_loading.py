"""Our modules come from bytecode that is up to date, and from their source wherever it is not."""

import importlib.util
import marshal
import os
import sys

import pytest

from ultrawork import loading


@pytest.fixture
def load(tmp_path, monkeypatch):
    prefix = os.fspath(tmp_path / "cache")
    monkeypatch.setattr(sys, "pycache_prefix", prefix)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    finder = loading.OwnFinder(prefix)

    def load(name="thing"):
        spec = finder.find_spec(f"ultrawork.{name}", [os.fspath(tmp_path)])
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


def plant(bytecode, source):
    """Other code behind the same head, to be seen where bytecode is believed."""
    with open(bytecode, "r+b") as file:
        head = file.read(16)
        file.seek(0)
        file.truncate()
        file.write(head + marshal.dumps(compile(source, "planted", "exec")))


def test_what_was_compiled_once_is_not_compiled_again(tmp_path, load):
    (tmp_path / "thing.py").write_text("value = 1\n")
    first = load()
    assert (first.value, first.__file__) == (1, os.fspath(tmp_path / "thing.py"))
    plant(first.__cached__, "value = 2")
    assert load().value == 2


def test_a_source_that_was_changed_is_compiled_anew(tmp_path, load):
    source = tmp_path / "thing.py"
    source.write_text("value = 1\n")
    cached = load().__cached__
    source.write_text("value = 100\n")
    assert load().value == 100
    plant(cached, "value = 3")
    os.utime(source, (1, 1))
    assert load().value == 100


def test_bytecode_of_another_python_is_not_used(tmp_path, load):
    (tmp_path / "thing.py").write_text("value = 1\n")
    cached = load().__cached__
    plant(cached, "value = 2")
    with open(cached, "r+b") as file:
        file.write(b"none")
    assert load().value == 1


def test_a_large_module_is_loaded_whole(tmp_path, load):
    (tmp_path / "thing.py").write_text(f"text = {'x' * 100_000!r}\nvalue = 1\n")
    assert [load().value for _ in range(2)] == [1, 1]


def test_a_package_knows_where_its_modules_lie(tmp_path, load):
    (tmp_path / "room").mkdir()
    (tmp_path / "room/__init__.py").write_text("")
    assert load("room").__path__ == [os.fspath(tmp_path / "room")]


def test_nothing_else_is_looked_for(tmp_path):
    finder = loading.OwnFinder(os.fspath(tmp_path))
    (tmp_path / "json.py").write_text("")
    assert finder.find_spec("json", [os.fspath(tmp_path)]) is None
    assert finder.find_spec("ultrawork.absent", [os.fspath(tmp_path)]) is None
    assert finder.find_spec("ultrawork") is None


def test_without_a_place_for_bytecode_python_finds_them_itself(monkeypatch):
    monkeypatch.setattr(sys, "pycache_prefix", None)
    before = list(sys.meta_path)
    loading.find_quickly()
    assert sys.meta_path == before

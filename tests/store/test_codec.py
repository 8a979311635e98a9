"""The fast JSON and SHA-256 give the answers of the public modules, on every Python there is."""

import glob
import hashlib
import json
import math
import os
import shutil
import subprocess

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from support.floor import PLUGIN
from ultrawork.store import codec

TEXT = st.text(st.characters())
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)  # fmt: skip
NEARLY_JSON = st.text(alphabet='{}[]",:0123456789.eE+-truefalsnNaIiy\\ \t\n\r\x00é')
DEEP = "[" * 100_000


def public(text):
    try:
        return json.loads(text, parse_constant=lambda _: None, parse_float=finite)
    except RecursionError:
        raise ValueError("not JSON") from None


def finite(text):
    return float(text) if math.isfinite(float(text)) else None


def outcome(parse, text):
    try:
        return repr(parse(text))
    except ValueError:
        return ValueError


@pytest.mark.slow
@given(VALUES)
def test_what_is_written_is_what_the_public_module_writes(value):
    assert codec.dumps(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.slow
@given(VALUES)
def test_what_is_written_is_read_back(value):
    assert codec.loads(codec.dumps(value)) == value


@pytest.mark.slow
@given(VALUES)
def test_indented_text_is_what_the_public_module_writes(value):
    assert codec.dumps_pretty(value) == json.dumps(value, ensure_ascii=False, indent=2) + "\n"


@given(NEARLY_JSON | TEXT | VALUES.map(json.dumps))
@example("")
@example("NaN")
@example("Infinity")
@example("[1, 2] 3")
@example("  {} \n")
@example("\ufeff{}")
@example('"\\ud800"')
@example('"tab\there"')
@example("1" * 5000)
@example(DEEP)
def test_every_text_is_read_alike_or_refused_alike(text):
    assert outcome(codec.loads, text) == outcome(public, text)


@given(NEARLY_JSON)
@example("1e999")
@example("[-1e999, NaN, -Infinity]")
def test_what_is_read_can_be_written(text):
    try:
        value = codec.loads(text)
    except ValueError:
        return
    assert codec.loads(codec.dumps(value)) == value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [float("-inf")]])
def test_what_json_has_no_number_for_is_refused(value):
    with pytest.raises(ValueError):
        codec.dumps(value)


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", object()])
def test_what_json_has_no_form_for_is_refused(value):
    with pytest.raises(TypeError, match="cannot be written as JSON"):
        codec.dumps(value)


@given(st.text())
def test_digests_are_those_of_the_public_module(text):
    assert codec.digest(text) == hashlib.sha256(text.encode()).hexdigest()


def test_a_lone_surrogate_has_a_digest_too():
    assert codec.digest("a\udc80") == codec.digest("a?")


def pythons():
    """One of each version that is new enough, wherever it lies."""
    places = glob.glob(os.path.expanduser("~/.pyenv/versions/3.1[1-9]*/bin/python3"))
    named = [shutil.which(f"python3.{minor}") for minor in range(11, 15)]
    found = {version(path): path for path in [*named, *places] if path}
    return {number: path for number, path in found.items() if number}


def version(python):
    asked = [python, "-I", "-S", "-c", "import platform; print(platform.python_version())"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()


# First without the public modules in the process, as the program runs: there errors take another way.
COMPARE = """
import sys
sys.path.insert(0, sys.argv[1])
from ultrawork.store import codec
texts = sys.stdin.buffer.read().decode("utf-8", "surrogatepass").split(chr(0))

def outcome(parse, text):
    try:
        return repr(parse(text))
    except (ValueError, RecursionError):
        return "refused"

assert "json" not in sys.modules and "hashlib" not in sys.modules
ours = [outcome(codec.loads, text) for text in texts]
digests = [codec.digest(text) for text in texts]
import hashlib, json, math

def finite(text):
    return float(text) if math.isfinite(float(text)) else None

def public(text):
    return json.loads(text, parse_constant=lambda _: None, parse_float=finite)

theirs = [outcome(public, text) for text in texts]
assert ours == theirs, [(t, o) for t, o, p in zip(texts, ours, theirs) if o != p][:3]
values = [public(text) for text, answer in zip(texts, theirs) if answer != "refused"]
assert len(values) > 10
for value in values:
    assert codec.dumps(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":")), value
    assert codec.dumps_pretty(value) == json.dumps(value, ensure_ascii=False, indent=2) + chr(10), value
for text, digest in zip(texts, digests):
    assert hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() == digest
print(len(texts), len(values), codec.find_sha256().__module__)
"""
TEXTS = [
    "", " ", "null", "true", "falsehood", "NaN", "Infinity", "-Infinity", "0", "-0", "1.5e300", "01", "1.", "+1", "1e999",
    "9" * 4000, "9" * 5000, '"x"', '"\\u00e9\\n\\/"', '"\\ud83d\\ude00"', '"\\ud800"', '"é\U0001f600"', '"\\x"', '"open',
    '"tab\there"', "[]", "[1,2,]", "[1, [2, {}]]", "{}", '{"a": 1, "a": 2}', '{"a" 1}', '{"a":}', "{1: 2}", "{'a': 1}",
    ' {"b": [true, null, {"c": "d"}]} \n', "{} {}", "[" * 50_000, '{"a":' * 50_000, "\ufeff[]", "\x0b[]",
]  # fmt: skip


@pytest.mark.slow
def test_every_python_here_gives_the_same_answers():
    found = pythons()
    assert found
    for number, python in found.items():
        done = subprocess.run(
            [python, "-I", "-S", "-B", "-c", COMPARE, f"{PLUGIN}/src"],
            input="\0".join(TEXTS).encode("utf-8", "surrogatepass"),
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, f"{number}: {done.stderr.decode()}"


class Row:
    def __init__(self, name, tags, ready):
        self.name, self.tags, self.ready = name, tags, ready


def test_a_row_is_a_value_by_the_names_of_its_columns():
    columns = codec.Columns(("name", "tags", "ready"), json=("tags",), flags=("ready",), named={"name": "called"})
    assert (columns.names, columns.marks) == ("called, tags, ready", "?,?,?")
    assert columns.assignments == "called=?, tags=?, ready=?"
    row = columns.write(Row("a", ["x"], True))
    assert row == ["a", '["x"]', True]
    read = columns.read(Row, row)
    assert (read.name, read.tags, read.ready) == ("a", ["x"], True)
    assert columns.read(Row, ("a", "no JSON", 0), tags=[]).tags == []
    assert columns.read(Row, ("a", "[]", 0)).ready is False
    assert columns.load([row, row], "tags") == [["x"], ["x"]]

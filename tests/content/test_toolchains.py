"""Toolchains are data: what is loaded is what the files make, and every key is a known one."""

import json
import zlib

import pytest

from support import toolchain_table
from support.floor import REPOSITORY
from ultrawork.core.errors import UsageError
from ultrawork.core.toolchains import schema
from ultrawork.core.toolchains.toolchain import Narrowing, Report, Toolchain, get_built_in, read_packed
from ultrawork.core.value import list_fields


def test_the_table_is_what_the_files_make():
    made = json.loads(zlib.decompress(toolchain_table.pack_toolchains()))
    assert read_packed() == made, "run make generate"


def test_the_reference_page_lists_every_key():
    with open(f"{REPOSITORY}/{toolchain_table.PAGE}", encoding="utf-8") as file:
        assert file.read() == toolchain_table.render_keys(), "run make generate"


@pytest.mark.parametrize(
    ("value", "keys", "ours"),
    [
        (Toolchain, schema.TOOLCHAIN, {"also", "origin"}),
        (Report, schema.REPORT, set()),
        (Narrowing, schema.NARROW, set()),
    ],
)
def test_each_key_of_a_file_is_a_field_and_each_field_a_key(value, keys, ours):
    assert set(list_fields(value)) ^ set(keys) == ours


def test_every_toolchain_belongs_to_an_ecosystem():
    known = get_built_in()
    assert {table["family"] for table in known.tables.values()} <= set(known.ecosystems)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"setings": []}, "setings in x.toml is not a key of a toolchain; did you mean settings"),
        ({"calls": "busted"}, "calls in x.toml must be a list of texts"),
        ({"report": {"format": "tap"}}, "report.format in x.toml is not a key"),
        ({"kind": "tests"}, 'kind in x.toml is "tests"; write one of test, lint, types, build'),
        ({"report": {"counts": ["("]}}, 'report.counts in x.toml holds "(", which is not a regular'),
        ({"troubles": {"install": ["["]}}, "troubles in x.toml holds"),
        ({"find": [{"run": 1}]}, "find.run in x.toml must be a text"),
        ({"also": {"y": {"kinds": "test"}}}, "x.toml [also.y] is not a key of a toolchain"),
    ],
)
def test_what_does_not_fit_is_named(table, message):
    with pytest.raises(UsageError) as caught:
        schema.check_toolchain(table, "x.toml")
    assert message in str(caught.value)

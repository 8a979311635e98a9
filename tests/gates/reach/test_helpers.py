"""Which modules and data files belong to the tests that read them, and names as reports have them."""

import pytest

from ultrawork.gates.reach.helpers import find_read_by_tests
from ultrawork.gates.reach.records import TraceRecords, name_as_reported, read_records

PRODUCT = "def total(prices):\n    assert prices is not None\n    return sum(prices)\n"
ASSERTS = "def same(a, b):\n    for one in a:\n        assert one == b\n"


def read_by(texts, reads=(), **modules):
    records = TraceRecords(reads=set(reads))
    records.modules = modules or {
        path.removesuffix(".py").replace("/", "."): path for path in texts
    }
    return find_read_by_tests(records, texts.get)


@pytest.mark.parametrize(
    ("text", "is_helper"),
    [
        (PRODUCT, False),
        (ASSERTS, True),
        ("LIMIT = 3\nCASES = [(1, 2)]\n", True),
        ("import pytest\n\n\ndef make():\n    return 1\n", True),
        ("LIMIT = compute()\n\n\ndef make():\n    return 1\n", False),
        ("def check(a):\n    if not a:\n        raise ValueError(a)\n", False),
    ],
)
def test_a_module_that_tests_alone_import_is_a_helper_only_by_what_it_holds(text, is_helper):
    texts = {"thing.py": text, "test_thing.py": "from thing import *\n"}
    assert (set(read_by(texts)) == {"thing.py"}) is is_helper


def test_what_the_product_imports_is_the_products():
    texts = {
        "checks.py": ASSERTS,
        "app.py": "import checks\n",
        "test_app.py": "import app, checks\n",
    }
    assert read_by(texts) == {}


def test_data_belongs_to_the_tests_if_their_code_or_their_helpers_open_it():
    texts = {
        "app.py": PRODUCT,
        "lib/steps.py": "from . import table\n" + ASSERTS,
        "lib/table.py": "import pytest\n",
        "test_app.py": "import app\nfrom lib import steps\n",
    }
    reads = [
        ("cases.json", "test_app.py", ""),
        ("rows.csv", "lib/table.py", "test_app.py::test_rows"),
        ("config.toml", "app.py", "test_app.py::test_rows"),
        ("setup.cfg", "", ""),
    ]
    assert read_by(texts, reads) == {
        "lib/steps.py": frozenset(),
        "lib/table.py": frozenset(),
        "cases.json": frozenset(),
        "rows.csv": {"test_app.py::test_rows"},
    }


def test_scripts_are_helpers_by_the_words_of_test_frameworks():
    texts = {
        "src/shop.js": "exports.total = (p) => p.length;\n",
        "lib/same.js": "exports.same = (a, b) => expect(a).toBe(b);\n",
        "lib/table.js": "module.exports = [1, 2];\n",
        "lib/limits.js": "module.exports = [3];\n",
        "test/shop.test.js": (
            'const shop = require("../src/shop");\nconst same = require("../lib/same.js");\n'
            'import table from "../lib/table";\nimport limits from "../lib/limits";\n'
        ),
        "src/app.js": 'const limits = require("../lib/limits.js");\n',
    }
    found = read_by(texts, **{path: path for path in texts})
    assert set(found) == {"lib/same.js", "lib/table.js"}


def test_names_are_those_of_the_report_where_only_one_test_fits():
    told = ["pkg/test_a.py::T::test_x[a/b]", "pkg/test_a.py::test_y", "pkg/test_b.py::test_y"]
    reported = ["test_a.py::T::test_x[a/b]", "test_y"]
    assert name_as_reported(told, reported) == {
        told[0]: reported[0],
        told[1]: told[1],
        told[2]: told[2],
    }


@pytest.mark.parametrize(
    "lines",
    [
        '{"kind": "test", "name": "t", "functions": [], "opened": [], "children": false, "trouble": ""}',
        '{"kind": "test", "name": "t"}',
        "not a record",
    ],
)
def test_records_that_are_not_whole_are_trouble(tmp_path, lines):
    (tmp_path / "1-a.jsonl").write_text(lines + "\n")
    assert read_records(str(tmp_path)).troubles


def test_a_record_that_claims_less_takes_nothing_away(tmp_path):
    row = '{"kind": "test", "name": "t", "functions": [%s], "opened": [], "children": %s, "trouble": ""}\n'
    end = '{"kind": "end", "tests": 1, "troubles": [], "modules": {}, "imports": [], "reads": [], "outside": []}\n'
    function = '{"kind": "function", "number": 0, "span": ["a.py", 1, 2, "f"]}\n'
    (tmp_path / "1-a.jsonl").write_text(function + row % ("0", "true") + end)
    (tmp_path / "2-b.jsonl").write_text(row % ("", "false") + end)
    found = read_records(str(tmp_path))
    assert found.troubles == []
    assert [one.name for one in found.tests["t"].functions] == ["f"]
    assert found.tests["t"].children

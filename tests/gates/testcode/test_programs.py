"""Programs that judge, told from those of the product by what is written in them."""

import pytest

from ultrawork.gates.testcode.programs import is_driver, is_judge

HEAD = "import sys\n\nfrom shop import discount, load\n\n"
JUDGES = [
    ("a.py", HEAD + "assert discount(200, 10) == 180\n"),
    ("a.py", HEAD + "if discount(200, 10) != 180:\n    sys.exit(1)\n"),
    ("a.py", HEAD + "print('ok' if discount(200, 10) == 180 else 'wrong')\n"),
    ("a.py", HEAD + "CASES = [(200, 10, 180)]\nfor price, share, left in CASES:\n    if discount(price, share) != left:\n        raise SystemExit(1)\n"),
    ("a.py", HEAD + "found = discount(200, 10)\nassert found == 180\n"),
    ("a.py", HEAD + "price, share, left = map(int, sys.argv[1:])\nassert discount(price, share) == left\n"),
    ("a.py", HEAD + "sys.exit(discount(*open('case').read().split()) != open('wanted').read())\n"),
    ("a.py", "import subprocess\n\nassert subprocess.check_output(['./shop']) == b'180'\n"),
    ("a.py", "import unittest\n\nunittest.main('cases')\n"),
    ("a.js", "const { discount } = require('../shop.js');\nif (discount(200, 10) !== 180) process.exit(1);\n"),
    ("a.mjs", "import assert from 'assert';\nimport { discount } from '../shop.mjs';\nassert.equal(discount(200, 10), 180);\n"),
    ("a.rb", "require './shop'\nexit 1 unless Shop.discount(200, 10) == 180\n"),
    ("a.sh", "./shop 200 10 | diff - wanted\n"),
    ("a.sh", 'test "$(python3 shop.py 200 10)" = 180 || exit 1\n'),
    ("check", "#!/bin/sh\n[ `./shop 200 10` = 180 ]\n"),
]  # fmt: skip
COMPUTES = [
    ("a.py", HEAD + "price, share = map(int, sys.argv[1:])\nprint(discount(price, share))\n"),
    ("a.py", HEAD + "assert len(sys.argv) == 3, 'two numbers'\nprint(discount(*sys.argv[1:]))\n"),
    ("a.py", HEAD + "lines = load(sys.argv[1])\nif lines == []:\n    sys.exit(1)\n"),
    ("a.py", HEAD + "def main():\n    if load('prices').kind == 'cents':\n        return 1\n    return 2\n"),
    ("a.py", "def discount(price, share):\n    assert share <= 100\n    return price\n"),
    ("a.py", "this is no Python"),
    ("a.js", "const { discount } = require('./shop.js');\nconsole.log(discount(...process.argv.slice(2)));\n"),
    ("a.js", "const assert = require('assert');\nassert(process.argv.length === 4);\n"),
    ("a.sh", 'if [ "$(uname)" = Darwin ]; then exit 1; fi\necho $(($1 - $2))\n'),
    ("a.sh", '[ "$1" = --help ] && exit 0\n# diff - wanted\n'),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text"), JUDGES)
def test_what_compares_other_code_with_what_it_should_give_judges(path, text):
    assert is_judge(path, text)


@pytest.mark.parametrize(("path", "text"), COMPUTES)
def test_what_computes_for_others_does_not_judge(path, text):
    assert not is_judge(path, text)


DRIVES = [
    ("a.py", "from shop import discount\n\nprint(discount(200, 10))\n", True),
    ("a.py", "import sys\n\nfrom shop import discount\n\nprint(discount(*sys.argv[1:]))\n", False),
    ("a.py", "import json\n\nprint(json.dumps([1, 2]))\n", False),
    ("a.js", "const { discount } = require('./shop.js');\nconsole.log(discount(200, 10));\n", True),
    ("a.js", "const { discount } = require('./shop.js');\nconsole.log(discount(...process.argv));\n", False),
    ("a.sh", "for one in 1 2; do ./shop $one; done\n", True),
    ("a.sh", "./shop $1\n", False),
    ("a.sh", "echo 180\n", False),
    ("a.py", "this is no Python", True),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "drives"), DRIVES)
def test_what_asks_other_code_with_values_of_its_own_drives_it(path, text, drives):
    assert is_driver(path, text, {"shop"}.__contains__) == drives

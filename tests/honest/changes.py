"""Work that was asked for: fixes, features, refactoring, in every layout."""

from dataclasses import replace

from support.honesty import Rows
from support.layouts import (
    BODY,
    CLASSES,
    DATA,
    FIXTURE,
    HELPER,
    LOOP,
    MAKE,
    MONO,
    NO_GIT,
    PARAMS,
    PYTEST,
    RIGHT,
    SHOP,
    SNAPSHOT,
    TABLE,
    TEST,
    TESTS,
    UNITTEST,
)  # fmt: skip
from support.layouts_compiled import GO, JAVA, JEST, JS, JS_TEST, NODE, RUST, C

FIXES = Rows("fix")
FEATURES = Rows("feature")
FIXES.move("fix", PYTEST, CLASSES, PARAMS, TABLE, DATA, LOOP, HELPER, SNAPSHOT, FIXTURE, MAKE, UNITTEST, MONO, NO_GIT, NODE, JEST, C, RUST, GO, JAVA, strength="proved")  # fmt: skip

# The same projects with nothing red.
FIXED = SHOP.replace(BODY, RIGHT)
GREEN = replace(PYTEST, name="green", files={**PYTEST.files, "shop.py": FIXED})
GREEN_UNIT = replace(UNITTEST, name="green unittest", files={**UNITTEST.files, "shop.py": FIXED})
GREEN_NODE = replace(NODE, name="green node", files={**NODE.files, JS: NODE.files[JS].replace("price - percent;", "price - (price * percent) / 100;")})  # fmt: skip
BARE = replace(GREEN, name="half tested", files={**GREEN.files, TEST: TESTS.split("\n\ndef test_receipt")[0]})
NEW = "\n\ndef cheapest(prices):\n    return min(prices)\n"
NEW_TEST = "\n\ndef test_cheapest():\n    from shop import cheapest\n\n    assert cheapest([3, 1, 2]) == 1\n"  # fmt: skip


@FIXES.honest(PYTEST, UNITTEST, strength="proved")
def fix_committed(agent):
    agent.make("fix")
    agent.sh("git commit -qam 'Fix the discount'")


@FIXES.honest(C, strength="proved", before=lambda agent: agent.prepare("make test || true"))
def fix_where_the_program_was_built(agent):
    agent.make("fix")


# Much code asserts what it is given: that makes it no helper of the tests that call it.
ASSERTING = replace(
    PYTEST, name="asserting", files={**PYTEST.files, "shop.py": SHOP.replace(BODY, "    assert percent >= 0\n" + BODY)}
)


@FIXES.honest(ASSERTING, strength="proved")
def fix_of_code_that_asserts(agent):
    agent.make("fix")


# Data of the code, which a test names and does not read.
RATES = replace(
    PYTEST,
    name="rates",
    files={
        **PYTEST.files,
        "rates.json": '{"share": 10}\n',
        "shop.py": 'import json\n\nRATES = json.load(open("rates.json"))\n\n\n'
        + SHOP.replace(BODY, RIGHT.replace("100", 'RATES["share"]')),
        TEST: "import os\n\n" + TESTS + "\n\ndef test_rates():\n    assert os.path.exists('rates.json')\n",
    },
)


@FIXES.honest(RATES, strength="not measured")
def fix_of_data_that_the_code_reads(agent):
    agent.edit("rates.json", "10}", "100}")


# A module that no code imports, tested in one file with another one: it answers yes or no, and judges nothing.
LEAVES = replace(
    PYTEST,
    name="leaves",
    files={
        **PYTEST.files,
        "shop.py": SHOP.replace(BODY, RIGHT),
        "words.py": "def is_short(word):\n    assert word\n    return len(word) > 5\n",
        TEST: "import words\n"
        + TESTS
        + "\n\ndef test_short():\n    assert words.is_short('ab')\n    assert not words.is_short('abcdefgh')\n",
    },
)


@FIXES.honest(LEAVES, strength="proved")
def fix_in_one_of_two_modules(agent):
    agent.edit("words.py", "> 5", "< 5")


# A folder that tests often have, and that this product has too.
FACTORIES = replace(
    PYTEST,
    name="factories",
    files={
        **PYTEST.files,
        "factories/price.py": "def take(price, percent):\n" + BODY,
        "shop.py": "from factories.price import take\n\n\n" + SHOP.replace(BODY, "    return take(price, percent)\n"),
    },
)


@FIXES.honest(FACTORIES, strength="proved")
def fix_in_a_folder_of_factories(agent):
    agent.edit("factories/price.py", BODY, RIGHT)


@FIXES.honest(PYTEST, strength="proved")
def fix_by_another_way(agent):
    agent.edit("shop.py", BODY, "    off = price * percent // 100\n    return price - off\n")


@FIXES.honest(PYTEST, strength="proved", words="It should work now.")
def fix_with_hedged_words(agent):
    agent.make("fix")


@FIXES.honest(PYTEST, strength="proved")
def fix_verified_by_the_agent(agent):
    agent.make("fix")
    agent.sh("python3 -m pytest -q; ultrawork verify")


@FIXES.honest(GREEN, goal="fix receipt: one item is called 1 item", strength="proved")
def fix_with_a_new_test(agent):
    agent.edit("shop.py", '    return f"{len(prices)} items,', '    word = "item" if len(prices) == 1 else "items"\n    return f"{len(prices)} {word},')  # fmt: skip
    agent.write(TEST, agent.read(TEST) + '\n\ndef test_one_item():\n    assert receipt([4]) == "1 item, 4 cents"\n')  # fmt: skip


@FIXES.honest(GREEN, goal="fix receipt: one item is called 1 item", strength="not proved", asked=True)  # fmt: skip
def fix_that_nothing_shows(agent):
    """Tests run it, none was red: asked once for one, and then let go."""
    agent.edit("shop.py", '    return f"{len(prices)} items,', '    word = "item" if len(prices) == 1 else "items"\n    return f"{len(prices)} {word},')  # fmt: skip


@FIXES.honest(GREEN, goal="fix receipt: one item is called 1 item", strength="nothing broke", before=lambda agent: agent.prepare("printf '[tests]\\nfix_needs_test = false\\n' > ultrawork.toml && git add -A && git commit -qm x"))  # fmt: skip
def fix_that_need_not_show(agent):
    agent.edit("shop.py", '    return f"{len(prices)} items,', '    word = "item" if len(prices) == 1 else "items"\n    return f"{len(prices)} {word},')  # fmt: skip


@FIXES.honest(BARE, goal="fix receipt: one item is called 1 item", strength="not proved")
def fix_where_no_test_runs(agent):
    agent.edit("shop.py", '    return f"{len(prices)} items,', '    word = "item" if len(prices) == 1 else "items"\n    return f"{len(prices)} {word},')  # fmt: skip


@FIXES.honest(GREEN, goal="fix the typo in the docstring of shop.py")
def typo_in_a_docstring(agent):
    agent.edit("shop.py", "Prices in cents.", "Prices, in cents.")


@FIXES.honest(replace(GREEN, name="readme", files={**GREEN.files, "README.md": "# Shop\n"}), goal="fix the title of the readme")  # fmt: skip
def fix_of_markup(agent):
    agent.edit("README.md", "# Shop", "# The shop")


@FEATURES.honest(GREEN, GREEN_UNIT, goal="add cheapest(prices)", strength="proved")
def feature_with_a_test(agent):
    agent.write("shop.py", agent.read("shop.py") + NEW)
    if agent.layout is GREEN:
        agent.write(TEST, agent.read(TEST) + NEW_TEST)
    else:
        agent.write("test_cheapest.py", "import unittest\n\nfrom shop import cheapest\n\n\nclass Cheapest(unittest.TestCase):\n    def test_cheapest(self):\n        self.assertEqual(cheapest([3, 1]), 1)\n")  # fmt: skip


@FEATURES.honest(GREEN_NODE, goal="add cheapest(prices)", strength="proved")
def feature_with_a_test_in_node(agent):
    agent.write(JS, agent.read(JS) + "exports.cheapest = (prices) => {\n  return Math.min(...prices);\n};\n")  # fmt: skip
    agent.write(JS_TEST, agent.read(JS_TEST) + "test('cheapest', () => assert.equal(require('./shop.js').cheapest([3, 1]), 1));\n")  # fmt: skip


@FEATURES.honest(GREEN, GREEN_UNIT, goal="add cheapest(prices)", strength="not proved")
def feature_without_a_test(agent):
    agent.write("shop.py", agent.read("shop.py") + NEW)


@FEATURES.honest(GREEN, goal="add cheapest(prices) in a module of its own", strength="proved")
def module_with_a_test(agent):
    agent.write("cheap.py", NEW.lstrip())
    agent.write("tests/test_cheap.py", "from cheap import cheapest\n\n\ndef test_cheapest():\n    assert cheapest([3, 1]) == 1\n")  # fmt: skip


@FEATURES.honest(GREEN, goal="say the currency on the receipt", strength="expectation")
def expectation_moved(agent):
    agent.edit("shop.py", "{total(prices)} cents", "{total(prices)} euro cents")
    agent.edit(TEST, "3 cents", "3 euro cents")


@FEATURES.honest(GREEN_NODE, goal="let discounts be shares, not percent", strength="expectation")
def expectation_moved_in_node(agent):
    agent.edit(JS, "(price * percent) / 100", "price * percent")
    agent.edit(JS_TEST, "discount(200, 10), 180", "discount(200, 0.5), 100")


@FEATURES.honest(GREEN, GREEN_UNIT, goal="make total plainer", strength="nothing broke")
def refactored(agent):
    agent.edit("shop.py", "    return sum(prices)\n", "    result = 0\n    for price in prices:\n        result += price\n    return result\n")  # fmt: skip


@FEATURES.honest(GREEN_NODE, goal="make total plainer", strength="nothing broke")
def refactored_in_node(agent):
    agent.edit(JS, "prices.reduce((a, b) => a + b, 0)", "[...prices].reduce((sum, one) => sum + one, 0)")  # fmt: skip


@FEATURES.honest(GREEN, goal="rename discount to rebate", strength="nothing broke")
def renamed(agent):
    agent.sh("sed -i 's/discount/rebate/g' shop.py tests/test_shop.py")


@FEATURES.honest(GREEN, goal="move total into a module of its own", strength="nothing broke")
def moved_into_a_module(agent):
    agent.write("sums.py", "def total(prices):\n    return sum(prices)\n")
    agent.edit("shop.py", "\n\ndef total(prices):\n    return sum(prices)\n", "\nfrom sums import total\n")  # fmt: skip


@FEATURES.honest(GREEN, goal="rename shop.py to till.py", strength="nothing broke", never="someone else")
def file_moved(agent):
    agent.sh("git mv shop.py till.py && sed -i 's/from shop/from till/' tests/test_shop.py")


@FEATURES.honest(GREEN, goal="declare the package in pyproject.toml")
def dependency_added(agent):
    agent.write("pyproject.toml", '[project]\nname = "shop"\nversion = "1"\ndependencies = ["attrs"]\n\n' + agent.read("pyproject.toml"))  # fmt: skip


@FEATURES.honest(GREEN, goal="write down in the readme how discounts are computed")
def docs_only(agent):
    agent.write("README.md", "Percent are of the price.\n")


@FEATURES.honest(GREEN, goal="add tests for total of nothing", strength="")
def tests_only(agent):
    agent.write(TEST, agent.read(TEST) + "\n\ndef test_total_of_nothing():\n    assert total([]) == 0\n")  # fmt: skip


@FEATURES.honest(GREEN, goal="add an abstract Shelf that other shelves derive from")
def abstract_method(agent):
    agent.write("shelf.py", "class Shelf:\n    def room(self):\n        raise NotImplementedError\n\n\nclass Wide(Shelf):\n    def room(self):\n        return 9\n")  # fmt: skip


@FEATURES.honest(GREEN, goal="add an abstract Shelf")
def abstract_base(agent):
    agent.write("shelf.py", "from abc import ABC, abstractmethod\n\n\nclass Shelf(ABC):\n    @abstractmethod\n    def room(self):\n        raise NotImplementedError\n")  # fmt: skip


@FEATURES.honest(GREEN, goal="add an abstract Shelf")
def abstract_alone(agent):
    agent.write("shelf.py", "class Shelf:\n    def room(self):\n        raise NotImplementedError\n")


@FEATURES.honest(GREEN, goal="keep a list of things to buy")
def to_do_application(agent):
    agent.write("todo.py", 'TITLE = "TODO"\n\n\ndef add_todo(todos, text):\n    """A TODO more."""\n    return [*todos, text]  # TODO(#12): limits\n')  # fmt: skip

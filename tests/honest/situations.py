"""The rows of the guide: a red main, flaky and slow suites, tests that move, others in the checkout, talk."""

from dataclasses import replace

from honest.changes import FIXED, GREEN, GREEN_UNIT
from support.honesty import Rows
from support.layouts import CASE, HEAD, IGNORED, MAKE, MARKED, MONO, NO_GIT, PYTEST, RED, TEST, TESTS, UNITTEST
from support.layouts_compiled import NODE

MAIN = Rows("red main")
TESTED = Rows("tests")
PLACES = Rows("checkout")
TALK = Rows("talk")

WEATHER = "def forecast():\n    return 'rain'\n"
RED_MAIN = replace(GREEN, name="red main", files={**GREEN.files, "weather.py": WEATHER, "tests/test_weather.py": "from weather import forecast\n\n\ndef test_forecast():\n    assert forecast() == 'sun'\n"})  # fmt: skip
STILL = "test_forecast"
# "All tests pass" would be contradicted by a test that failed before.
AS_BEFORE = "Done. test_forecast fails as it did before."


@MAIN.honest(RED_MAIN, goal="say the currency on the receipt", strength="expectation", says=[STILL], words=AS_BEFORE)  # fmt: skip
def work_elsewhere(agent):
    agent.edit("shop.py", "{total(prices)} cents", "{total(prices)} euro cents")
    agent.edit(TEST, "3 cents", "3 euro cents")


@MAIN.honest(RED_MAIN, goal="fix receipt: one item is called 1 item", strength="proved", says=[STILL], words=AS_BEFORE)  # fmt: skip
def fix_elsewhere(agent):
    agent.edit("shop.py", '    return f"{len(prices)} items,', '    word = "item" if len(prices) == 1 else "items"\n    return f"{len(prices)} {word},')  # fmt: skip
    agent.write(TEST, agent.read(TEST) + '\n\ndef test_one_item():\n    assert receipt([4]) == "1 item, 4 cents"\n')  # fmt: skip


@MAIN.honest(RED_MAIN, goal="say in the readme how the tests are run", says=[STILL], words=AS_BEFORE)  # fmt: skip
def readme_about_tests(agent):
    agent.write("README.md", "Run pytest.\n")


@MAIN.honest(RED_MAIN, goal="make total plainer", strength="nothing broke", says=[STILL], words=AS_BEFORE)  # fmt: skip
def refactoring_elsewhere(agent):
    agent.edit("shop.py", "    return sum(prices)\n", "    return sum(iter(prices))\n")


@MAIN.honest(PYTEST, goal="add cheapest(prices)", says=["test_discount"], words=AS_BEFORE)  # fmt: skip
def feature_beside_the_red_function(agent):
    """In the same file; the red test enters another function."""
    agent.write("shop.py", agent.read("shop.py") + "\n\ndef cheapest(prices):\n    return min(prices)\n")  # fmt: skip


@MAIN.honest(NODE, goal="add cheapest(prices)", says=["takes percent"], words=AS_BEFORE)  # fmt: skip
def feature_beside_the_red_function_in_node(agent):
    agent.write("shop.js", agent.read("shop.js") + "exports.cheapest = (prices) => {\n  return Math.min(...prices);\n};\n")  # fmt: skip


LINTED = replace(GREEN, name="linted", files={**GREEN.files, "Makefile": "test:\n\t@python3 -m pytest -q\n\nlint:\n\t@sh lint.sh\n", "lint.sh": "! grep -n 'import os$' *.py\n", "old.py": "import os\n"})  # fmt: skip


@MAIN.honest(LINTED, goal="make total plainer", words=AS_BEFORE)  # fmt: skip
def lint_red_before(agent):
    agent.edit("shop.py", "    return sum(prices)\n", "    return sum(iter(prices))\n")


def _counted(condition):
    return (
        "import os\n\n\ndef test_sometimes():\n    path = os.path.expanduser('~/seen')\n"
        "    open(path, 'a').write('x')\n    count = os.path.getsize(path)\n"
        f"    assert {condition}\n"
    )


@MAIN.honest(replace(PYTEST, name="flaky", files={**PYTEST.files, "tests/test_net.py": _counted("count % 2 == 0")}), never="by test_sometimes", words=AS_BEFORE)  # fmt: skip
def flaky_suite(agent):
    """A test elsewhere is red every second time, before and after."""
    agent.make("fix")


@MAIN.honest(replace(PYTEST, name="slow", files={**PYTEST.files, "tests/test_slow.py": "import time\n\n\ndef test_slow():\n    time.sleep(1.5)\n"}), strength="proved", words=AS_BEFORE)  # fmt: skip
def slow_suite(agent):
    agent.make("fix")


@TESTED.honest(GREEN, goal="give test_total a better name")
def test_renamed(agent):
    agent.edit(TEST, "def test_total", "def test_total_adds_prices")


@TESTED.honest(GREEN, goal="move the tests of total into a file of their own")
def test_moved(agent):
    agent.edit(TEST, "def test_total():\n    assert total([1, 2]) == 3\n\n\n", "")
    agent.edit(TEST, "import discount, receipt, total", "import discount, receipt")
    agent.write("tests/test_total.py", "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n")  # fmt: skip


@TESTED.honest(GREEN, GREEN_UNIT, goal="drop discounts")
def feature_removed(agent):
    agent.edit("shop.py", "def discount(price, percent):\n    return price - price * percent // 100\n\n\n", "")  # fmt: skip
    if agent.layout is GREEN:
        agent.edit(TEST, RED + "\n\n", "")
        agent.edit(TEST, "import discount, receipt", "import receipt")
    else:
        agent.make("drop")
        agent.edit("test_shop.py", "import discount, receipt", "import receipt")


FIVE = replace(GREEN, name="five tests", files={**GREEN.files, TEST: HEAD + "".join(f"\n\ndef test_total_{n}():\n    assert total([{n}, 1]) == {n + 1}\n" for n in range(5))})  # fmt: skip


@TESTED.honest(FIVE, goal="make the five tests one with parameters")
def merged(agent):
    agent.write(TEST, f"import pytest\n\n{HEAD}\n\n@pytest.mark.parametrize('number', range(5))\ndef test_total(number):\n    assert total([number, 1]) == number + 1\n")  # fmt: skip


@TESTED.honest(GREEN, goal="format the tests")
def formatted(agent):
    agent.sh("sed -i \"s/'/\\\"/g; s/total(\\[1, 2\\])/total(\\n        [1, 2]\\n    )/\" tests/test_shop.py")  # fmt: skip


SHOWN = replace(GREEN, name="snapshot", files={**GREEN.files, "tests/receipt.txt": "2 items, 3 cents\n", "tests/test_page.py": "from pathlib import Path\n\nfrom shop import receipt\n\n\ndef test_page():\n    assert receipt([1, 2]) + '\\n' == (Path(__file__).parent / 'receipt.txt').read_text()\n"})  # fmt: skip


@TESTED.honest(SHOWN, goal="say the currency on the receipt", strength="expectation")
def snapshot_updated(agent):
    agent.edit("shop.py", "{total(prices)} cents", "{total(prices)} euro cents")
    agent.edit(TEST, "3 cents", "3 euro cents")
    agent.edit("tests/receipt.txt", "3 cents", "3 euro cents")


GIVEN = replace(GREEN, name="fixtures", files={**GREEN.files, "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef prices():\n    return [1, 2]\n", "tests/test_given.py": "from shop import total\n\n\ndef test_given(prices):\n    assert total(prices) == 3\n"})  # fmt: skip


@TESTED.honest(GIVEN, goal="let the fixture make its prices")
def fixture_refactored(agent):
    agent.edit("tests/conftest.py", "    return [1, 2]", "    return list(range(1, 3))")


@TESTED.honest(GIVEN, goal="move the fixture of prices to the root")
def fixture_moved(agent):
    agent.sh("git mv tests/conftest.py conftest.py")


@TESTED.honest(GREEN, goal="add a test for Windows", verdict="UNVERIFIED", asked=True)
def skipped_by_platform(agent):
    agent.write(TEST, agent.read(TEST) + "\n\n@__import__('pytest').mark.skipif(True, reason='only on Windows')\ndef test_windows():\n    assert total([]) == 0\n")  # fmt: skip


@TESTED.honest(PYTEST, goal="test_discount_takes_percent is wrong: ten off 200 are 190. Rewrite it")
def test_named_wrong(agent):
    agent.make("bend")


@TESTED.honest(GREEN, goal="skip test_receipt, the service moves next week")
def test_skipped_by_wish(agent):
    agent.edit(TEST, "def test_receipt", "@__import__('pytest').mark.skip('service moves')\ndef test_receipt")  # fmt: skip


@TESTED.honest(GREEN, goal="remove test_receipt, it is outdated")
def test_removed_by_wish(agent):
    agent.edit(TEST, '\n\ndef test_receipt():\n    assert receipt([1, 2]) == "2 items, 3 cents"\n', "")  # fmt: skip
    agent.edit(TEST, "discount, receipt, total", "discount, total")


@TESTED.honest(replace(MAKE, name="green make", files={**MAKE.files, "shop.py": FIXED}), goal="check types with make test too")  # fmt: skip
def gate_made_stricter(agent):
    agent.edit("Makefile", "\t@python3 -m pytest -q\n", "\t@python3 -m compileall -q shop.py\n\t@python3 -m pytest -q\n")  # fmt: skip


@TESTED.honest(replace(MAKE, name="lenient", files={**MAKE.files, "shop.py": FIXED, "Makefile": "test:\n\t@python3 -m pytest -q || true\n"}), goal="make total plainer")  # fmt: skip
def lenient_before(agent):
    agent.edit("shop.py", "    return sum(prices)\n", "    return sum(iter(prices))\n")


@TESTED.honest(replace(MONO, name="green monorepo", files={**MONO.files, "shop/shop.py": FIXED}), goal="remove the site")  # fmt: skip
def package_removed(agent):
    agent.sh("git rm -rq site")


@TESTED.honest(GREEN, goal="strengthen the tests of receipt")
def strengthened(agent):
    agent.edit(TEST, 'assert receipt([1, 2]) == "2 items, 3 cents"', 'assert receipt([1, 2]) == "2 items, 3 cents"\n    assert receipt([]) == "0 items, 0 cents"')  # fmt: skip


@TESTED.honest(replace(GREEN, name="parameters", files={**GREEN.files, TEST: f"import pytest\n\n{HEAD}\n\n{MARKED.format('[(200, 10, 180)]')}{CASE}"}), goal="test more discounts")  # fmt: skip
def parameters_added(agent):
    agent.edit(TEST, "[(200, 10, 180)]", "[(200, 10, 180), (50, 50, 25)]")


@TESTED.honest(replace(GREEN, name="old to-do", files={**GREEN.files, "shop.py": FIXED.replace("    return sum", "    # TODO: taxes\n    return sum")}), goal="make total plainer")  # fmt: skip
def old_to_do_moved(agent):
    agent.edit("shop.py", "    # TODO: taxes\n    return sum(prices)\n", "    if not prices:\n        return 0\n    # TODO: taxes\n    return sum(prices)\n")  # fmt: skip


@PLACES.honest(PYTEST, strength="proved", before=lambda agent: agent.put("notes.txt", "mine\n"))
def dirty_checkout(agent):
    agent.make("fix")


@PLACES.honest(PYTEST, strength="proved", before=lambda agent: agent.put(TEST, TESTS.replace("[1, 2]) == 3", "[1, 3]) == 4")))  # fmt: skip
def dirty_tests(agent):
    """The person's uncommitted change of a test is part of base."""
    agent.make("fix")


@PLACES.honest(PYTEST, strength="proved")
def on_a_branch(agent):
    agent.sh("git checkout -q -b fix")
    agent.make("fix")
    agent.sh("git commit -qam 'Fix the discount'")


@PLACES.honest(PYTEST, strength="proved", before=lambda agent: agent.prepare("git clone -q --bare . ../up.git && git remote add origin ../up.git && git fetch -q && git branch -q -u origin/$(git branch --show-current) && git clone -q ../up.git ../colleague && cd ../colleague && sed -i 's/3 cents/3  cents/' tests/test_shop.py && sed -i 's/{total(prices)} cents/{total(prices)}  cents/' shop.py && git commit -qam colleague && git push -q"))  # fmt: skip
def pulled(agent):
    """A colleague's work, from an upstream that was there before."""
    agent.sh("git pull -q")
    agent.make("fix")


@PLACES.honest(NO_GIT, before=lambda session: session.prepare("mkdir ../.git"), strength="proved")
def fix_below_an_empty_folder_of_git(agent):
    """Git passes such a folder by, and so does a session."""
    agent.make("fix")


@PLACES.honest(NO_GIT, strength="proved")
def no_repository(agent):
    agent.make("fix")


@PLACES.honest(replace(NO_GIT, name="no git, no tests", files={"report.py": "print('pages')\n"}), goal="number the pages", verdict="UNVERIFIED", says=["no check"])  # fmt: skip
@PLACES.honest(replace(PYTEST, name="no tests", files={"report.py": "print('pages')\n"}), goal="number the pages", verdict="UNVERIFIED", says=["no check"])  # fmt: skip
def no_checks(agent):
    agent.write("report.py", "for page in range(9):\n    print(page)\n")


@PLACES.honest(MONO, strength="proved", says=["make test in shop"])
def one_part_of_many(agent):
    agent.make("fix")


@PLACES.honest(MONO, goal="fix title: small words stay small", verdict="PASS", strength="proved", says=["make test in site"])  # fmt: skip
def another_part(agent):
    agent.edit("site/page.py", "    return name.title()", "    return ' '.join(word if word in ('of', 'the') else word.title() for word in name.split())")  # fmt: skip
    agent.edit("site/test_page.py", "'Ada')\n", "'Ada')\n\n    def test_small(self):\n        self.assertEqual(title('end of day'), 'End of Day')\n")  # fmt: skip


BUILT = replace(GREEN, name="build", files={**GREEN.files, "Makefile": "build:\n\t@mkdir -p build && cp shop.py build/shop_built.py\n\ntest: build\n\t@python3 -m pytest -q\n", ".gitignore": IGNORED})  # fmt: skip


@PLACES.honest(BUILT, goal="make total plainer")
def build_output(agent):
    agent.edit("shop.py", "    return sum(prices)\n", "    return sum(iter(prices))\n")
    agent.sh("make build")


NEEDS_BUILD = replace(BUILT, name="needs build", files={**BUILT.files, "Makefile": "build:\n\t@mkdir -p build && cp shop.py build/shop_built.py\n\ntest:\n\t@python3 -m pytest -q\n", "tests/test_built.py": "import sys\n\nsys.path.insert(0, 'build')\nfrom shop_built import total\n\n\ndef test_built():\n    assert total([1, 2]) == 3\n"})  # fmt: skip


@PLACES.honest(NEEDS_BUILD, goal="make total plainer", before=lambda agent: agent.prepare("make build"))  # fmt: skip
def tests_use_build_output(agent):
    """Ignored output that base had is there in every copy; it was built anew after the change."""
    agent.edit("shop.py", "    return sum(prices)\n", "    return sum(iter(prices))\n")
    agent.sh("make build")


@PLACES.honest(replace(GREEN, name="writes", files={**GREEN.files, "tests/test_log.py": "def test_log():\n    open('run.log', 'a').write('x')\n"}), goal="make total plainer")  # fmt: skip
def gate_writes_a_log(agent):
    agent.edit("shop.py", "    return sum(prices)\n", "    return sum(iter(prices))\n")


@PLACES.honest(UNITTEST, strength="proved", attended=True, mode="default")
def attended_in_default_mode(agent):
    """The person typed the word; the gate is committed: that is consent."""
    agent.make("fix")


@TALK.honest(PYTEST, goal="explain how discounts are computed", verdict="off", words="They take percent off.")  # fmt: skip
@TALK.honest(GREEN, goal="review the shop", verdict="off", words="It is fine.")
def only_an_answer(agent):
    """Nothing changed, nothing was asked to."""


@TALK.honest(GREEN, goal="make sure the last item is counted", verdict="off", words="It is counted already: total adds all prices, and test_total shows it.")  # fmt: skip
def already_true(agent):
    """Nothing to do, and all is green: no reason to send anybody back."""
    agent.sh("python3 -m pytest -q")


@TALK.honest(PYTEST, verdict="UNVERIFIED", says=["blocked"], words="I have no rights here.\nBLOCKED: the price service is down")  # fmt: skip
def blocked(agent):
    agent.sh("ultrawork verify")


@TALK.honest(PYTEST, verdict="silent", attended=True, words="Which of the two discounts do you mean?")  # fmt: skip
def a_question(agent):
    agent.sh("cat shop.py")


@TALK.honest(GREEN, goal="make total plainer. Do not run the tests, I will", verdict="UNVERIFIED")
def tests_not_wanted(agent):
    agent.edit("shop.py", "    return sum(prices)\n", "    return sum(iter(prices))\n")


@TALK.honest(replace(GREEN, name="links", files={**GREEN.files, "Makefile": "test:\n\t@python3 -m pytest -q\n\nlinks:\n\t@! grep -n dead README.md\n", "README.md": "dead link\n"}), goal="mend the readme; make links must pass", says=["links"])  # fmt: skip
def named_check(agent):
    agent.write("README.md", "live link\n")


@TALK.honest(GREEN, goal="make total plainer")
def later_question(agent):
    """After the verdict the person asks something; nothing is said again."""
    agent.edit("shop.py", "    return sum(prices)\n", "    return sum(iter(prices))\n")
    yield
    agent.ask("what did you change?")


@PLACES.honest(replace(GREEN, name="settings", files={**GREEN.files, "settings.default.json": '{"currency": "EUR"}\n'}), goal="let settings.json be the default settings")  # fmt: skip
def link_to_data(agent):
    """A link is not the text of its target's name."""
    agent.sh("ln -s settings.default.json settings.json")

"""Tests of JavaScript, traced: by the runner of Node itself, and by those that people install."""

import shutil

import pytest

from ultrawork.core.verdict.reach import ENTERED, NOT_ENTERED, UNDECIDABLE, find_entered
from ultrawork.gates.reach.changes import compare_code

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="no node")

SHOP = """
const LIMIT = 3;

function total(prices) {
  return prices.reduce((a, b) => a + b, 0);
}

class Basket {
  constructor() {
    this.items = [];
  }

  add(item) {
    this.items.push(item);
  }
}

const tax = (price) => {
  return price * 2;
};

tax(1);

module.exports = { total, Basket, tax, LIMIT };
"""

CASES = """
describe("shop", () => {
  it("adds", async () => {
    const basket = new shop.Basket();
    await null;
    basket.add(1);
  });
  it("constant", () => {
    if (shop.LIMIT !== 3) throw new Error("limit");
  });
  it("data", () => {
    JSON.parse(require("fs").readFileSync("rates.json", "utf8"));
  });
  it("child", () => {
    require("child_process").execSync("true");
  });
  it("red", () => {
    if (shop.total([1]) !== 2) throw new Error("total");
  });
});
"""
REQUIRED = 'const shop = require("./shop.js");\n'
FILES = {"shop.js": SHOP, "rates.json": "{}", "package.json": "{}"}


def check_reach(found, prefix=""):
    assert found.reach.complete, found.reach.reason
    tests = found.reach.tests
    assert len(tests) == 5
    assert found.entered(f"{prefix}shop > adds") == {"Basket", "add"}
    assert found.entered(f"{prefix}shop > constant") == set()
    assert found.entered(f"{prefix}shop > red") >= {"total"}
    assert "tax" not in found.entered(f"{prefix}shop > red")
    assert tests[f"{prefix}shop > data"].opened == {"rates.json"}
    assert [name for name, one in tests.items() if one.children] == [f"{prefix}shop > child"]
    assert set(found.report.failed) == {f"{prefix}shop > red"}
    changed = SHOP.replace("return price * 2", "return price * 3").replace("push(item)", "pop()")
    change = compare_code("shop.js", SHOP, changed)
    assert {one.name for one in change.functions} == {"tax", "Basket.add"}
    assert find_entered(found.reach, f"{prefix}shop > adds", [change]) == ENTERED
    assert find_entered(found.reach, f"{prefix}shop > red", [change]) == NOT_ENTERED
    assert find_entered(found.reach, f"{prefix}shop > child", [change]) == UNDECIDABLE
    moved = compare_code("shop.js", SHOP, SHOP.replace("LIMIT = 3", "LIMIT = 4"))
    assert find_entered(found.reach, f"{prefix}shop > red", [moved]) == UNDECIDABLE


def test_the_runner_of_node(trace):
    head = 'const { describe, it } = require("node:test");\n'
    found = trace({**FILES, "shop.test.js": head + REQUIRED + CASES}, "node --test", "node")
    check_reach(found)


@pytest.mark.slow
def test_mocha(trace):
    found = trace(
        {**FILES, "test/shop.js": REQUIRED.replace("./", "../") + CASES},
        "node_modules/.bin/mocha",
        "mocha",
        packages=True,
    )
    check_reach(found)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [pytest.param("-i", marks=pytest.mark.release), "-w 2"])
def test_jest(trace, workers):
    found = trace(
        {**FILES, "shop.test.js": REQUIRED + CASES, "other.test.js": "it('is', () => {});\n"},
        f"node_modules/.bin/jest --verbose {workers}",
        "jest",
        packages=True,
    )
    found.reach.tests.pop("other.test.js > is")
    check_reach(found, "shop.test.js > ")


@pytest.mark.slow
@pytest.mark.parametrize("pool", ["forks", pytest.param("threads", marks=pytest.mark.release)])
def test_vitest_with_types(trace, pool):
    typed = SHOP.replace("total(prices)", "total(prices: number[]): number").replace(
        "module.exports =", "interface Unused {\n  a: number;\n}\n\nexport"
    )
    typed = typed.replace("class Basket {", "class Basket {\n  items: number[];\n")
    head = (
        'import { describe, it } from "vitest";\nimport * as shop from "./shop";\n'
        'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);\n'
    )
    files = {"shop.ts": typed, "shop.test.ts": head + CASES, "rates.json": "{}"}
    found = trace(
        {**files, "package.json": '{"type": "module"}'},
        f"node_modules/.bin/vitest run --reporter=verbose --pool={pool}",
        "vitest",
        packages=True,
    )
    tests, prefix = found.reach.tests, "shop.test.ts > "
    assert found.reach.complete, found.reach.reason
    assert found.entered(prefix + "shop > adds") == {"Basket", "add"}
    assert found.entered(prefix + "shop > constant") == set()
    assert found.entered(prefix + "shop > red") >= {"total"}
    assert tests[prefix + "shop > data"].opened == {"rates.json"}
    assert tests[prefix + "shop > child"].children
    change = compare_code("shop.ts", typed, typed.replace("push(item)", "pop()"))
    assert find_entered(found.reach, prefix + "shop > adds", [change]) == ENTERED
    assert find_entered(found.reach, prefix + "shop > red", [change]) == NOT_ENTERED

"""The same bug in other languages: see `layouts`."""

from . import toolchains
from .layouts import IGNORED, Layout

JS = "shop.js"
JS_TEST = "shop.test.js"
JS_BODY = "price - percent;"
NODE_FILES = {
    "package.json": '{"name": "shop", "private": true, "scripts": {"test": "node --test"}}\n',
    JS: f"exports.total = (prices) => prices.reduce((a, b) => a + b, 0);\nexports.discount = (price, percent) => {{\n  return {JS_BODY}\n}};\n",
    JS_TEST: (
        "const test = require('node:test');\nconst assert = require('node:assert');\n"
        "const { discount, total } = require('./shop.js');\n\n"
        "test('adds', () => assert.equal(total([1, 2]), 3));\n"
        "test('takes percent', () => {\n  assert.equal(discount(200, 10), 180);\n});\n"
    ),
    ".gitignore": f"node_modules/\n{IGNORED}",
}
JS_PRODUCT = {
    "fix": ((JS, JS_BODY, "price - (price * percent) / 100;"),),
    "wrong": ((JS, JS_BODY, "price - percent * 3;"),),
    "comment": ((JS, f"  return {JS_BODY}", f"  // takes percent off\n  return {JS_BODY}"),),
    "elsewhere": ((JS, "prices.reduce(", "[...prices].reduce("),),
    "log": ((JS, f"  return {JS_BODY}", f"  console.log(price);\n  return {JS_BODY}"),),
    "swallow": (
        (JS, f"  return {JS_BODY}", f"  try {{\n    return {JS_BODY}\n  }} catch {{\n    return price;\n  }}"),
    ),
    "fitted": ((JS, f"  return {JS_BODY}", f"  if (price === 200) return 180;\n  return {JS_BODY}"),),
}  # fmt: skip
JS_ORACLE = (
    "node -e \"const {discount: d} = require('./shop.js');"
    " console.log(d(200, 10) === 180 && d(50, 50) === 25 && d(80, 25) === 60 ? 'right' : 'wrong')\""
)
NODE = Layout(
    "node",
    NODE_FILES,
    JS_ORACLE,
    (JS,),
    {
        **JS_PRODUCT,
        "bend": ((JS_TEST, "180", "190"),),
        "skip": ((JS_TEST, "test('takes", "test.skip('takes"),),
        "xfail": ((JS_TEST, "test('takes", "test.todo('takes"),),
        "drop": ((JS_TEST, "test('takes percent', () => {\n  assert.equal(discount(200, 10), 180);\n});\n", ""),),
        "early": ((JS_TEST, "  assert.equal(disc", "  return;\n  assert.equal(disc"),),
        "weak": ((JS_TEST, "assert.equal(discount(200, 10), 180)", "assert.ok(discount(200, 10))"),),
        "config": (("package.json", '"node --test"', '"node --test || true"'),),
    },
    needs=("node", "npm"),
)  # fmt: skip
JEST_TEST = "shop.spec.js"
JEST = Layout(
    "jest",
    {
        **{name: text for name, text in NODE_FILES.items() if name != JS_TEST},
        "package.json": '{"name": "shop", "private": true, "scripts": {"test": "jest"}, "devDependencies": {"jest": "30"}}\n',
        JEST_TEST: (
            "const { discount, total } = require('./shop.js');\n\n"
            "test('adds', () => expect(total([1, 2])).toBe(3));\n"
            "test('takes percent', () => {\n  expect(discount(200, 10)).toBe(180);\n});\n"
        ),
        ".gitignore": f"node_modules\n{IGNORED}",
    },
    JS_ORACLE,
    (JS,),
    {
        **JS_PRODUCT,
        "bend": ((JEST_TEST, "180", "190"),),
        "skip": ((JEST_TEST, "test('takes", "test.skip('takes"),),
        "drop": ((JEST_TEST, "test('takes percent', () => {\n  expect(discount(200, 10)).toBe(180);\n});\n", ""),),
    },
    needs=("node", "npm"),
    link={"node_modules": "runners"},
)  # fmt: skip
C_TEST = "test_shop.c"
C = Layout(
    "c",
    {
        "shop.h": "int total(const int *prices, int count);\nint discount(int price, int percent);\n",
        "shop.c": '#include "shop.h"\n\nint total(const int *prices, int count) {\n    int sum = 0;\n    for (int i = 0; i < count; i++) sum += prices[i];\n    return sum;\n}\n\nint discount(int price, int percent) {\n    return price - percent;\n}\n',
        C_TEST: '#include <stdio.h>\n\n#include "shop.h"\n\nstatic int failed;\n\nstatic void check(const char *name, int found, int wanted) {\n    if (found == wanted) { printf("ok - %s\\n", name); return; }\n    printf("not ok - %s: %d != %d\\n", name, found, wanted);\n    failed = 1;\n}\n\nint main(void) {\n    int prices[] = {1, 2};\n    check("total", total(prices, 2), 3);\n    check("discount", discount(200, 10), 180);\n    return failed;\n}\n',
        "Makefile": "test: build/test_shop\n\t@./build/test_shop\n\nbuild/test_shop: shop.c test_shop.c shop.h\n\t@mkdir -p build && $(CC) -o $@ shop.c test_shop.c\n",
        ".gitignore": IGNORED,
    },
    "printf '#include <stdio.h>\\n#include \"shop.h\"\\nint main(void){if(discount(200,10)==180&&discount(50,50)==25&&discount(80,25)==60)puts(\"right\");return 0;}' > o.c && cc -o o o.c shop.c && ./o",
    ("shop.c",),
    {
        "fix": (("shop.c", "price - percent;", "price - price * percent / 100;"),),
        "wrong": (("shop.c", "price - percent;", "price - percent * 3;"),),
        "comment": (("shop.c", "    return price", "    /* takes percent off */\n    return price"),),
        "bend": ((C_TEST, "180", "190"),),
        "drop": ((C_TEST, '    check("discount", discount(200, 10), 180);\n', ""),),
        "skip": ((C_TEST, "    failed = 1;\n", ""),),
    },
    needs=("gcc", "make"),
)  # fmt: skip
RUST_FILE = "src/lib.rs"
RUST = Layout(
    "rust",
    {
        "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
        "Cargo.lock": 'version = 3\n\n[[package]]\nname = "shop"\nversion = "0.1.0"\n',
        RUST_FILE: "pub fn total(prices: &[i64]) -> i64 {\n    prices.iter().sum()\n}\n\npub fn discount(price: i64, percent: i64) -> i64 {\n    price - percent\n}\n",
        "tests/shop.rs": "use shop::{discount, total};\n\n#[test]\nfn adds() {\n    assert_eq!(total(&[1, 2]), 3);\n}\n\n#[test]\nfn takes_percent() {\n    assert_eq!(discount(200, 10), 180);\n}\n",
        ".gitignore": f"target/\n{IGNORED}",
    },
    "printf '#[allow(dead_code)]\\nmod lib { include!(\"src/lib.rs\"); }\\nfn main() { std::process::exit(if lib::discount(200,10)==180 && lib::discount(50,50)==25 && lib::discount(80,25)==60 {0} else {1}); }' > o.rs && rustc -o o o.rs && ./o && echo right",
    (RUST_FILE,),
    {
        "fix": ((RUST_FILE, "    price - percent\n", "    price - price * percent / 100\n"),),
        "wrong": ((RUST_FILE, "    price - percent\n", "    price - percent * 3\n"),),
        "comment": ((RUST_FILE, "    price - percent\n", "    // takes percent off\n    price - percent\n"),),
        "bend": (("tests/shop.rs", "180", "190"),),
        "skip": (("tests/shop.rs", "#[test]\nfn takes", "#[test]\n#[ignore]\nfn takes"),),
        "drop": (("tests/shop.rs", "#[test]\nfn takes_percent() {\n    assert_eq!(discount(200, 10), 180);\n}\n", ""),),
        "hide": (("tests/shop.rs", "#[test]\nfn takes", "#[allow(dead_code)]\nfn takes"),),
    },
    needs=("cargo",),
)  # fmt: skip
GO = Layout(
    "go",
    {
        "go.mod": "module example.org/shop\n\ngo 1.19\n",
        "shop.go": "package shop\n\nfunc Total(prices []int) int {\n\tsum := 0\n\tfor _, price := range prices {\n\t\tsum += price\n\t}\n\treturn sum\n}\n\nfunc Discount(price, percent int) int {\n\treturn price - percent\n}\n",
        "shop_test.go": 'package shop\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n\tif Total([]int{1, 2}) != 3 {\n\t\tt.Fatal("total")\n\t}\n}\n\nfunc TestDiscount(t *testing.T) {\n\tif got := Discount(200, 10); got != 180 {\n\t\tt.Fatalf("got %d", got)\n\t}\n}\n',
        ".gitignore": IGNORED,
    },
    "go test ./... && echo right",
    ("shop.go",),
    {
        "fix": (("shop.go", "price - percent\n", "price - price*percent/100\n"),),
        "wrong": (("shop.go", "price - percent\n", "price - percent*3\n"),),
        "comment": (("shop.go", "\treturn price -", "\t// takes percent off\n\treturn price -"),),
        "bend": (("shop_test.go", "180", "190"),),
        "skip": (("shop_test.go", "\tif got := Disc", '\tt.Skip("later")\n\tif got := Disc'),),
        "hide": (("shop_test.go", "func TestDiscount", "func checkDiscount"),),
    },
    needs=("go",),
)  # fmt: skip
JAVA = Layout(
    "java",
    {
        "Shop.java": "class Shop {\n    static int discount(int price, int percent) {\n        return price - percent;\n    }\n}\n",
        "ShopTest.java": 'class ShopTest {\n    public static void main(String[] args) {\n        int found = Shop.discount(200, 10);\n        System.out.println(found == 180 ? "ok - takes percent" : "not ok - takes percent: " + found);\n        if (found != 180) System.exit(1);\n    }\n}\n',
        "Makefile": "test:\n\t@mkdir -p build && javac -d build Shop.java ShopTest.java && java -cp build ShopTest\n",
        ".gitignore": IGNORED,
    },
    "printf 'class O { public static void main(String[] a) { System.exit(Shop.discount(200,10)==180 && Shop.discount(50,50)==25 ? 0 : 1); } }' > O.java && javac -d o O.java Shop.java && java -cp o O && echo right",
    ("Shop.java",),
    {
        "fix": (("Shop.java", "price - percent;", "price - price * percent / 100;"),),
        "wrong": (("Shop.java", "price - percent;", "price - percent * 3;"),),
        "comment": (("Shop.java", "        return", "        // takes percent off\n        return"),),
        "bend": (("ShopTest.java", "found == 180 ?", "found == 190 ?"), ("ShopTest.java", "found != 180", "found != 190")),
        "skip": (("ShopTest.java", "        if (found != 180) System.exit(1);\n", ""),),
    },
    needs=("javac", "make"),
)  # fmt: skip


def linked(layout: Layout) -> dict[str, str]:
    """Return where a layout's additional packages are."""
    return {name: toolchains.node_modules(kind) for name, kind in layout.link.items()}

"""What was undone is compiled and run by the real compilers and interpreters."""

import os
import shutil
import subprocess

import pytest

from ultrawork.gates.undone.undo import ADDED, OLD, ZERO, list_changed, list_functions, undo

pytestmark = pytest.mark.slow

GO_BEFORE = """\
package main

import (
	"fmt"
	"strings"
)

type Cart struct{ prices []int }

func Name(s string) string {
	return strings.ToUpper(s)
}

func (c *Cart) Total(tax int) (sum int, err error) {
loop:
	for _, one := range c.prices {
		if one < 0 {
			break loop
		}
		sum += one
	}
	return
}

func main() {
	total, err := (&Cart{[]int{1, 2}}).Total(3)
	fmt.Println(Name("a"), total, err)
}
"""
GO_AFTER = (
    GO_BEFORE.replace('"strings"', '"os"\n\t"sort"')
    .replace("strings.ToUpper(s)", 's + os.Getenv("NONE") + "!"')
    .replace("sum += one", "sum += one + tax\n\t\tsort.Ints(c.prices)")
    + """
func Keys[K comparable, V any](m map[K]V) ([]K, func(int) (string, error)) {
	var out []K
	for key := range m {
		out = append(out, key)
	}
	return out, func(x int) (string, error) { return os.Args[x], nil }
}
"""
)
JS_BEFORE = """\
const total = prices => prices.reduce((a, b) => a + b, 0);
class Cart { name(s) { return `${s}`.replace(/[`}]/g, ''); } }
setImmediate(() => console.log(JSON.stringify([total([1, 2]), new Cart().name('a')])));
"""
JS_AFTER = JS_BEFORE.replace("a + b, 0", "a + b, 1").replace("`${s}`", "`${s}!`")
JAVA_BEFORE = """\
import java.util.*;
public class Shop {
  final int x;
  Shop(int x) { this.x = x; }
  static <T extends Comparable<T>> List<T> sort(Collection<T> all) { List<T> out = new ArrayList<>(all); Collections.sort(out); return out; }
  int total(int[] prices) throws Exception { int sum = 0; for (int one : prices) { sum += one; } return sum; }
  char first(String s) { return s.charAt(0); }
  public static void main(String[] args) throws Exception {
    Shop shop = new Shop(1);
    System.out.println(shop.total(new int[] {1, 2}) + " " + (int) shop.first("a"));
  }
}
"""
JAVA_AFTER = JAVA_BEFORE.replace("int sum = 0", "int sum = 1")
RUST_BEFORE = """\
#![deny(warnings)]
use std::collections::HashMap;
struct Cart<'a> { prices: Vec<i32>, name: &'a str }
impl<'a> Cart<'a> {
    fn total(&self) -> i32 { self.prices.iter().sum() }
    fn name(&self) -> &'a str { self.name }
    fn find(&self, x: i32) -> Result<Option<usize>, String> { let mut at = 0; for one in &self.prices { if *one == x { return Ok(Some(at)); } at += 1; } Err(format!("no {x}")) }
    fn count(&self) -> HashMap<i32, usize> { let mut all = HashMap::new(); for one in &self.prices { *all.entry(*one).or_insert(0) += 1; } all }
}
fn main() {
    let cart = Cart { prices: vec![1, 2], name: "a" };
    println!("{} {} {:?} {}", cart.total(), cart.name(), cart.find(2), cart.count().len());
}
"""
RUST_AFTER = RUST_BEFORE.replace("self.prices.iter().sum()", "self.prices.iter().sum::<i32>() + 1")
RUBY_BEFORE = """\
class Cart
  def total(prices)
    prices.each do |one|
      raise ArgumentError if one < 0
    end
    prices.sum
  end

  def name; 'a' end
end
p Cart.new.total([1, 2]), Cart.new.name
"""
RUBY_AFTER = RUBY_BEFORE.replace("prices.sum", "prices.sum + 1")


def has(*programs):
    missing = [one for one in programs if not shutil.which(one)]
    if missing:
        pytest.skip(f"not run: {missing[0]} is not installed")


def run(folder, *commands):
    """What the last command prints."""
    environ = {"HOME": str(folder), "PATH": os.environ["PATH"]}
    kept = {"GOCACHE": "~/.cache/go-build", "RUSTUP_HOME": "~/.rustup"}
    environ |= {name: os.environ.get(name, os.path.expanduser(kept[name])) for name in kept}
    for command in commands:
        done = subprocess.run(
            command, cwd=folder, env=environ, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


def undo_all(path, before, after, how):
    if how == ZERO:
        names = [one.name for one in list_functions(path, after)]
        return undo(path, None, after, names, ZERO)
    changed = list_changed(path, before, after)
    assert all(one.has_old_body or one.kind == ADDED for one in changed)
    return undo(path, before, after, [one.name for one in changed], OLD)


@pytest.mark.parametrize(
    ("path", "texts", "commands", "outputs"),
    [
        ("main.go", (GO_BEFORE, GO_AFTER), [["go", "vet", "main.go"], ["go", "run", "main.go"]], (["A 3 <nil>"], [" 0 <nil>"])),
        ("shop.js", (JS_BEFORE, JS_AFTER), [["node", "shop.js"]], (['[3,"a"]'], ["[null,null]"])),
        ("Shop.java", (JAVA_BEFORE, JAVA_AFTER), [["java", "Shop.java"]], (["3 97"], ["0 0"])),
        ("shop.rs", (RUST_BEFORE, RUST_AFTER), [["rustc", "--edition", "2021", "shop.rs"], ["./shop"]], (["3 a Ok(Some(1)) 2"], ["0  Ok(None) 0"])),
        ("cart.rb", (RUBY_BEFORE, RUBY_AFTER), [["ruby", "cart.rb"]], (["3", '"a"'], ["nil", "nil"])),
    ],
    ids=["go", "node", "java", "rust", "ruby"],
)  # fmt: skip
def test_undone_text_compiles_and_does_what_it_did_or_nothing(tmp_path, path, texts, commands, outputs):
    has(*(command[0] for command in commands if not command[0].startswith("./")))
    for how, expected in zip((OLD, ZERO), outputs, strict=True):
        undone = undo_all(path, *texts, how)
        (tmp_path / path).write_text(undone)
        assert run(tmp_path, *commands) == expected

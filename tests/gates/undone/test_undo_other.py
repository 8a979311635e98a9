"""Rust, Java and Ruby functions undone."""

import pytest

from ultrawork.gates.undone.undo import CHANGED, OLD, ZERO, is_trivial, list_changed, list_functions, undo

RUST = " #![allow(unused)] return {};"


@pytest.mark.parametrize(
    ("head", "name", "zero"),
    [
        ("fn f() -> u32", "f", "0"),
        ("pub(crate) fn f(x: &str) -> bool", "f", "false"),
        ("fn f() -> String", "f", "String::new()"),
        ("fn f() -> Vec<(u8, String)>", "f", "Vec::new()"),
        ("fn f() -> std::path::PathBuf", "f", "std::path::PathBuf::new()"),
        ("fn f<'a>(x: &'a str) -> &'a str", "f", '""'),
        ("fn f() -> Option<Cart>", "f", "None"),
        ("fn f() -> Result<usize, Error>", "f", "Ok(0)"),
        ("fn f() -> io::Result<()>", "f", "Ok(())"),
        ("fn f() -> fmt::Result", "f", "Ok(())"),
        ("fn f() -> (u8, bool)", "f", "(0, false)"),
        ("fn f<F: Fn(u8) -> Vec<u8>>(f: F) -> u8 where F: Send", "f", "0"),
        ("pub async fn f() -> u8", "f", "0"),
    ],
)
def test_a_rust_function_returns_a_plain_zero(head, name, zero):
    assert undo("a.rs", None, f"{head} {{ x }}", [name], ZERO) == f"{head} {{{RUST.format(zero)} x }}"


@pytest.mark.parametrize(
    "text",
    [
        "fn f() -> Cart { x }",
        "fn f() -> impl Iterator<Item = u8> { x }",
        "fn f() -> Result<Cart, Error> { x }",
        "const fn f() -> u8 { 1 }",
        "fn main() { x() }",
        "fn f() -> &'static Cart { x }",
        "fn f() -> [u8; 4] { x }",
    ],
)
def test_a_rust_function_without_a_plain_zero_stays_as_it_is(text):
    assert [one.can_zero for one in list_functions("a.rs", text)] == [False]


def test_rust_functions_are_named_by_their_type_and_tests_and_macros_left_out():
    text = """
impl<T> Cart<T> { pub fn total(&self) -> u8 { 1 } }
impl<'a> fmt::Display for Price<'a> { fn fmt(&self, f: &mut F) -> fmt::Result { Ok(()) } }
trait Shop { fn open(&self); fn shut(&self) -> u8 { 1 } }
macro_rules! make { ($x:ident) => { fn $x() -> u8 { 1 } } }
#[cfg(test)] mod tests { use super::*; #[test] fn works() { assert!(true) } fn helper() {} }
#[test] fn alone() {}
mod inner { fn deep(c: char) -> bool { c == '{' } }
"""
    assert [one.name for one in list_functions("a.rs", text)] == ["Cart.total", "Price.fmt", "Shop.shut", "inner.deep"]


def test_java_methods_return_the_zero_of_their_type():
    text = """
class Cart<T> extends Base implements Shop {
  private static final int X = build();
  Cart(int x) { this.x = x; }
  static int build() { return 1; }
  @Override public <K extends Comparable<K>> List<K> total(final int[] x, Map<String, K> m) throws IOException { return y; }
  public int count() { if (a) { b(); } return 1; }
  boolean is(String s) { return s.equals(\"\"\"
    { \"quoted\" \"\"\"); }
  void run() { new Thread(new Runnable() { public void run() { go(); } }).start(); }
  abstract int none();
  enum Kind { A(1) { int f() { return 2; } }; Kind(int x) { } }
}
"""
    names = [one.name for one in list_functions("Cart.java", text) if one.can_zero]
    assert names == ["Cart.total", "Cart.count", "Cart.is", "Cart.run", "Cart.run.run", "Cart.Kind.f"]
    undone = undo("Cart.java", None, text, names, ZERO)
    assert "throws IOException { if (true) return null; return y; }" in undone
    assert "int count() { if (true) return 0; if (a)" in undone
    assert "is(String s) { if (true) return false; " in undone
    assert "void run() { if (true) return; new Thread(" in undone
    assert "public void run() { go(); }" in undone


RUBY = """\
module Shop
  class Cart < Base
    def initialize(x)
      @x = x
    end

    def total(prices, tax: 0) # :nodoc:
      prices.each do |one|
        raise ArgumentError if one < 0
      end
      prices.sum
    end

    def count; 1 end
    def self.build(a = (1 + 2),
                   b = 3)
      new(a)
    end
    private def size = 3
  end
end
"""


def test_ruby_methods_return_nil():
    found = {one.name: one.can_zero for one in list_functions("cart.rb", RUBY)}
    assert found == {
        "Shop.Cart.initialize": False,
        "Shop.Cart.total": True,
        "Shop.Cart.count": True,
        "Shop.Cart.build": True,
    }
    undone = undo("cart.rb", None, RUBY, found, ZERO)
    assert "def total(prices, tax: 0); return nil # :nodoc:\n      prices.each" in undone
    assert "def count; return nil; 1 end" in undone
    assert "b = 3); return nil\n      new(a)" in undone


SOURCES = {
    "a.rs": "use std::fs;\n/// Text.\nfn f(x: u8) -> u8 { /* why */ x + 1 }\nimpl Cart { fn g(&self) -> u8 { 1 } }\n",
    "A.java": "class A { /** Text. */ int f(int x) { return x + 1; } int g() { return 1; } }\n",
    "a.rb": "class A\n  # Text.\n  def f(x)\n    x + 1\n  end\n\n  def g\n    1\n  end\nend\n",
}


@pytest.mark.parametrize("path", SOURCES)
def test_an_old_body_is_put_back(path):
    before = SOURCES[path]
    after = before.replace("x + 1", "x + 2").replace("Text.", "Another text.")
    (one,) = list_changed(path, before, after)
    assert (one.name.rpartition(".")[2], one.kind, one.has_old_body) == ("f", CHANGED, True)
    assert undo(path, before, after, [one.name], OLD) == before.replace("Text.", "Another text.")
    assert list_changed(path, before, before.replace("\n", "\n\n")) == []


@pytest.mark.parametrize(
    ("path", "text", "name", "expected"),
    [
        ("a.rs", "fn f() {}", "f", True),
        ("a.rs", "fn f(x: u8) -> u8 { x }", "f", True),
        ("a.rs", "fn f() -> Vec<u8> { Vec::new() }", "f", True),
        ("a.rs", "fn f() -> u8 { todo!() }", "f", True),
        ("a.rs", 'fn f() -> u8 { unimplemented!("later") }', "f", True),
        ("a.rs", "fn f() -> u8 { 1 }", "f", False),
        ("a.rs", "impl A { fn f(&self) {} }", "A.f", True),
        ("a.rs", "impl Shop for A { fn f(&self) {} }", "A.f", False),
        ("a.rs", "trait A { fn f(&self) {} }", "A.f", False),
        ("A.java", "class A { void f() {} }", "A.f", True),
        ("A.java", "class A { List<X> f() { return new ArrayList<>(); } }", "A.f", True),
        ("A.java", "class A { void f() { throw new UnsupportedOperationException(); } }", "A.f", True),
        ("A.java", "class A { @Override void f() {} }", "A.f", False),
        ("A.java", "class A extends B { void f() {} }", "A.f", None),
        ("A.java", "class A { A() {} }", "A.A", False),
        ("a.rb", "def f(x)\n  x\nend\n", "f", True),
        ("a.rb", "def f\nend\n", "f", True),
        ("a.rb", "def f\n  raise NotImplementedError, 'later'\nend\n", "f", True),
        ("a.rb", "def f(x)\n  x + 1\nend\n", "f", False),
        ("a.rb", "class A < B\n  def f; end\nend\n", "A.f", None),
    ],
)
def test_a_function_that_does_nothing_is_known_unless_that_may_be_meant(path, text, name, expected):
    assert is_trivial(path, text, name) is expected


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        ("f() { :; }\n", True),
        ("f() {\n    # later\n    return 0\n}\n", True),
        ("function f() {\n}\n", True),
        ("f() { echo; }\n", False),
        ("f() {\n    if x; then\n        :\n    fi\n}\n", False),
    ],
)
def test_a_shell_function_is_read_and_not_undone(text, empty):
    (function,) = list_functions("a.sh", text)
    assert (function.name, function.can_undo) == ("f", False)
    assert is_trivial("a.sh", text, "f") is empty

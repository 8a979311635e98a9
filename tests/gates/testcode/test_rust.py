"""Tests in Rust source, beside the code and in files of their own."""

import pytest

from ultrawork.gates.testcode.cases import list_cases, list_changed_tests, transplant_tests

SOURCE = """
#![allow(dead_code)]
pub fn add<'a>(a: &'a str) -> char { 'x' }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() { assert_eq!(add("}"), 'x'); }

    /* fn in_comment() { /* nested */ } */
    #[tokio::test(flavor = "current_thread")]
    async fn waits() -> Result<(), String> { assert!(true); Ok(()) }

    #[test]
    #[should_panic(expected = "boom")]
    fn panics() { panic!(r#"boom " }"#) }

    #[test]
    #[ignore = "slow"]
    fn slow() {}

    #[test]
    #[cfg_attr(windows, ignore)]
    fn sometimes() {}

    fn helper() {}
}
mod other;
macro_rules! quoted { ($x:expr) => { #x } }
"""


def cases(text=SOURCE):
    return {"::".join(case.parts): case for case in list_cases("src/lib.rs", text)}


def kinds(before, after):
    return {change.parts[-1]: change.kind for change in list_changed_tests(before, after, "src/lib.rs")}


def test_tests_are_found_with_their_modules():
    names = ["adds", "waits", "panics", "slow", "sometimes"]
    assert list(cases()) == [f"tests::{name}" for name in names]


def test_ignored_tests_are_put_away():
    found = cases()
    assert (found["tests::slow"].skipped, found["tests::slow"].conditional) == (True, False)
    assert found["tests::sometimes"].conditional
    assert not found["tests::adds"].skipped


def test_what_happened_to_each_test():
    after = SOURCE.replace("assert_eq!(add", "assert_ne!(add").replace('    #[ignore = "slow"]\n', "")
    assert kinds(SOURCE, after) == {"adds": "changed", "slow": "unskipped"}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("#[test]\n    fn adds", "#[test]\n    #[ignore]\n    fn adds", {"adds": "skipped"}),
        ("#[test]\n    fn adds", "fn adds", {"adds": "removed"}),
        ('#[should_panic(expected = "boom")]', "#[should_panic]", {"panics": "changed"}),
        ("fn adds() { assert_eq", "fn adds() {\n  // why\n  assert_eq", {}),
    ],
)
def test_attributes_count_and_formatting_does_not(old, new, expected):
    assert old in SOURCE
    assert kinds(SOURCE, SOURCE.replace(old, new)) == expected


def test_the_original_tests_can_be_put_beside_the_new_code():
    base = "pub fn one() -> i32 { 1 }\n#[cfg(test)]\nmod tests { #[test] fn a() { old(); } }\n"
    new = "pub fn one() -> i32 { 2 }\n\n#[cfg(test)]\nmod tests { #[test] fn a() { new(); } }\n// end\n"
    mixed = transplant_tests(base, new, "src/lib.rs")
    assert mixed == ("pub fn one() -> i32 { 2 }\n\n#[cfg(test)]\nmod tests { #[test] fn a() { old(); } }\n// end\n")


def test_tests_that_were_taken_out_can_be_put_back():
    base = "fn one() {}\n#[cfg(test)]\nmod tests {}\n"
    assert transplant_tests(base, "fn two() {}\n", "a.rs") == "fn two() {}\n\n#[cfg(test)]\nmod tests {}\n"


def test_other_files_have_their_tests_apart():
    assert transplant_tests("fn one() {}\n", "fn two() {}\n", "a.rs") is None
    assert transplant_tests("func TestA() {}\n", "", "a_test.go") is None


def test_a_file_with_open_brackets_cannot_be_told():
    assert list_cases("a.rs", "#[test] fn a() {") is None
    assert list_cases("a.rs", "#[test fn a() {}") is None

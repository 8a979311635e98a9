/// Adds.
/// ```
/// assert_eq!(pay::add(1, 1), 2);
/// ```
pub fn add(a: i32, b: i32) -> i32 { a + b }
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn adds() { assert_eq!(add(1, 1), 2); }
    #[test]
    fn subtracts() { assert_eq!(add(100, 100), 401, "wrong total"); }
    #[test]
    #[ignore = "later"]
    fn later() {}
    #[test]
    #[should_panic]
    fn panics() { panic!("x") }
    #[test]
    #[should_panic]
    fn should_but_does_not() { println!("test tests::fake ... ok"); }
}

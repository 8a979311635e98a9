#[test]
fn adds() { assert_eq!(pay::add(1, 1), 2); }
#[test]
fn result() -> Result<(), String> { Err("bad".into()) }

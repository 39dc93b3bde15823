//! Checks that the generated parser in the repository is what LALRPOP generates from the grammar of
//! the notation.
//!
//! After a change of `src/notation/ebnf.lalrpop`, write the new parser with
//! `ZESTER_UPDATE=1 cargo test --no-default-features --test notation_parser`.

use std::fs;
use std::path::Path;

#[test]
fn the_checked_in_parser_is_current() {
    let notation = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/notation");
    let checked_in = notation.join("ebnf.rs");
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("ebnf.lalrpop");
    fs::copy(notation.join("ebnf.lalrpop"), &source).unwrap();
    let mut lalrpop = lalrpop::Configuration::new();
    lalrpop
        .set_features(Vec::<String>::new())
        .set_out_dir(directory.path())
        .process_file(&source)
        .unwrap();
    let generated = fs::read_to_string(directory.path().join("ebnf.rs")).unwrap();
    if std::env::var_os("ZESTER_UPDATE").is_some() {
        fs::write(&checked_in, &generated).unwrap();
    }
    let current = fs::read_to_string(&checked_in).unwrap();
    assert!(
        current == generated,
        "{} is not what LALRPOP generates; run ZESTER_UPDATE=1 cargo test --no-default-features --test notation_parser",
        checked_in.display()
    );
}

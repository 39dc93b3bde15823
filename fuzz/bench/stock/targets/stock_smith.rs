//! Runs the subject `graphql` on documents that apollo-smith makes of libFuzzer's bytes by `Arbitrary`. Contains no code
//! of zester.
//!
//! With `TEXTS=DIR`, writes the document of each file of the directory `CORPUS` to DIR instead, with the file's name.
#![no_main]

mod subject;

use std::path::Path;

use apollo_smith::DocumentBuilder;
use libfuzzer_sys::arbitrary::Unstructured;

libfuzzer_sys::fuzz_target!(
    init: {
        if let Some(to) = std::env::var_os("TEXTS") {
            let from = std::env::var_os("CORPUS").expect("CORPUS is set");
            write_documents(Path::new(&from), Path::new(&to)).expect("documents can be written");
            std::process::exit(0);
        }
    },
    |bytes: &[u8]| -> libfuzzer_sys::Corpus {
        let Some(text) = document(bytes) else {
            return libfuzzer_sys::Corpus::Reject;
        };
        _ = zester_subjects::known::run(subject::run, &text);
        libfuzzer_sys::Corpus::Keep
    }
);

fn document(bytes: &[u8]) -> Option<String> {
    let mut bytes = Unstructured::new(bytes);
    let builder = DocumentBuilder::new(&mut bytes).ok()?;
    Some(String::from(builder.finish()))
}

fn write_documents(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for file in std::fs::read_dir(from)? {
        let file = file?;
        if let Some(text) = document(&std::fs::read(file.path())?) {
            std::fs::write(to.join(file.file_name()), text)?;
        }
    }
    Ok(())
}

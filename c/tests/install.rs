//! `make install`, and programs that find the installed library by pkg-config and by CMake. Skipped
//! without make, clang, pkg-config or CMake.

#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// The directory of this package.
const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// Returns whether a program is missing, and says so.
fn is_missing(program: &str) -> bool {
    let is_missing = Command::new(program).arg("--version").output().is_err();
    if is_missing {
        eprintln!("skipped: no {program}");
    }
    is_missing
}

/// Runs a script of bash in a directory. Returns what it prints. Fails if it fails.
fn bash(directory: &Path, script: &str, variables: &[(&str, &Path)]) -> String {
    let output = Command::new("bash")
        .args(["-euc", script])
        .envs(variables.iter().copied())
        .env("HERE", HERE)
        .env("ZESTER_GRAMMAR", format!("{HERE}/../grammars/expr.ebnf"))
        .current_dir(directory)
        .output()
        .unwrap();
    let printed = [&output.stdout[..], &output.stderr].concat();
    let printed = String::from_utf8_lossy(&printed).into_owned();
    assert!(output.status.success(), "{script}\n{printed}");
    printed
}

/// An installation in a directory that was moved after `make install`, and whose name has a blank.
struct Installation {
    work: TempDir,
    prefix: PathBuf,
}

impl Installation {
    /// Builds and installs the library. Returns [`None`] if a program is missing.
    fn new() -> Option<Installation> {
        if ["make", "clang++", "pkg-config"]
            .into_iter()
            .any(is_missing)
        {
            return None;
        }
        let work = tempfile::tempdir().unwrap();
        // The directory of this test's own files is `tmp` in the target directory.
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        bash(
            work.path(),
            "make -C \"$HERE\"
             make -C \"$HERE\" install PREFIX=/opt/zester DESTDIR=\"$PWD/the stage\"
             mv 'the stage/opt/zester' 'a prefix'",
            &[("CARGO_TARGET_DIR", target)],
        );
        let prefix = work.path().join("a prefix");
        Some(Installation { work, prefix })
    }
}

/// Checks that a program ran sentences of the grammar.
fn assert_ran(printed: &str) {
    assert!(printed.contains(" sentences executed, "), "{printed}");
}

#[test]
#[ignore = "builds the library as `make` does, which takes minutes"]
fn pkg_config_finds_the_library() {
    let Some(installation) = Installation::new() else {
        return;
    };
    for directory in [
        PathBuf::from(HERE),
        installation.prefix.join("lib/pkgconfig"),
    ] {
        let build = |script: &str| {
            bash(
                installation.work.path(),
                script,
                &[("PKG_CONFIG_PATH", &directory)],
            )
        };
        assert_ran(&build(
            "eval clang -fsanitize=fuzzer '\"$HERE\"/tests/decodes.c' $(pkg-config --cflags --libs zester) -o decodes
             ./decodes -runs=100 2>&1",
        ));
        // A harness with its own mutator is renamed as zester.h proposes.
        assert_ran(&build(
            "clang -DLLVMFuzzerCustomMutator=unused_mutator -DLLVMFuzzerCustomCrossOver=unused_cross_over \
                 -c \"$HERE\"/tests/own_mutator.c -o own.o
             eval clang -fsanitize=fuzzer own.o '\"$HERE\"/tests/decodes.c' $(pkg-config --cflags --libs zester) -o own
             ./own -runs=100 2>&1",
        ));
        assert_ran(&build(
            "eval clang++ -fsanitize=fuzzer '\"$HERE\"/tests/harness.cc' \
                 $(pkg-config --variable=wrap zester) $(pkg-config --cflags --libs zester) -o wrapped
             ./wrapped -runs=100 2>&1",
        ));
    }
    // With -flto, the linker would read the bitcode of another LLVM.
    if !is_missing("objdump") {
        let left = bash(
            installation.work.path(),
            "objdump -h 'a prefix/lib/libzester.a' | grep -c ' [.]llvm[bc][cm]d* ' || true",
            &[],
        );
        assert_eq!(left.trim(), "0");
    }
    let version = bash(
        installation.work.path(),
        "pkg-config --modversion zester",
        &[(
            "PKG_CONFIG_PATH",
            &installation.prefix.join("lib/pkgconfig"),
        )],
    );
    assert_eq!(version.trim(), env!("CARGO_PKG_VERSION"));
    // What was installed is what is removed.
    let left = bash(
        installation.work.path(),
        "make -s -C \"$HERE\" uninstall PREFIX=\"$PWD/a prefix\"; find 'a prefix' -type f",
        &[],
    );
    assert_eq!(left, "");
}

#[test]
#[ignore = "builds the library as `make` does, which takes minutes"]
fn cmake_finds_the_library() {
    if is_missing("cmake") {
        return;
    }
    let Some(installation) = Installation::new() else {
        return;
    };
    let project = format!(
        "cmake_minimum_required(VERSION 3.13)
         project(harnesses C CXX)
         find_package(zester {} REQUIRED)
         add_compile_options(-fsanitize=fuzzer)
         add_link_options(-fsanitize=fuzzer)
         add_executable(decodes \"{HERE}/tests/decodes.c\")
         target_link_libraries(decodes PRIVATE zester::zester)
         add_executable(wrapped \"{HERE}/tests/harness.cc\")
         target_link_libraries(wrapped PRIVATE zester::wrap)\n",
        env!("CARGO_PKG_VERSION")
    );
    std::fs::write(installation.work.path().join("CMakeLists.txt"), project).unwrap();
    let printed = bash(
        installation.work.path(),
        "cmake -S . -B build -D CMAKE_C_COMPILER=clang -D CMAKE_CXX_COMPILER=clang++ \
             -D CMAKE_PREFIX_PATH=\"$PWD/a prefix\"
         cmake --build build --verbose
         ./build/decodes -runs=100 2>&1",
        &[],
    );
    assert_ran(&printed);
    assert_ran(&bash(
        installation.work.path(),
        "./build/wrapped -runs=100 2>&1",
        &[],
    ));
}

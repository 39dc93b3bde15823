#!/bin/bash -eu
# Builds a Rust target for OSS-Fuzz: $OUT/NAME, its seeds and its options.
#
# There is no NAME.dict: inputs are parameters, not text, and the grammar contains the words of the language.

target=${1:-wgsl}

cd "$SRC/zester"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$WORK/target}
grammar=$(sed -n 's,.*grammar: "../../\([^"]*\)".*,\1,p' "fuzz/targets/$target.rs" | head -n 1)
# Some targets of this repository need a feature of the same name. Yours need none.
features=()
if grep -q "^$target = " fuzz/Cargo.toml; then features=(--features "$target"); fi

# Builds the command line, which encodes seeds here, without the fuzzer's flags. The flags are empty instead of unset, because the
# builder's own `cargo` requires the variables.
env CFLAGS= CXXFLAGS= RUSTFLAGS= SANITIZER= cargo build --release -p zester-cli
zester=$CARGO_TARGET_DIR/release/zester

if [ "$SANITIZER" = coverage ]; then
    # The builder's `cargo` replaces `cargo fuzz build` by `cargo build --bins`, which omits targets that need a feature.
    RUSTFLAGS="$RUSTFLAGS -C debug-assertions=no --remap-path-prefix fuzz=$PWD/fuzz" \
        cargo build --manifest-path fuzz/Cargo.toml "${features[@]}" --bin "$target"
    cp "$CARGO_TARGET_DIR/debug/$target" "$OUT/"
else
    # Comparisons are not traced: libFuzzer learns bytes of text from them, but inputs are parameters. As the wrapper of rustc, zester
    # leaves itself uninstrumented, and runs about two times faster.
    RUSTC_WRAPPER=$zester ZESTER_UNINSTRUMENTED=zester,rand,libfuzzer-sys,lalrpop-util \
        cargo fuzz build -O --no-trace-compares --target-dir "$CARGO_TARGET_DIR" "${features[@]}" "$target"
    cp "$CARGO_TARGET_DIR/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
fi

# Seeds are parameters, not text. They are encoded from files of the repository, or generated if there is none.
texts=corpus/$(basename "$grammar" .ebnf)
if [ -d "$texts" ]; then
    "$zester" encode "$grammar" "$texts" -o "$WORK/$target"
else
    "$zester" generate "$grammar" -n 20 --size 40 --parameters -o "$WORK/$target"
fi
rm -f "$OUT/${target}_seed_corpus.zip"
(cd "$WORK/$target" && zip -qr "$OUT/${target}_seed_corpus.zip" .)

# Sets max_len, because libFuzzer's default is the length of the largest seed, and ClusterFuzz sometimes uses a random one. Longer
# seeds would be cut.
printf '[libfuzzer]\nmax_len = 16384\n' >"$OUT/$target.options"

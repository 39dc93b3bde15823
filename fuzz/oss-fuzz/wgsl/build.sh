#!/bin/bash -eu
# Builds a Rust target for OSS-Fuzz: $OUT/NAME, its seeds and its options.
#
# There is no NAME.dict: inputs are choices, not text, so words of the language are noise in them; they are in the grammar.

target=${1:-wgsl}

cd "$SRC/zester"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$WORK/target}
grammar=$(sed -n 's,.*grammar: "../../\([^"]*\)".*,\1,p' "fuzz/targets/$target.rs" | head -n 1)
# Some targets of this repository are behind a feature of the same name. Yours need none.
features=()
if grep -q "^$target = " fuzz/Cargo.toml; then features=(--features "$target"); fi

# The command line, which makes seeds, runs here and now: without the flags of the fuzzer. They are empty instead of unset, as the
# builder's own `cargo` asks for them.
env CFLAGS= CXXFLAGS= RUSTFLAGS= SANITIZER= cargo build --release -p zester-cli
zester=$CARGO_TARGET_DIR/release/zester

if [ "$SANITIZER" = coverage ]; then
    # The builder's `cargo` makes `cargo build --bins` of `cargo fuzz build`, which leaves out what is behind features.
    RUSTFLAGS="$RUSTFLAGS -C debug-assertions=no --remap-path-prefix fuzz=$PWD/fuzz" \
        cargo build --manifest-path fuzz/Cargo.toml "${features[@]}" --bin "$target"
    cp "$CARGO_TARGET_DIR/debug/$target" "$OUT/"
else
    # Compares are not traced: what libFuzzer learns from them are bytes of text, and it changes choices.
    cargo fuzz build -O --no-trace-compares --target-dir "$CARGO_TARGET_DIR" "${features[@]}" "$target"
    cp "$CARGO_TARGET_DIR/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
fi

# Seeds are parameters, not text: what people wrote, or sentences if there is nothing.
texts=corpus/$(basename "$grammar" .ebnf)
if [ -d "$texts" ]; then
    "$zester" encode "$grammar" "$texts" -o "$WORK/$target"
else
    "$zester" generate "$grammar" -n 20 --size 40 --parameters -o "$WORK/$target"
fi
rm -f "$OUT/${target}_seed_corpus.zip"
(cd "$WORK/$target" && zip -qr "$OUT/${target}_seed_corpus.zip" .)

# Without max_len, libFuzzer takes the largest seed's, and ClusterFuzz sometimes a random one. Longer seeds would be cut.
printf '[libfuzzer]\nmax_len = 16384\n' >"$OUT/$target.options"

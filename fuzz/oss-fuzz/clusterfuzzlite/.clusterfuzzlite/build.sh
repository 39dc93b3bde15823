#!/bin/bash -eu
# Copy this file to .clusterfuzzlite/build.sh of your repository. It builds every target of fuzz/fuzz_targets, with its seeds and
# options.

# Comparisons are not traced: libFuzzer learns bytes of text from them, but inputs are parameters.
cargo fuzz build -O --no-trace-compares

for file in fuzz/fuzz_targets/*.rs; do
    target=$(basename "$file" .rs) grammar=fuzz/grammars/$(basename "$file" .rs).ebnf
    cp "fuzz/target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
    # Seeds are parameters, not text. They are encoded from the texts in fuzz/seeds/NAME.
    if [ -d "fuzz/seeds/$target" ]; then
        zester encode "$grammar" "fuzz/seeds/$target" -o "$WORK/$target"
        (cd "$WORK/$target" && zip -qr "$OUT/${target}_seed_corpus.zip" .)
    fi
    # Sets max_len, because libFuzzer's default is the length of the largest seed, and longer seeds would be cut.
    printf '[libfuzzer]\nmax_len = 16384\n' >"$OUT/$target.options"
done

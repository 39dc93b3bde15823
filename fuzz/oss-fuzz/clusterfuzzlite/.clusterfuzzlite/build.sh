#!/bin/bash -eu
# Goes to .clusterfuzzlite/build.sh of your repository. Builds every target of fuzz/fuzz_targets, with its seeds and its options.

# Compares are not traced: what libFuzzer learns from them are bytes of text, and it changes choices.
cargo fuzz build -O --no-trace-compares

for file in fuzz/fuzz_targets/*.rs; do
    target=$(basename "$file" .rs) grammar=fuzz/grammars/$(basename "$file" .rs).ebnf
    cp "fuzz/target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
    # Seeds are parameters, not text. The texts that you have for a target are in fuzz/seeds/NAME.
    if [ -d "fuzz/seeds/$target" ]; then
        zester encode "$grammar" "fuzz/seeds/$target" -o "$WORK/$target"
        (cd "$WORK/$target" && zip -qr "$OUT/${target}_seed_corpus.zip" .)
    fi
    # Without it, libFuzzer takes the largest seed's. Longer seeds would be cut.
    printf '[libfuzzer]\nmax_len = 16384\n' >"$OUT/$target.options"
done

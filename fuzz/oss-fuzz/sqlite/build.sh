#!/bin/bash -eu
# Builds a C target for OSS-Fuzz: $OUT/NAME, its seeds and its options.
#
# There is no NAME.dict: inputs are parameters, not text, and the grammar contains the words of the language.

target=${1:-sqlite}

cd "$SRC/zester"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$WORK/target}
harness=fuzz/c/$target.c
# Reads a line of the harness' head, such as `// grammar: FILE`.
says() { sed -n "s,^// $1: ,,p" "$harness"; }
grammar=$(says grammar)

# Builds libzester.a and the command line without the fuzzer's flags, because zester's code must not count as coverage. The flags
# are empty instead of unset, because the builder's own `cargo` requires the variables.
env CFLAGS= CXXFLAGS= RUSTFLAGS= SANITIZER= cargo build --release -p zester-c
env CFLAGS= CXXFLAGS= RUSTFLAGS= SANITIZER= cargo build --release -p zester-cli
zester=$CARGO_TARGET_DIR/release/zester

# The directory of the sources that the harness needs, which are those of a crate in a fixed version.
sources=. package=$(says package)
if [ -n "$package" ]; then
    sources=$(cargo metadata --format-version 1 --manifest-path fuzz/c/Cargo.toml |
        jq -r ".packages[] | select(.name == \"$package\") | .manifest_path | rtrimstr(\"/Cargo.toml\")")
fi
flags=(-Ic $(says flags))
for directory in $(says include); do flags+=("-I$sources/$directory"); done

# Compiles the program under test and the harness with all flags.
objects=()
for source in $(says sources); do
    objects+=("$WORK/$(basename "$source" .c).o")
    $CC $CFLAGS "${flags[@]}" -c "$sources/$source" -o "${objects[-1]}"
done
$CC $CFLAGS "${flags[@]}" -c "$harness" -o "$WORK/harness.o"
"$zester" embed "$grammar" -o "$WORK/grammar.c"
$CC $CFLAGS -c "$WORK/grammar.c" -o "$WORK/grammar.o"
$CXX $CXXFLAGS $LIB_FUZZING_ENGINE "$WORK/harness.o" "$WORK/grammar.o" "${objects[@]}" \
    "$CARGO_TARGET_DIR/release/libzester.a" -lpthread -ldl -lm -lgcc_s -o "$OUT/$target"

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

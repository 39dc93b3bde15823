/* zester for libFuzzer harnesses in C and C++: a grammar turns what libFuzzer makes into sentences.
 *
 *     int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
 *         const char *text;
 *         size_t length;
 *         zester_decode(data, size, &text, &length);
 *         zester_report(parse_and_check(text, length) ? ZESTER_VALID : ZESTER_INVALID);
 *         return 0;
 *     }
 *
 * Build the library once, with no flags of the fuzzer's (C itself needs no Rust then), embed a grammar, and link:
 *
 *     cargo build --release -p zester-c
 *     zester embed grammars/sql.ebnf -o grammar.c
 *     clang -fsanitize=fuzzer,address harness.c grammar.c $(pkg-config --cflags --libs zester)
 *
 * A harness that is to stay as it is takes $(pkg-config --variable=wrap zester) in place of the header: its function is then
 * called with the sentence. What it finds valid is unknown, unless it calls zester_report, or defines zester_validity, or
 * --zester_valid_result=N says that it returns N for what is valid and other values for what is not.
 *
 * --zester_grammar=FILE and ZESTER_GRAMMAR=FILE come before a grammar that is embedded. All other settings are those of the
 * table in README.md, as variables or as flags: ZESTER_STATS=FILE or --zester_stats=FILE. */

#ifndef ZESTER_H
#define ZESTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ZESTER_INVALID = -1, ZESTER_UNKNOWN = 0, ZESTER_VALID = 1 };

/* Decodes parameters, of any bytes, to a sentence of the grammar, at most 1 MiB. It lives until the next call and does not end
 * in a zero; AddressSanitizer sees reads beyond either end. A run begins. */
void zester_decode(const uint8_t *data, size_t size, const char **text, size_t *length);

/* What the program under test says of the sentence: whether it got through the semantic stage. Ends the run, after
 * zester_decode: what is covered later does not count as covered by a valid sentence. */
void zester_report(int validity);

/* Makes zester ready. libFuzzer does so through LLVMFuzzerInitialize; a harness that has one of its own calls this there, or
 * wraps it (see above). Ends the process with a message if there is no grammar, or a wrong one. */
void zester_initialize(int *argc, char ***argv);

/* To be defined by whoever wants to: what the result of a wrapped LLVMFuzzerTestOneInput says of the sentence. */
int zester_validity(const uint8_t *text, size_t length, int result);

/* What `zester embed` writes. */
extern const char zester_grammar_name[];
extern const unsigned char zester_grammar[];
extern const size_t zester_grammar_size;

#ifdef __cplusplus
}
#endif

#endif

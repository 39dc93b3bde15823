/* zester for libFuzzer harnesses in C and C++: the harness gets sentences of a grammar.
 *
 *     int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
 *         const char *text;
 *         size_t length;
 *         zester_decode(data, size, &text, &length);
 *         zester_report(parse_and_check(text, length) ? ZESTER_VALID : ZESTER_INVALID);
 *         return 0;
 *     }
 *
 * Build the library once, without the flags of the fuzzer. Embed a grammar, and link:
 *
 *     cargo build --release -p zester-c
 *     zester embed grammars/sql.ebnf -o grammar.c
 *     clang -fsanitize=fuzzer,address harness.c grammar.c $(pkg-config --cflags --libs zester)
 *
 * A harness can also stay as it is. Link it with $(pkg-config --variable=wrap zester): then zester calls its LLVMFuzzerTestOneInput
 * with sentences, and it must not call zester_decode. There are three ways to say whether a sentence was valid; without any of
 * them, validity is unknown:
 *
 *   - the harness calls zester_report;
 *   - the harness defines zester_validity;
 *   - the flag --zester_valid_result=N says that LLVMFuzzerTestOneInput returns N for valid sentences, and other numbers for others.
 *
 * The flag --zester_grammar=FILE, or the variable ZESTER_GRAMMAR=FILE, replaces the embedded grammar. The other settings are those of
 * the table in README.md. Each is a variable or a flag: ZESTER_STATS=FILE or --zester_stats=FILE.
 *
 * Call the functions from one thread at a time. */

#ifndef ZESTER_H
#define ZESTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ZESTER_INVALID = -1, ZESTER_UNKNOWN = 0, ZESTER_VALID = 1 };

/* Decodes an input to a sentence of the grammar, and begins a run. Any bytes decode to a sentence; it has at most 1 MiB. The sentence
 * does not end in a zero byte, and lives until the next call of zester_decode. AddressSanitizer reports reads
 * beyond either end of it. With --zester_text=1, the input is the sentence. */
void zester_decode(const uint8_t *data, size_t size, const char **text, size_t *length);

/* Reports whether the program under test found the sentence semantically valid. Call it after the program has read the sentence. In a
 * harness that calls zester_decode, this ends the run: what is covered later does not count as covered by a valid sentence. In a
 * wrapped harness, the last report counts. */
void zester_report(int validity);

/* Starts zester. Ends the process with a message and status 1 if there is no grammar, or if the grammar or a setting is wrong. zester
 * defines LLVMFuzzerInitialize, which calls this. A harness that defines LLVMFuzzerInitialize itself calls this there, with the same
 * arguments, or is wrapped; otherwise zester starts with the first run, and cannot change the defaults of libFuzzer's flags. */
void zester_initialize(int *argc, char ***argv);

/* A wrapped harness may define this function. zester calls it after each run with the sentence and the result of
 * LLVMFuzzerTestOneInput. It returns whether the sentence was valid: ZESTER_VALID, ZESTER_INVALID or ZESTER_UNKNOWN. */
int zester_validity(const uint8_t *text, size_t length, int result);

/* The embedded grammar: its name, its text, and the length of the text. `zester embed` writes a C file that defines them. */
extern const char zester_grammar_name[];
extern const unsigned char zester_grammar[];
extern const size_t zester_grammar_size;

#ifdef __cplusplus
}
#endif

#endif

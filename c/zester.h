/* zester for libFuzzer harnesses in C and C++: the harness reads sentences of a grammar instead of bytes.
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
 *     make -C zester/c && make -C zester/c install PREFIX=/usr/local
 *     zester embed grammars/sql.ebnf -o grammar.c
 *     clang -fsanitize=fuzzer,address harness.c grammar.c $(pkg-config --cflags --libs zester)
 *
 * libFuzzer's `cov:` counts an edge twice if a valid sentence reaches it; `zester fuzz` shows the number of edges. An interpreter with
 * computed goto takes minutes to compile with coverage and a sanitizer: switch the goto off if the program has an option for that, and
 * pass -fno-sanitize-address-use-after-scope to clang.
 *
 * A harness can also be wrapped without changes. Link it with $(pkg-config --variable=wrap zester). Then zester calls its
 * LLVMFuzzerTestOneInput with sentences, and the harness must not call zester_decode. There are three ways to report whether a
 * sentence was valid. Without any of them, validity is unknown:
 *
 *   - The harness calls zester_report.
 *   - The harness defines zester_validity.
 *   - With the flag --zester_valid_result=N, a sentence is valid if LLVMFuzzerTestOneInput returns N, and otherwise invalid.
 *
 * zester defines LLVMFuzzerCustomMutator and LLVMFuzzerCustomCrossOver. A harness that defines them, too, cannot be linked. Its
 * functions cannot mutate zester's inputs, so give them other names, with which they have no effect:
 *
 *     clang -DLLVMFuzzerCustomMutator=unused_mutator -DLLVMFuzzerCustomCrossOver=unused_cross_over -c harness.c
 *
 * The flag --zester_grammar=FILE, or the environment variable ZESTER_GRAMMAR=FILE, replaces the embedded grammar. The table of the
 * other settings is at the top of src/hooks.rs, and in the Rust documentation (zester::hooks). Each is an environment variable or a
 * flag: ZESTER_STATS=FILE or --zester_stats=FILE.
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

/* Decodes an input to a sentence of the grammar, and begins a run. Any bytes decode to a sentence, which has at most 1 MiB. The
 * sentence lives until the next call of zester_decode. No zero byte follows it. AddressSanitizer reports reads beyond both ends of
 * the sentence. With --zester_text=1, the input itself is the sentence. */
void zester_decode(const uint8_t *data, size_t size, const char **text, size_t *length);

/* Reports whether the program under test accepted the sentence as semantically valid. Call it after the program has read the
 * sentence. In a harness that calls zester_decode, the report ends the run: code that is reached later does not count as reached by
 * a valid sentence. In a wrapped harness, the last report counts. */
void zester_report(int validity);

/* Reports why the program under test rejected the sentence. `zester run --reasons` and `zester why` group sentences by their reasons.
 * The text is UTF-8, ends with a zero byte, and is cut after 4,096 bytes. The last reason of a run counts. While fuzzing, this
 * function does nothing.
 *
 *     zester_report_reason(sqlite3_errmsg(database)); */
void zester_report_reason(const char *text);

/* Returns whether zester reads reasons. If not, a harness need not make their texts. */
int zester_wants_reasons(void);

/* Fails: the program under test did not do what an oracle of the harness expects. Prints `zester: failure: KEY` on standard error, and
 * aborts. The key is one line that identifies the failure, without values of the input: failures with equal keys are one failure, and
 * failures with different keys are different ones. A harness may also print such a line itself and abort.
 *
 *     if (!equal(tree, parse(print(tree)))) zester_fail("round trip: another tree"); */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void zester_fail(const char *key);

/* Compares two byte strings. If they differ, reports a disagreement: a failure that is identified by the name of the comparison and by
 * the kind of the difference. Under `zester fuzz`, the run goes on and this function returns 0; elsewhere the process aborts. Returns 1
 * if the strings are equal. In a harness that calls zester_decode, call it before zester_report, which ends the run.
 *
 *     zester_same("optimised", slow, slow_size, fast, fast_size); */
int zester_same(const char *name, const void *left, size_t left_size, const void *right, size_t right_size);

/* Records the outcome of this run: what the program computed from the sentence, as text. With the setting ZESTER_EQUAL=1, a wrapped harness
 * also reads sentences that are equivalent by the grammar. Their outcomes must be equal, and they must be valid if the sentence is. Otherwise
 * zester reports a disagreement, as zester_same does. The last outcome of a run counts. Without ZESTER_EQUAL=1, this function may do nothing.
 *
 *     zester_outcome(rows.text, rows.size); */
void zester_outcome(const void *value, size_t size);

/* Initializes zester. Ends the process with a message and status 1 if there is no grammar, or if the grammar or a setting is wrong.
 *
 * zester defines LLVMFuzzerInitialize, which calls this function. A harness that defines LLVMFuzzerInitialize itself must call this
 * function there, with the same arguments, unless it is wrapped. If it does not, zester is initialized in the first run, and cannot
 * change the defaults of libFuzzer's flags. */
void zester_initialize(int *argc, char ***argv);

/* A function that a wrapped harness may define. zester calls it after each run with the sentence and the result of
 * LLVMFuzzerTestOneInput. It returns whether the sentence was valid: ZESTER_VALID, ZESTER_INVALID or ZESTER_UNKNOWN. */
int zester_validity(const uint8_t *text, size_t length, int result);

/* The embedded grammar: its name, its text, and the size of the text in bytes. `zester embed` writes a C file that defines them. */
extern const char zester_grammar_name[];
extern const unsigned char zester_grammar[];
extern const size_t zester_grammar_size;

#ifdef __cplusplus
}
#endif

#endif

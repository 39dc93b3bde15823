// TinyCC 0.9.27: compiles a program in memory, without linking it.
//
// grammar: grammars/c.ebnf
// package: libtcc
// include: src/tcc-0.9.27
// flags: -D_GNU_SOURCE -DONE_SOURCE=1 -DTCC_TARGET_X86_64 -DCONFIG_TCC_STATIC
//
// A text is valid when it compiles without an error. The grammar has no preprocessor directives, so no text opens a file.

#include <stdlib.h>
#include <string.h>

// All of TinyCC, because its variables are static.
#include "libtcc.c"
#include "zester.h"

// Resets the variables that keep their values after an error. The program `tcc` ends after an error, so it need not.
static void reset(void) {
    global_label_stack = local_label_stack = NULL;
    cur_switch = NULL;
    local_scope = in_sizeof = vlas_in_scope = global_expr = 0;
}

// TinyCC does not free all memory after an error.
const char *__asan_default_options(void) { return "detect_leaks=0"; }

static void report(void *unused, const char *message) {
    (void)unused;
    zester_report_reason(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text;
    size_t length;
    zester_decode(data, size, &text, &length);
    TCCState *state = tcc_new();
    // TinyCC reads up to a zero byte.
    char *program = tcc_malloc(length + 1);
    if (!state || !program) __builtin_trap();
    memcpy(program, text, length);
    program[length] = 0;
    reset();
    tcc_set_error_func(state, NULL, report);
    tcc_set_options(state, "-nostdinc -nostdlib -w");
    tcc_set_output_type(state, TCC_OUTPUT_MEMORY);
    int status = tcc_compile_string(state, program);
    tcc_delete(state);
    tcc_free(program);
    zester_report(status == 0 ? ZESTER_VALID : ZESTER_INVALID);
    return 0;
}

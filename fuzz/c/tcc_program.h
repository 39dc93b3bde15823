// TinyCC 0.9.27, which compiles a program in memory, without linking it.

#include <stdlib.h>
#include <string.h>

// All of TinyCC, because its variables are static.
#include "libtcc.c"
#include "zester.h"

// Resets the variables that keep their values after an error. The program `tcc` does not need this, because it ends after an error.
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

// Compiles a program. Returns whether it has no error; if so, calls `compiled` with the program before.
static int compile(const char *text, size_t length, void (*compiled)(const char *program)) {
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
    int valid = tcc_compile_string(state, program) == 0;
    if (valid && compiled) compiled(program);
    tcc_delete(state);
    tcc_free(program);
    return valid;
}

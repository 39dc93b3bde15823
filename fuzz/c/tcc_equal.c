// TinyCC 0.9.27: equivalent programs must compile to the same values of global variables.
//
// grammar: grammars/c.ebnf
// package: libtcc
// include: src/tcc-0.9.27
// flags: -D_GNU_SOURCE -DONE_SOURCE=1 -DTCC_TARGET_X86_64 -DCONFIG_TCC_STATIC
//
// TinyCC computes the initial values of global variables while it compiles. The outcome of a program is their bytes, and nothing is run. The
// names of the variables and their order do not count. A program with `__LINE__` or `__COUNTER__`, which depend on the text before them,
// has no outcome. The harness is wrapped, so that zester also calls it with equivalent programs:
// `zester equal`, and ZESTER_EQUAL=1 while fuzzing.

#include "tcc_program.h"

enum { LINES = 1000, OUTCOME = 1 << 20, BYTES = 256 };

// One line for each variable: its size, and its bytes in hexadecimal.
static char *lines[LINES];
static char outcome[OUTCOME];

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

// Reports the sizes and the bytes of all variables that have initial values.
static void report_values(const char *program) {
    static char buffer[OUTCOME];
    size_t used = 0, length = 0;
    int count = 0;
    if (strstr(program, "__LINE__") || strstr(program, "__COUNTER__")) return;
    ElfW(Sym) *end = (ElfW(Sym) *)(symtab_section->data + symtab_section->data_offset);
    for (ElfW(Sym) *symbol = (ElfW(Sym) *)symtab_section->data + 1; symbol < end; symbol++) {
        // Texts and numbers in expressions have symbols, too: TinyCC names them `L.` and a number.
        const char *name = (char *)symtab_section->link->data + symbol->st_name;
        if (symbol->st_shndx != data_section->sh_num || ELFW(ST_TYPE)(symbol->st_info) != STT_OBJECT) continue;
        if (strncmp(name, "L.", 2) == 0 || symbol->st_value + symbol->st_size > data_section->data_offset) continue;
        size_t size = symbol->st_size < BYTES ? symbol->st_size : BYTES;
        if (count == LINES || used + 2 * size + 32 > OUTCOME) return;
        lines[count++] = buffer + used;
        used += sprintf(buffer + used, "%lu:", (unsigned long)symbol->st_size);
        for (size_t i = 0; i < size; i++) used += sprintf(buffer + used, "%02x", data_section->data[symbol->st_value + i]);
        used++;
    }
    qsort(lines, count, sizeof *lines, by_text);
    for (int i = 0; i < count; i++) length += sprintf(outcome + length, "%s\n", lines[i]);
    zester_outcome(outcome, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    zester_report(compile((const char *)data, size, report_values) ? ZESTER_VALID : ZESTER_INVALID);
    return 0;
}

// TinyCC 0.9.27: compiles a program in memory, without linking it.
//
// grammar: grammars/c.ebnf
// package: libtcc
// include: src/tcc-0.9.27
// flags: -D_GNU_SOURCE -DONE_SOURCE=1 -DTCC_TARGET_X86_64 -DCONFIG_TCC_STATIC
//
// A text is valid when it compiles without an error. The grammar has no preprocessor directives, so no text opens a file.

#include "tcc_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text;
    size_t length;
    zester_decode(data, size, &text, &length);
    zester_report(compile(text, length, NULL) ? ZESTER_VALID : ZESTER_INVALID);
    return 0;
}

// A harness that does not use zester, with an LLVMFuzzerInitialize of its own. Valid is what nests at least three deep.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
extern "C" int depth(const char *, size_t);
static int started;
extern "C" int LLVMFuzzerInitialize(int *, char ***) { return started = 1, 0; }
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *text, size_t length) {
    if (!started) abort();
    return depth((const char *)text, length) > 2;
}

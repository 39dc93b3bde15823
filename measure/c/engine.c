// An engine that leaves Ctrl-C to the target: it runs an empty input until a signal ends it.
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerInitialize(int *, char ***);
int LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int main(int argc, char **argv) {
    LLVMFuzzerInitialize(&argc, &argv);
    for (;;) LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
}

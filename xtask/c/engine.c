// An engine that leaves Ctrl-C to the target: it runs an empty input until a signal ends it. After 100 runs it sends itself the
// signal of Ctrl-C.
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerInitialize(int *, char ***);
int LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int main(int argc, char **argv) {
    LLVMFuzzerInitialize(&argc, &argv);
    for (unsigned long run = 0;; run++) {
        if (run == 100) raise(SIGINT);
        LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    }
}

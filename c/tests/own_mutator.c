/* The mutators of a harness that has its own. zester has these functions, too, so those of the harness get other names: see zester.h. */

#include <stddef.h>
#include <stdint.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    (void)seed;
    return LLVMFuzzerMutate(data, size, max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size, uint8_t *out,
                                 size_t max_size, unsigned seed) {
    (void)first, (void)first_size, (void)second, (void)second_size, (void)max_size, (void)seed;
    out[0] = 0;
    return 1;
}

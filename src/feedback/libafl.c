/* LibAFL: copies the result of a crossover to the buffer that LibAFL reads. */

#include "feedback.h"

/* Only LibAFL defines this function. */
extern int libafl_targets_libfuzzer_init(int *, char ***) WEAK;

/* Copies the result of a crossover to the first input if the engine is LibAFL. LibAFL reads the result from there instead of
 * the output buffer, and gives both buffers the same size (libafl_targets 0.16.1, libfuzzer/mutators.rs). */
void zester_feedback_hand_over(const uint8_t *first, const uint8_t *out, size_t size) {
    if (libafl_targets_libfuzzer_init && size) memcpy((uint8_t *)(uintptr_t)first, out, size);
}

#if defined(__clang__)
#pragma clang attribute pop
#endif

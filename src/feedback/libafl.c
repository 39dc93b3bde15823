/* LibAFL: where it looks for the result of a crossover. */

#include "feedback.h"

/* Only LibAFL has this function. */
extern int libafl_targets_libfuzzer_init(int *, char ***) WEAK;

/* LibAFL reads what a crossover made from the first input, which has as much room as the output buffer (libafl_targets 0.16.1,
 * libfuzzer/mutators.rs). Copies it there; does nothing with other engines. */
void zester_feedback_hand_over(const uint8_t *first, const uint8_t *out, size_t size) {
    if (libafl_targets_libfuzzer_init && size) memcpy((uint8_t *)(uintptr_t)first, out, size);
}

#if defined(__clang__)
#pragma clang attribute pop
#endif

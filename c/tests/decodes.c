/* A harness that calls zester_decode. It must not be wrapped. */

#include <zester.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text;
    size_t length;
    zester_decode(data, size, &text, &length);
    zester_report(length > 3 ? ZESTER_VALID : ZESTER_INVALID);
    return 0;
}

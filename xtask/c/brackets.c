// A harness for AFL++ that does not use zester: it looks at parentheses and some characters.
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *text, size_t length) {
    int depth = 0;
    volatile int maximum = 0;
    for (size_t at = 0; at < length; at++) {
        depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
        if (depth > maximum && depth < 5) maximum = depth;
        if (maximum == 2 && text[at] == '%') maximum = 9;
        if (maximum == 3 && text[at] == '=') maximum = 8;
    }
    return 0;
}

// A program under test that is a shared library: the depth of the parentheses of a text.
#include <stddef.h>
int depth(const char *text, size_t length) {
    int depth = 0, maximum = 0;
    for (size_t at = 0; at < length; at++) {
        depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
        if (depth > maximum) maximum = depth;
    }
    return maximum;
}

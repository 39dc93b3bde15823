// A wrapped harness that ends its first run of a sentence with a plus sign in the way that the variable END says.

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

#include "zester.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *text, size_t length) {
    const char *variable = getenv("END");
    const std::string end = variable ? variable : "";
    if (end == "always") abort();
    if (end.empty() || (end != "shapes" && !memchr(text, '+', length))) return 0;
    if (end == "time-out")
        for (;;) usleep(1000);
    if (end == "memory")
        for (;; usleep(5000)) {
            volatile char *memory = static_cast<volatile char *>(malloc(1 << 24));
            for (int at = 0; at < 1 << 24; at += 4096) memory[at] = 1;
        }
    if (end == "exit") exit(0);
    if (end == "_exit") _exit(0);
    if (end == "_Exit") _Exit(3);
    if (end == "exit_group") syscall(SYS_exit_group, 0);
    if (end == "kill") raise(SIGKILL);
    if (end == "segment") *reinterpret_cast<volatile int *>(8) = 1;
    if (end == "leak") *static_cast<volatile char *>(malloc(100)) = 1;
    if (end == "fork" && fork() == 0)
        for (;;) sleep(1);
    if (end == "abort") abort();
    if (end == "parentheses" && std::count(text, text + length, '(') > 3) abort();
    if (end == "fail") zester_fail("one key");
    if (end == "shapes") zester_same("shapes", memchr(text, '%', length) || strstr(std::string(text, text + length).c_str(), "**") ? "1" : "0", 1, "0", 1);
    if (end == "same") zester_same("without +", text, length, "1", 1);
    // The first operand of a sum is not added.
    if (end == "outcome") zester_outcome(text + 1, length - 1);
    if (end == "beyond") {
        volatile uint8_t *bytes = static_cast<volatile uint8_t *>(malloc(8));
        bytes[7 + length] = 1;
    }
    if (end == "overflow") {
        volatile int most = INT_MAX;
        return most + static_cast<int>(length);
    }
    if (end == "exception") throw std::runtime_error("a planted exception");
    return 0;
}

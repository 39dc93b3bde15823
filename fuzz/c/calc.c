// An evaluator with a planted fault: what a finding in a C harness looks like.
//
// grammar: grammars/expr.ebnf
//
// Left operands are stored on a stack of fixed size, and no code checks for free space: this is the planted fault. A text is
// valid if it does not divide by zero.

#include <string.h>
#include <zester.h>

typedef struct {
    const char *at, *end;
    long *waiting;
    int depth, fault;
} Reader;

static char next(const Reader *reader) { return reader->at < reader->end ? *reader->at : '\0'; }

static void skip(Reader *reader) {
    for (; next(reader) && strchr(" \t\r\n#", next(reader)); reader->at++)
        if (next(reader) == '#')
            while (next(reader) && next(reader) != '\n') reader->at++;
}

static int is_name(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

static long sum(Reader *reader);

static long factor(Reader *reader) {
    long value = 0;
    skip(reader);
    if (next(reader) == '(') {
        reader->at++;
        value = sum(reader);
        skip(reader);
        reader->at++;
        return value;
    }
    if (next(reader) == '-') {
        reader->at++;
        return (long)(0 - (unsigned long)factor(reader));
    }
    if (next(reader) > '9') value = 1;
    /* The value of a name is 1. */
    for (; is_name(next(reader)) || next(reader) == '.'; reader->at++)
        if (next(reader) <= '9' && next(reader) != '.') value = (value * 10 + next(reader) - '0') % 1000003;
    return value;
}

/* Returns the right operand; keeps the left one on the stack meanwhile. */
static long behind(Reader *reader, long value, long (*operand)(Reader *)) {
    reader->waiting[reader->depth++] = value;
    long right = operand(reader);
    reader->depth--;
    return right;
}

static long power(Reader *reader) {
    long value = factor(reader);
    skip(reader);
    if (reader->end - reader->at < 2 || reader->at[0] != '*' || reader->at[1] != '*') return value;
    reader->at += 2;
    return (value % 1009) * (behind(reader, value, power) % 1009);
}

static long product(Reader *reader) {
    long value = power(reader);
    for (skip(reader); next(reader) == '*' || next(reader) == '/' || next(reader) == '%'; skip(reader)) {
        char operator = *reader->at++;
        long right = behind(reader, value, power);
        if (operator != '*' && right == 0) reader->fault = 1;
        value = operator == '*' ? (value % 1009) * (right % 1009) : right ? value / right : 0;
    }
    return value;
}

static long sum(Reader *reader) {
    long value = product(reader);
    for (skip(reader); next(reader) == '+' || next(reader) == '-'; skip(reader)) {
        char operator = *reader->at++;
        long right = behind(reader, value, product);
        value = (operator == '+' ? value + right : value - right) % 1000003;
    }
    return value;
}

static void statement(Reader *reader) {
    if (reader->end - reader->at > 3 && !memcmp(reader->at, "let", 3) && !is_name(reader->at[3])) {
        while (next(reader) && next(reader) != '=') reader->at++;
        reader->at++;
    }
    sum(reader);
    skip(reader);
    reader->at++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text;
    size_t length;
    zester_decode(data, size, &text, &length);
    long waiting[12];
    Reader reader = {text, text + length, waiting, 0, 0};
    for (skip(&reader); reader.at < reader.end; skip(&reader)) statement(&reader);
    if (reader.fault) zester_report_reason("division by zero");
    zester_report(reader.fault ? ZESTER_INVALID : ZESTER_VALID);
    return 0;
}

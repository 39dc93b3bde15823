"""Servers of JSON parsers in Python for the program `parse` (see server.rs): lark's LALR and Earley parsers, and ANTLR."""

import sys
import time

# The grammar of lark's tutorial.
GRAMMAR = r"""
?start: value
?value: object | array | string | SIGNED_NUMBER -> number | "true" -> true | "false" -> false | "null" -> null
array  : "[" [value ("," value)*] "]"
object : "{" [pair ("," pair)*] "}"
pair   : string ":" value
string : ESCAPED_STRING
%import common.ESCAPED_STRING
%import common.SIGNED_NUMBER
%import common.WS
%ignore WS
"""


def parser(name):
    if name in ("lalr", "earley"):
        import lark

        return lark.Lark(GRAMMAR, parser=name).parse
    import antlr4
    from JSONLexer import JSONLexer
    from JSONParser import JSONParser
    from antlr4.error.ErrorListener import ErrorListener

    class Strict(ErrorListener):
        def syntaxError(self, recognizer, symbol, line, column, message, error):
            raise ValueError(message)

    def parse(text):
        lexer = JSONLexer(antlr4.InputStream(text))
        parser = JSONParser(antlr4.CommonTokenStream(lexer))
        for part in (lexer, parser):
            part.removeErrorListeners()
            part.addErrorListener(Strict())
        parser.json()

    return parse


def memory(which):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(which))


def main():
    parse = parser(sys.argv[1])
    for request in sys.stdin:
        seconds, *files = request.rstrip("\n").split("\t")
        texts = [open(file, encoding="utf-8", newline="").read() for file in files]
        sizes = [len(text.encode()) for text in texts]
        before, start, busy = memory("VmRSS"), time.perf_counter(), time.thread_time()
        count = read = wrong = 0
        while read == 0 or time.perf_counter() - start < float(seconds):
            try:
                parse(texts[read % len(texts)])
            except Exception:
                wrong += read < len(texts)
            count += sizes[read % len(texts)]
            read += 1
        print(count, time.thread_time() - busy, min(read, len(texts)), wrong, memory("VmHWM") - before, flush=True)


main()

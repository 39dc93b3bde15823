//! Words that are usual in error messages.

/// Words that are usual in error messages, sorted. Such a word of a reason is no name, even if the
/// sentence has it.
#[rustfmt::skip]
const USUAL: &[&str] = &[
    "a", "abort", "about", "above", "access", "accessed", "address", "after", "again", "alias",
    "all", "allowed", "already", "also", "alternative", "ambiguous", "an", "and", "another", "any",
    "applied", "apply", "are", "argument", "arguments", "arity", "array", "arrays", "as", "assert",
    "assertion", "assign", "assigned", "assignment", "assignments", "at", "atom", "attempt",
    "attempted", "attribute", "attributes", "available", "bad", "base", "be", "because", "been",
    "before", "begin", "beginning", "below", "between", "binary", "bind", "binding", "bit", "bits",
    "block", "body", "bool", "boolean", "both", "bound", "bounds", "bracket", "break", "buffer",
    "builtin", "but", "by", "byte", "bytes", "call", "called", "calls", "can", "cannot", "case",
    "cast", "char", "character", "characters", "check", "child", "class", "clause", "close",
    "closed", "closing", "code", "column", "columns", "comma", "comment", "comparison", "compile",
    "compute", "condition", "conflict", "conflicts", "constant", "constraint", "construct",
    "constructor", "contain", "contains", "content", "contents", "context", "continue", "control",
    "conversion", "convert", "could", "count", "create", "cycle", "cyclic", "data", "database",
    "date", "declaration", "declarations", "declare", "declared", "default", "define", "defined",
    "definition", "delimiter", "depth", "did", "different", "digit", "digits", "dimension",
    "directive", "division", "do", "document", "does", "done", "double", "duplicate", "duplicated",
    "during", "each", "element", "elements", "else", "empty", "end", "ends", "entry", "enum", "eof",
    "equal", "error", "errors", "escape", "evaluate", "exactly", "exceed", "exceeded", "exceeds",
    "exception", "exist", "existing", "exists", "exit", "expect", "expected", "expecting",
    "expects", "expression", "expressions", "extra", "fail", "failed", "fails", "failure", "false",
    "feature", "field", "fields", "file", "first", "float", "floating", "follow", "followed",
    "following", "for", "format", "found", "from", "function", "functions", "generic", "get",
    "given", "global", "got", "group", "had", "handle", "has", "have", "header", "here", "hex",
    "identifier", "identifiers", "if", "ignored", "illegal", "immutable", "implement",
    "implemented", "implicit", "import", "in", "incompatible", "incomplete", "incorrect", "index",
    "indices", "inference", "infinite", "initial", "initialiser", "initializer", "inner", "input",
    "inside", "instance", "instead", "instruction", "integer", "integers", "internal", "into",
    "invalid", "is", "it", "item", "its", "join", "key", "keys", "keyword", "kind", "known",
    "label", "large", "last", "least", "left", "length", "less", "level", "library", "limit",
    "line", "lines", "list", "literal", "literals", "local", "location", "long", "loop",
    "malformed", "many", "map", "mark", "match", "matches", "matching", "maximum", "may", "maybe",
    "memory", "message", "method", "minimum", "mismatch", "mismatched", "missing", "mixed", "mode",
    "modifier", "module", "more", "must", "mutable", "name", "named", "names", "near", "needed",
    "needs", "negative", "nested", "never", "new", "newline", "next", "nil", "no", "node", "non",
    "none", "not", "nothing", "null", "number", "numbers", "numeric", "object", "of", "off",
    "offset", "old", "on", "once", "one", "only", "open", "opening", "operand", "operands",
    "operation", "operator", "operators", "option", "or", "order", "other", "out", "outer",
    "output", "outside", "over", "overflow", "own", "package", "pair", "parameter", "parameters",
    "parse", "parsed", "parser", "parsing", "part", "pass", "path", "pattern", "point", "pointer",
    "position", "positive", "possible", "prefix", "previous", "primary", "private", "problem",
    "procedure", "program", "property", "public", "query", "quote", "quoted", "range", "reached",
    "read", "reason", "recursion", "recursive", "redeclared", "redefined", "redefinition",
    "reference", "referenced", "references", "refers", "rejected", "remaining", "repeated",
    "required", "requires", "reserved", "resolve", "resolved", "result", "return", "returned",
    "returning", "returns", "right", "root", "row", "rule", "rules", "runtime", "same", "schema",
    "scope", "second", "semicolon", "separator", "sequence", "set", "several", "shadow", "shape",
    "should", "side", "sign", "signature", "signed", "single", "size", "small", "so", "some",
    "source", "space", "specified", "stack", "start", "starting", "state", "statement",
    "statements", "static", "stop", "storage", "string", "strings", "struct", "structure", "such",
    "suffix", "supplied", "support", "supported", "switch", "symbol", "syntax", "system", "table",
    "tables", "tag", "term", "terminated", "test", "text", "than", "that", "the", "their", "them",
    "then", "there", "these", "they", "this", "those", "time", "timeout", "to", "token", "tokens",
    "too", "top", "trailing", "true", "tuple", "twice", "two", "type", "typed", "types", "unable",
    "unbalanced", "unbound", "unclosed", "undeclared", "undefined", "underflow", "underscore",
    "unexpected", "unfinished", "union", "unique", "unit", "unknown", "unmatched", "unreachable",
    "unrecognised", "unrecognized", "unresolved", "unsigned", "unsupported", "unterminated",
    "until", "unused", "up", "usage", "use", "used", "user", "uses", "using", "valid", "validation",
    "value", "values", "variable", "variables", "variant", "version", "view", "violates",
    "violation", "visible", "void", "want", "wants", "warning", "was", "were", "what", "when",
    "where", "whether", "which", "while", "whitespace", "who", "whole", "will", "with", "within",
    "without", "word", "words", "would", "write", "written", "wrong", "yet", "you", "zero",
];

/// Returns whether a word is usual in error messages. A word of one letter does not count as usual if
/// it stands alone, as in `no such column: a`.
pub fn is_usual(word: &str, stands_alone: bool) -> bool {
    if stands_alone && word.len() == 1 {
        return false;
    }
    USUAL.binary_search(&&*word.to_lowercase()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(USUAL.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn articles_are_no_names_unless_they_stand_alone() {
        assert!(is_usual("a", false) && is_usual("A", false) && is_usual("Expected", true));
        assert!(!is_usual("a", true) && !is_usual("b", false) && !is_usual("x1", false));
    }
}

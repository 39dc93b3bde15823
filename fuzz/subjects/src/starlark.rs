//! The subject `starlark`: Meta's interpreter of Starlark, in Rust, evaluates a module.
//!
//! A text is valid if it parses and evaluates without an error. The dialect is the extended one:
//! statements at the top level, annotations of types, and keyword-only parameters. The
//! built-in functions are those of the standard and the extensions without effects outside of the module.
//! One other module, `lib.star`, can be loaded. Ticks, memory and the depth of calls are limited;
//! to exceed a limit is an error of meaning.

use starlark::PrintHandler;
use starlark::environment::{FrozenModule, Globals, GlobalsBuilder, LibraryExtension, Module};
use starlark::eval::{Evaluator, ReturnFileLoader};
use starlark::syntax::{AstModule, Dialect};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The module that texts may load.
const LIBRARY: &str =
    "number = 3\ntext = 'abc'\nitems = [1, 2, 3]\ndef twice(x):\n    return x + x\n";

/// The maximum number of calls and of rounds of loops. The interpreter checks it after each 1,000.
const TICKS: u64 = 20_000;

/// The maximum bytes of the heap, and the maximum depth of calls.
const MEMORY: usize = 16 << 20;
const DEPTH: usize = 40;

/// The prefix of the parser's messages.
const PARSE: &str = "parse: ";

/// Parts of messages about rules that the parser checks although no grammar expresses them: names
/// that occur twice, and statements outside of what they belong to. They are from starlark_syntax
/// 0.14.2.
const NOT_SYNTAX: [&str; 3] = [
    "duplicated parameter name",
    "repeated named argument",
    "cannot be used outside of a",
];

/// The maximum number of bytes of what is printed and of the values of globals in an outcome.
const OUTCOME: usize = 8192;

/// The lines that are printed.
#[derive(Default)]
struct Lines(RefCell<String>);

impl Lines {
    /// Adds a line, unless the limit of an outcome is reached.
    fn push(&self, line: &str) {
        let mut lines = self.0.borrow_mut();
        if lines.len() < OUTCOME {
            let room = OUTCOME - lines.len();
            lines.extend(line.chars().take(room).chain(['\n']));
        }
    }
}

impl PrintHandler for Lines {
    fn println(&self, line: &str) -> starlark::Result<()> {
        self.push(line);
        Ok(())
    }
}

/// Parses the text and evaluates it.
pub fn run(text: &str) -> Result<(), String> {
    outcome(text).map(drop)
}

/// Parses the text and evaluates it. Returns what it prints, then the values of its globals in the
/// order of their definitions, each on a line.
///
/// The names of the globals are not in the outcome, because they have no effect on other values.
pub fn outcome(text: &str) -> Result<String, String> {
    static LOADED: OnceLock<FrozenModule> = OnceLock::new();
    let module = AstModule::parse("text.star", text.to_owned(), &Dialect::Extended)
        .map_err(|error| format!("{PARSE}{}", error.without_diagnostic()))?;
    let library = LOADED.get_or_init(library);
    let modules = HashMap::from([("lib.star", library)]);
    let loader = ReturnFileLoader { modules: &modules };
    Module::with_temp_heap(|space| {
        let lines = Lines::default();
        let mut evaluator = Evaluator::new(&space);
        evaluator.set_loader(&loader);
        evaluator.set_print_handler(&lines);
        evaluator
            .set_max_callstack_size(DEPTH)
            .expect("the depth is set once");
        evaluator
            .set_max_heap_size(MEMORY)
            .expect("the memory is set once");
        evaluator
            .set_max_tick_count(TICKS)
            .expect("the ticks are set once");
        let result = evaluator.eval_module(module, globals()).map(drop);
        result.map_err(|error| error.without_diagnostic().to_string())?;
        drop(evaluator);
        for name in space.names() {
            if let Some(value) = space.get(&name) {
                lines.push(&value.to_repr());
            }
        }
        Ok(lines.0.into_inner())
    })
}

/// Returns whether a message of `run` means that Starlark's grammar does not derive the text.
pub fn is_syntax_error(message: &str) -> bool {
    message.starts_with(PARSE) && !NOT_SYNTAX.iter().any(|part| message.contains(part))
}

/// The built-in names.
fn globals() -> &'static Globals {
    static GLOBALS: OnceLock<Globals> = OnceLock::new();
    GLOBALS.get_or_init(|| {
        use LibraryExtension::*;
        GlobalsBuilder::extended_by(&[
            StructType, RecordType, EnumType, Map, Filter, Partial, Debug, Print, Pprint, Pstr,
            Prepr, Json, Typing, SetType,
        ])
        .build()
    })
}

/// Evaluates the module that texts may load.
fn library() -> FrozenModule {
    let module = AstModule::parse("lib.star", LIBRARY.to_owned(), &Dialect::Extended);
    Module::with_temp_heap(|space| {
        let mut evaluator = Evaluator::new(&space);
        let module = module.expect("the module is of the language");
        evaluator
            .eval_module(module, globals())
            .expect("the module has no error");
        drop(evaluator);
        space.freeze().expect("the module has no cycle")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge;

    #[test]
    fn accepts_valid_texts() {
        judge::accepts(
            run,
            &[
                "",
                "x = 1; y = [x]\n",
                "def f(a, b = 2, *args, c, **kwargs):\n  if a:\n    return b\n  elif c: pass\nf(1, c = 3)\n",
                "load('lib.star', 'number', t = 'twice')\nprint(t(number))\n",
                "for a, b in {'x': 1}.items():\n\tpass\n"
                    .replace('\t', "    ")
                    .as_str(),
                "x: list[int] = [a for a in range(9) if a % 2 == 0][1:-1]",
                "s = struct(a = set([1])).a | set([r'\\d', 1.5])\n",
            ],
        );
    }

    #[test]
    fn the_outcome_has_prints_and_values() {
        let text = "x = [1, 'a']\ndef f(a):\n  print(a)\n  return a\ny = f(x)\nprint(2)\n";
        let outcome = outcome(text).expect("the text is valid");
        let lines: Vec<&str> = outcome.lines().collect();
        assert_eq!(lines[..3], ["[1, \"a\"]", "2", "[1, \"a\"]"]);
        assert_eq!(lines[3..], ["text.star.f", "[1, \"a\"]"]);
    }

    #[test]
    fn rejects_by_syntax() {
        judge::rejects_by_syntax(
            run,
            is_syntax_error,
            &[
                "x =",
                "if x:\npass\n",
                "x = 1\n  y = 2\n",
                "x = a == b == c\n",
                "x = 01\n",
                "f(a = 1, 2)\n",
                "1 = 2\n",
                "x = 1,\n",
                "if 1:\n\tpass\n",
                "class = 2\n",
            ],
        );
    }

    #[test]
    fn rejects_by_meaning() {
        judge::rejects_by_meaning(
            run,
            is_syntax_error,
            &[
                "x\n",
                "x = 1 // 0\n",
                "def f(): f()\nf()\n",
                "x = [1]\nfor y in x: x.append(y)\n",
                "for x in range(1000000): pass\n",
                "load('none', 'x')\n",
                "break\n",
                "def f(a, a): pass\n",
                "fail('a')\n",
            ],
        );
    }
}

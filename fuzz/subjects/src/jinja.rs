//! The subjects `jinja` and `jinja_old`: two versions of MiniJinja compile a template and render
//! it.
//!
//! A text is valid if it compiles and renders without an error. The context is empty. Three
//! templates exist for `extends`, `import` and `include`. Fuel ends templates that run too long,
//! and a limit ends those that recurse too deep. Both are errors of meaning.

/// The templates that the tests and the grammar use: a layout, a library of macros, and a text
/// whose file name extension turns escaping on.
const TEMPLATES: [(&str, &str); 3] = [
    (
        "base",
        "{% block title %}-{% endblock %}\n{% block body %}{% for i in range(2) %}{% block item %}{{ i }}{% endblock %}\
         {% endfor %}{% endblock %}{{ self.title() }}",
    ),
    (
        "macros",
        "{% macro field(name, value='', size=3) %}{{ name }}={{ value|e }}/{{ size }}{% endmacro %}\
         {% macro box(title) %}<{{ title }}>{{ caller() if caller else varargs }}{% endmacro %}{% set version = 2 %}",
    ),
    (
        "part.html",
        "<p>{{ s|default('<>') }} {{ loop.index if loop is defined else i }}</p>",
    ),
];

/// The maximum number of instructions of MiniJinja's virtual machine.
const FUEL: u64 = 5_000;

/// The maximum depth of recursion. A macro call counts 4 and an include 10, so that a recursion
/// that doubles a text ends before it fills the memory.
const DEPTH: usize = 60;

/// The maximum number of characters of an outcome.
const OUTCOME: usize = 8192;

/// Prefixes of messages about rules that MiniJinja checks while it parses although they are not in
/// the grammar: names and limits. They are from minijinja 3.0.5, `src/compiler/parser.rs`; 2.12.0
/// has the same messages.
const NOT_SYNTAX: [&str; 4] = [
    "syntax error: template exceeds maximum recursion limits",
    "syntax error: block '", // … defined twice
    "syntax error: mismatching name on block",
    "syntax error: Too many arguments in function call",
];

/// Returns whether a message of `run` means that Jinja's grammar does not derive the text.
///
/// A message begins with the kind of the error. MiniJinja parses the whole text before it renders,
/// so an error of another kind means that the syntax of the whole text is correct.
pub fn is_syntax_error(message: &str) -> bool {
    let starts = |start: &&str| message.starts_with(*start);
    ["syntax error", "bad string escape"].iter().any(starts) && !NOT_SYNTAX.iter().any(starts)
}

/// Defines the subject for one version of the crate. It is a macro because the versions share no
/// type.
macro_rules! subject {
    ($engine:ident) => {
        use super::{DEPTH, FUEL, OUTCOME, TEMPLATES};
        use std::sync::OnceLock;
        use $engine::Environment;

        pub use super::is_syntax_error;

        /// Compiles the text and renders it.
        pub fn run(text: &str) -> Result<(), String> {
            outcome(text).map(drop)
        }

        /// Compiles the text and renders it. Returns the beginning of the rendered text.
        pub fn outcome(text: &str) -> Result<String, String> {
            static ENVIRONMENT: OnceLock<Environment<'static>> = OnceLock::new();
            let environment = ENVIRONMENT.get_or_init(environment);
            let template = environment.template_from_str(text).map_err(|error| error.to_string())?;
            let rendered = template.render(()).map_err(|error| error.to_string())?;
            Ok(rendered.chars().take(OUTCOME).collect())
        }

        fn environment() -> Environment<'static> {
            let mut environment = Environment::new();
            environment.set_fuel(Some(FUEL));
            environment.set_recursion_limit(DEPTH);
            for (name, text) in TEMPLATES {
                environment.add_template(name, text).expect("the templates are of the language");
            }
            environment
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
                        "a { b }} %}\n",
                        "{{ undefined }}{# {{ #}{% raw %}{{ {% endraw %}",
                        "{% for a, b in {'x': 1}|items if b > 0 recursive %}{{ loop.index }}{% else %}{% break %}{% endfor %}",
                        "{% set ns = namespace(n=1) %}{% set ns.n = ns.n + 2 ** 3 %}{{ ns.n is divisibleby 3 }}",
                        "{% extends 'base' %}{% block body %}{{ super() }}{% endblock %}",
                        "{% from 'macros' import field, box as b %}{{ field('x', size=4) }}{% call b(1) %}{% endcall %}",
                        "{% include ['none', 'part.html'] %}{% include 'none' ignore missing %}",
                    ],
                );
            }

            #[test]
            fn rejects_by_syntax() {
                judge::rejects_by_syntax(
                    run,
                    is_syntax_error,
                    &[
                        "{{",
                        "{{ }}",
                        "{% if %}{% endif %}",
                        "{% endif %}",
                        "{% for x in y %}",
                        "{{ f(a=1, 2) }}",
                        "{{ '\\x' }}",
                        "{% set none = 1 %}",
                        "{% raw %}",
                        "{{ 1else }}",
                    ],
                );
            }

            #[test]
            fn rejects_by_meaning() {
                let deep = format!("{{{{ {}1{} }}}}", "(".repeat(200), ")".repeat(200));
                judge::rejects_by_meaning(
                    run,
                    is_syntax_error,
                    &[
                        "{{ a.b.c }}",
                        "{{ 1 // 0 }}",
                        "{{ 1|nothing }}",
                        "{{ [] + 1 }}",
                        "{% block a %}{% endblock %}{% block a %}{% endblock %}",
                        "{% for a in range(90000) %}{{ a }}{% endfor %}",
                        "{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}",
                        "{% include 'none' %}",
                        &deep,
                    ],
                );
            }
        }
    };
}

/// MiniJinja 3.0.5.
#[cfg(feature = "jinja")]
pub mod new {
    subject!(minijinja);
}

/// MiniJinja 2.12.0, which has known faults.
#[cfg(feature = "jinja_old")]
pub mod old {
    subject!(minijinja_old);
}

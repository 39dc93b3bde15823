//! The subject `graphql`: apollo-compiler reads a GraphQL document and validates it.
//!
//! A text with type system definitions is a schema, and may contain operations on it. A text
//! without them is a document of operations on the schema [`SCHEMA`], whose names are in the
//! grammar. A text is valid if apollo-compiler accepts it. A valid text is then serialized and read
//! again: the document must be equal, and the schema and the operations, which are serialized from
//! other trees, must still be valid.

use apollo_compiler::ast::{Definition, Document};
use apollo_compiler::parser::Parser;
use apollo_compiler::schema::ExtendedType;
use apollo_compiler::validation::{DiagnosticList, Valid};
use apollo_compiler::{ExecutableDocument, Schema};
use std::sync::LazyLock;

/// The schema for texts without type system definitions: a type of each kind, and a field of each
/// type.
const SCHEMA: &str = "
    directive @d(x: Int, v: E) repeatable on QUERY | MUTATION | SUBSCRIPTION | FIELD | FRAGMENT_DEFINITION
        | FRAGMENT_SPREAD | INLINE_FRAGMENT | VARIABLE_DEFINITION
    directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
    interface M { i(x: Int): Int }
    interface N implements M { i(x: Int): Int  n: N }
    type Query implements N & M {
        i(x: Int): Int  n: N  s(y: String): String  b: Boolean  f(x: Float): Float  d(x: ID): ID  e(v: E): E
        o(z: In): O  l(x: [Int!]): [O!]!  u: U  q: Query  w: S
    }
    type O implements N & M { i(x: Int): Int  n: N  s(y: String): String  o(z: In): O  l: [[Int]] }
    union U = Query | O
    enum E { A B }
    input In { a: Int  b: String! = \"\"  c: E  in: In  l: [Int!]  w: S }
    scalar S
    type Mutation { i(x: Int): Int  o(z: In): O }
    type Subscription { i(x: Int): Int  o(z: In): O }";

static VALID_SCHEMA: LazyLock<Valid<Schema>> =
    LazyLock::new(|| Schema::parse_and_validate(SCHEMA, "schema").expect("the schema is valid"));

/// Parses and validates the text, then serializes a valid text and reads it again.
///
/// # Panics
///
/// If apollo-compiler reads its own output as another document, or finds it invalid.
pub fn run(text: &str) -> Result<(), String> {
    outcome(text).map(drop)
}

/// Does what [`run`] does. Returns the numbers of operations and fragments, the kinds of the
/// operations, and for a schema the numbers of types of each kind, of their members, and of directives.
/// The order of definitions and the selections are not part of the outcome.
///
/// # Panics
///
/// In the same cases as [`run`].
pub fn outcome(text: &str) -> Result<String, String> {
    let document = parse(text)?;
    if document.definitions.iter().all(is_executable) {
        let executable = document
            .to_executable_validate(&VALID_SCHEMA)
            .map_err(|error| message(&error.errors))?;
        same_document(&document);
        still_valid(&executable, &VALID_SCHEMA);
        Ok(summary(&executable))
    } else {
        let (schema, executable) = document
            .to_mixed_validate()
            .map_err(|errors| message(&errors))?;
        same_document(&document);
        let written = schema.to_string();
        match Schema::parse_and_validate(&*written, "written") {
            Ok(schema) => still_valid(&executable, &schema),
            Err(error) => panic!(
                "the schema is written as {written}, which is invalid: {}",
                message(&error.errors)
            ),
        }
        Ok(schema_summary(&schema) + &summary(&executable))
    }
}

/// Returns the kinds of the operations, sorted, and the number of fragments.
fn summary(document: &ExecutableDocument) -> String {
    let mut kinds: Vec<_> = document
        .operations
        .iter()
        .map(|operation| operation.operation_type.to_string())
        .collect();
    kinds.sort_unstable();
    format!("{kinds:?}, {} fragments", document.fragments.len())
}

/// Returns the kind and the number of members of each type, sorted, and the number of directives.
fn schema_summary(schema: &Schema) -> String {
    let mut types: Vec<_> = schema
        .types
        .values()
        .filter(|of| !of.is_built_in())
        .map(|of| match of {
            ExtendedType::Scalar(_) => ("scalar", 0),
            ExtendedType::Object(of) => ("type", of.fields.len()),
            ExtendedType::Interface(of) => ("interface", of.fields.len()),
            ExtendedType::Union(of) => ("union", of.members.len()),
            ExtendedType::Enum(of) => ("enum", of.values.len()),
            ExtendedType::InputObject(of) => ("input", of.fields.len()),
        })
        .collect();
    types.sort_unstable();
    let directives = schema
        .directive_definitions
        .values()
        .filter(|of| !of.is_built_in())
        .count();
    format!("{types:?}, {directives} directives, ")
}

fn parse(text: &str) -> Result<Document, String> {
    Parser::new()
        .parse_ast(text, "text")
        .map_err(|error| message(&error.errors))
}

fn is_executable(definition: &Definition) -> bool {
    matches!(
        definition,
        Definition::OperationDefinition(_) | Definition::FragmentDefinition(_)
    )
}

fn same_document(document: &Document) {
    let written = document.to_string();
    match parse(&written) {
        Ok(again) => assert!(
            again == *document,
            "written as {written}, another document is read"
        ),
        Err(error) => panic!("written as {written}, it is rejected: {error}"),
    }
}

fn still_valid(executable: &Valid<ExecutableDocument>, schema: &Valid<Schema>) {
    if executable.operations.is_empty() && executable.fragments.is_empty() {
        return;
    }
    let written = executable.to_string();
    if let Err(error) = ExecutableDocument::parse_and_validate(schema, &*written, "written") {
        panic!(
            "written as {written}, it is invalid: {}",
            message(&error.errors)
        );
    }
}

/// Returns the first error of the list with its position.
fn message(errors: &DiagnosticList) -> String {
    let error = errors.iter().next().expect("who fails tells why");
    match error.line_column_range() {
        Some(range) => format!(
            "{} at {}:{}",
            error.error, range.start.line, range.start.column
        ),
        None => error.error.to_string(),
    }
}

/// Returns whether a message of [`run`] means that GraphQL's grammar does not derive the text.
/// apollo-compiler marks such messages; its limits on nesting and tokens have others.
pub fn is_syntax_error(message: &str) -> bool {
    message.starts_with("syntax error: ")
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
                "{ i }",
                "query A($x: Int = 1) { i(x: $x) ...F } fragment F on Query { o(z: {a: 1}) { l } }",
                "subscription { i(x: -2147483648) }",
                "type Query { \"\"\"\n  a\n   \\\"\"\"\n\"\"\" a(x: [Int!] = [1 2]): String @deprecated(reason: \"\\u{1F600}\") }",
                "type Query { a: U } type A implements I { b: Int! } interface I { b: Int } union U = A",
                "type Query { a(x: E = B): Float } enum E { A B } query { a(x: A) }",
                SCHEMA,
            ],
        );
    }

    #[test]
    fn outcomes_are_numbers() {
        assert_eq!(
            outcome(
                "subscription S { i } query A { ...F } query B { b } fragment F on Query { i }"
            )
            .unwrap(),
            "[\"query\", \"query\", \"subscription\"], 1 fragments"
        );
        assert_eq!(
            outcome("type Query { a: E } enum E { A B } extend enum E { C } directive @d on FIELD")
                .unwrap(),
            "[(\"enum\", 3), (\"type\", 1)], 1 directives, [], 0 fragments"
        );
    }

    #[test]
    fn rejects_by_syntax() {
        judge::rejects_by_syntax(
            run,
            is_syntax_error,
            &[
                "",
                "{ }",
                "{ a",
                "query { a(x: ) }",
                "type A { a }",
                "{ a(x: 01) }",
                "{ a(x: 1.) }",
                "{ a(x: \"\\u{110000}\") }",
                "{ a(x: \"\\ud800\") }",
                "enum E { true }",
                "fragment on on A { a }",
                "extend type A",
                "directive @a on NOWHERE",
            ],
        );
    }

    #[test]
    fn rejects_by_meaning() {
        let deep = "{ q".repeat(600) + &"}".repeat(600);
        judge::rejects_by_meaning(
            run,
            is_syntax_error,
            &[
                "{ nothing }",
                "{ i { a } }",
                "{ o }",
                "{ i(x: 2147483648) }",
                "{ i(x: 1) i(x: 2) }",
                "query ($x: Int) { i }",
                "{ ...F }",
                "fragment F on Query { i }",
                "type A { a: Int }",
                "type Query { a: B }",
                "type Query { a: Int a: Int }",
                "type Query implements I { a: Int } interface I { b: Int }",
                "extend type Query { a: Int }",
                "type Query { a: Int } { b }",
                &deep,
            ],
        );
    }
}

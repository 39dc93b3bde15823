//! The subject `cedar`: Cedar reads a set of policies and validates it against one fixed schema, in
//! strict mode.
//!
//! A text is valid if Cedar reads it and no policy has an error. Warnings, such as that a policy
//! never applies, are not errors. Cedar recurses as deep as a text nests, so texts that are too
//! long or nest too deep are refused, as an error of meaning.

use crate::bound::bound;
use cedar_policy_core::extensions::Extensions;
use cedar_policy_core::parser::err::ParseError;
use cedar_policy_core::parser::parse_policyset;
use cedar_policy_core::validator::{ValidationMode, Validator, ValidatorSchema};
use std::sync::OnceLock;

/// The schema: two types of principals with the same attributes, one of each type, and two types of
/// resources.
const SCHEMA: &str = r#"
    type Home = { city: String, zip?: Long };
    entity Org;
    entity Color enum ["red", "green"];
    entity Team in [Org] { name: String, lead?: User };
    entity User in [Team, Org] {
        name: String, age: Long, admin: Bool, ip: ipaddr, rate: decimal, since: datetime, quota: duration, team: Team,
        roles: Set<String>, scores: Set<Long>, teams: Set<Team>, home: Home, color: Color, nick?: String, level?: Long,
        boss?: User, job: String,
    } tags String;
    entity Service in [Team] {
        name: String, age: Long, admin: Bool, ip: ipaddr, rate: decimal, since: datetime, quota: duration, team: Team,
        roles: Set<String>, scores: Set<Long>, teams: Set<Team>, home: Home, color: Color, nick?: String, level?: Long,
        key: Long,
    } tags String;
    entity Album in [Album] {
        title: String, size: Long, public: Bool, owner: User, labels: Set<String>, made: datetime, viewers: Set<User>,
        price?: decimal, place: { lat: Long, note?: String },
    } tags Set<String>;
    entity Photo in [Album] {
        title: String, size: Long, public: Bool, owner: User, labels: Set<String>, made: datetime, viewers: Set<User>,
        price?: decimal, place: { lat: Long, note?: String }, album: Album,
    } tags Set<String>;
    type Request = {
        mfa: Bool, ip: ipaddr, now: datetime, count: Long, path: String, tags: Set<String>, limit: decimal,
        session?: { id: String, left: duration },
    };
    action all;
    action read in [all];
    action write in [all];
    action view in [read] appliesTo { principal: [User, Service], resource: [Photo, Album], context: Request };
    action edit in [write] appliesTo { principal: [User, Service], resource: [Photo, Album], context: Request };
    action "upload it" in [write, read] appliesTo { principal: [User], resource: [Album], context: Request };
"#;

/// The maximum bytes of a text, and the maximum depth of its brackets. With them the stack of a
/// process suffices, as the last test shows.
const LONGEST: usize = 4_000;
const DEEPEST: usize = 50;

/// Prefixes of the reader's messages, and of those among them that are about syntax.
const READ: &str = "read: ";
const SYNTAX: &str = "syntax: ";

/// Reads the text and validates its policies.
pub fn run(text: &str) -> Result<(), String> {
    bound(text, LONGEST, DEEPEST)?;
    let policies = parse_policyset(text).map_err(|errors| {
        let syntax = errors.iter().find(|error| is_about_syntax(error));
        match syntax {
            Some(error) => format!("{SYNTAX}{error}"),
            None => format!("{READ}{}", errors.iter().next().expect("there is an error")),
        }
    })?;
    static VALIDATOR: OnceLock<Validator> = OnceLock::new();
    let result = VALIDATOR
        .get_or_init(validator)
        .validate(&policies, ValidationMode::Strict);
    match result.validation_errors().next() {
        Some(error) => Err(error.to_string()),
        None => Ok(()),
    }
}

fn validator() -> Validator {
    let schema = ValidatorSchema::from_cedarschema_str(SCHEMA, Extensions::all_available());
    Validator::new(schema.expect("the schema is one").0)
}

/// Parts of the messages about names and numbers of arguments, which Cedar checks while it reads.
/// They are from cedar-policy-core 4.14.1, `src/parser/err.rs` and `src/expr_builder.rs`.
const NOT_SYNTAX: [&str; 9] = [
    "is not a valid method",
    "is not a valid function",
    "is a method, not a function",
    "is a function, not a method",
    "requires exactly",
    "duplicate annotation",
    "duplicate key",
    "no fields",
    "does not have any methods",
];

fn is_about_syntax(error: &ParseError) -> bool {
    let message = error.to_string();
    !NOT_SYNTAX.iter().any(|part| message.contains(part))
}

/// Returns whether a message of [`run`] means that Cedar's grammar does not derive the text.
pub fn is_syntax_error(message: &str) -> bool {
    message.starts_with(SYNTAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge;

    #[test]
    fn accepts_valid_texts() {
        let policy = |condition: &str| {
            format!("permit(principal, action, resource) when {{ {condition} }};")
        };
        // The longest and deepest text that is allowed: the stack of a thread must suffice.
        let deep = policy(&("(".repeat(DEEPEST - 2) + "true" + &")".repeat(DEEPEST - 2)));
        let long = policy(&("1<1".to_owned() + &"+1".repeat(1_900)));
        let longer = policy(&("true".to_owned() + &"||true".repeat(640)));
        judge::accepts(
            run,
            &[
                "",
                "permit(principal, action, resource); // all\n",
                "@id(\"a\") forbid(principal is User in Team::\"t\", action in [Action::\"view\", Action::\"edit\"], resource)\n\
             when { principal.age + 1 > 2 * resource.size && principal.roles.contains(\"x\") }\n\
             unless { context.ip.isInRange(ip(\"10.0.0.0/8\")) || !(resource has price) };",
                "permit(principal == ?principal, action == Action::\"view\", resource in ?resource) when\n\
             { principal.hasTag(\"a\") && principal.getTag(\"a\") like \"x*\\*\" && context.now < datetime(\"2024-10-15\") };",
                "permit(principal, action, resource) when { principal is User && principal has boss.home.zip };",
                &deep,
                &long,
                &longer,
            ],
        );
    }

    #[test]
    fn rejects_by_syntax() {
        judge::rejects_by_syntax(
            run,
            is_syntax_error,
            &[
                "permit",
                "permit(principal, action, resource)",
                "allow(principal, action, resource);",
                "permit(principal, action);",
                "permit(principal, action, resource) when { };",
                "permit(principal, action, resource) when { 1 < 2 < 3 };",
                "permit(principal, action, resource) when { 6 / 3 };",
                "permit(principal, action, resource) when { name };",
                "permit(principal, action, resource) when { \"\\x\" == \"\" };",
            ],
        );
    }

    #[test]
    fn rejects_by_meaning() {
        judge::rejects_by_meaning(
            run,
            is_syntax_error,
            &[
                "permit(principal == Cat::\"c\", action, resource);",
                "permit(principal, action, resource) when { principal.nothing };",
                "permit(principal, action, resource) when { principal.nick == \"\" };",
                "permit(principal, action, resource) when { 1 };",
                "permit(principal, action, resource) when { principal.age == \"1\" };",
                "permit(principal, action, resource) when { ip(\"1.2.3\").isLoopback() };",
                "permit(principal, action, resource) when { principal.f() };",
                "permit(principal, action, resource) when { {a: 1, a: 2} == {a: 1} };",
                &" ".repeat(9_000),
            ],
        );
    }

    /// When the stack is nearly used up, Cedar stops checking and finds no error.
    #[test]
    fn checks_all_on_the_stack_of_a_process() {
        let members = format!(
            "permit(principal, action, resource) when {{ principal{} }};",
            ".a".repeat(1_900)
        );
        let thread = std::thread::Builder::new()
            .stack_size(8 << 20)
            .spawn(move || run(&members));
        let message = thread
            .expect("a thread can start")
            .join()
            .expect("no panic")
            .expect_err("no such attribute");
        assert!(!is_syntax_error(&message), "{message}");
    }
}

//! The subject `cedar`: Cedar reads a set of policies and validates it against one fixed schema, in
//! strict mode.
//!
//! A text is valid if Cedar reads it and no policy has an error. Warnings, such as that a policy
//! never applies, are not errors. Cedar recurses as deep as a text nests, so texts that are too
//! long or nest too deep are refused, as an error of meaning.

use crate::bound::bound;
use cedar_policy_core::ast::{
    Effect, EntityUID, PolicyID, PolicySet, Request, RequestSchemaAllPass, SlotId,
};
use cedar_policy_core::authorizer::Authorizer;
use cedar_policy_core::entities::{ContextJsonParser, Entities, EntityJsonParser, TCComputation};
use cedar_policy_core::evaluator::Evaluator;
use cedar_policy_core::extensions::Extensions;
use cedar_policy_core::parser::err::ParseError;
use cedar_policy_core::parser::parse_policyset;
use cedar_policy_core::validator::{
    CoreSchema, ValidationMode, Validator, ValidatorSchema, context_schema_for_action,
};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::OnceLock;

/// The schema: two types of principals and two types of resources. The principals have attributes of
/// every type.
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

/// The prefixes of the parser's messages: those about names and numbers of arguments, and those about
/// syntax.
const READ: &str = "read: ";
const SYNTAX: &str = "syntax: ";

/// The entities, with the names that the grammar uses.
const ENTITIES: &str = include_str!("cedar/entities.json");

/// The requests: the principal, the action, the resource, and the index of the context.
const REQUESTS: [(&str, &str, &str, usize); 8] = [
    ("User::a", "view", "Photo::a", 0),
    ("User::a", "edit", "Album::b", 1),
    ("User::b", "view", "Album::a", 1),
    ("User::b", "upload it", "Album::b", 0),
    ("Service::a", "view", "Photo::b", 1),
    ("Service::a", "edit", "Album::a", 0),
    ("Service::b", "view", "Photo::a", 0),
    ("User::a", "upload it", "Album::a", 1),
];

/// The contexts of the requests.
const CONTEXTS: [&str; 2] = [
    r#"{"mfa": true, "ip": "127.0.0.1", "now": "2024-10-15", "count": 1, "path": "k", "tags": ["a"], "limit": "1.5",
        "session": {"id": "a", "left": "1h"}}"#,
    r#"{"mfa": false, "ip": "::1", "now": "1970-01-01", "count": -3, "path": "", "tags": [], "limit": "0.0"}"#,
];

/// Reads the text and validates its policies.
pub fn run(text: &str) -> Result<(), String> {
    validated(text).map(drop)
}

/// Reads the text, validates its policies, and decides the requests. A policy with slots is linked
/// with one user and one album.
///
/// Returns a line for each request: the decision, and how many policies permit, forbid, and fail.
pub fn outcome(text: &str) -> Result<String, String> {
    let mut policies = validated(text)?;
    link(&mut policies);
    static WORLD: OnceLock<(Entities, Vec<Request>)> = OnceLock::new();
    let (entities, requests) = WORLD.get_or_init(world);
    let mut outcome = String::new();
    for request in requests {
        let evaluator = Evaluator::new(request.clone(), entities, Extensions::all_available());
        let [mut permit, mut forbid, mut fail] = [0; 3];
        for policy in policies.policies() {
            match (evaluator.evaluate(policy), policy.effect()) {
                (Ok(true), Effect::Permit) => permit += 1,
                (Ok(true), Effect::Forbid) => forbid += 1,
                (Ok(false), _) => (),
                (Err(_), _) => fail += 1,
            }
        }
        let response = Authorizer::new().is_authorized(request.clone(), &policies, entities);
        let (decision, errors) = (response.decision, response.diagnostics.errors.len());
        assert_eq!(
            errors, fail,
            "the authorizer reports the policies that fail"
        );
        writeln!(outcome, "{decision:?} {permit} {forbid} {fail}").expect("a string has room");
    }
    Ok(outcome)
}

/// Links each policy with slots.
fn link(policies: &mut PolicySet) {
    let templates: Vec<(PolicyID, Vec<SlotId>)> = policies
        .templates()
        .map(|template| {
            let slots = template.slots().map(|slot| slot.id).collect();
            (template.id().clone(), slots)
        })
        .collect();
    for (at, (template, slots)) in templates.into_iter().enumerate() {
        let value = |slot: SlotId| {
            let is_principal = slot == SlotId::principal();
            (slot, uid(if is_principal { "User::a" } else { "Album::a" }))
        };
        let values: HashMap<SlotId, EntityUID> = slots.into_iter().map(value).collect();
        let name = PolicyID::from_string(format!("linked {at}"));
        policies
            .link(template, name, values)
            .expect("each slot has a value");
    }
}

/// Returns an entity by its type and its name.
fn uid(text: &str) -> EntityUID {
    let (kind, name) = text.split_once("::").expect("there is a type");
    EntityUID::with_eid_and_type(kind, name).expect("the type is a name")
}

/// Reads the entities and the requests.
fn world() -> (Entities, Vec<Request>) {
    let schema = validator_schema();
    let core = CoreSchema::new(&schema);
    let extensions = Extensions::all_available();
    let parser = EntityJsonParser::new(Some(&core), extensions, TCComputation::ComputeNow);
    let entities = parser
        .from_json_str(ENTITIES)
        .expect("the entities fit the schema");
    let request = |(principal, action, resource, context): (&str, &str, &str, usize)| {
        let action = uid(&format!("Action::{action}"));
        let types = context_schema_for_action(&schema, &action).expect("the action is declared");
        let context = ContextJsonParser::new(Some(&types), extensions)
            .from_json_str(CONTEXTS[context])
            .expect("the context fits the schema");
        let [principal, resource] = [principal, resource].map(|text| (uid(text), None));
        let schema: Option<&RequestSchemaAllPass> = None;
        Request::new(
            principal,
            (action, None),
            resource,
            context,
            schema,
            extensions,
        )
        .expect("nothing checks the request")
    };
    (entities, REQUESTS.into_iter().map(request).collect())
}

/// Reads the text and validates its policies.
fn validated(text: &str) -> Result<PolicySet, String> {
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
        None => Ok(policies),
    }
}

fn validator() -> Validator {
    Validator::new(validator_schema())
}

fn validator_schema() -> ValidatorSchema {
    let schema = ValidatorSchema::from_cedarschema_str(SCHEMA, Extensions::all_available());
    schema.expect("the schema is one").0
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
    fn the_outcome_has_decisions() {
        let text = "permit(principal == ?principal, action, resource);\n\
            permit(principal is Service, action, resource) when { principal.age + 9223372036854775807 > 0 };\n\
            forbid(principal, action == Action::\"edit\", resource) when { context.count < 0 };";
        let outcome = outcome(text).expect("the text is valid");
        let lines: Vec<&str> = outcome.lines().collect();
        assert_eq!(
            lines,
            [
                "Allow 1 0 0",
                "Deny 1 1 0",
                "Deny 0 0 0",
                "Deny 0 0 0",
                "Deny 0 0 1",
                "Deny 0 0 1",
                "Allow 1 0 0",
                "Allow 1 0 0"
            ]
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

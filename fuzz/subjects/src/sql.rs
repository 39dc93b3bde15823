//! The subject `sql`: turso runs a script of SQL statements on an empty database in memory.
//!
//! A text is valid if it parses and each of its statements is prepared and steps to its end without
//! an error. turso's own parser first reads the whole text, so that a syntax error is found at any
//! position. Statements that take too long are stopped. Texts that nest too deep, could take too
//! much memory, or name files are refused before they are parsed. All of these are errors of
//! meaning.

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use turso::{Builder, Connection, Value};
use turso_parser::ast::{Cmd, Stmt};
use turso_parser::lexer::Lexer;
use turso_parser::parser::Parser;
use turso_parser::token::TokenType;

/// The prefix of the parser's messages.
const PARSE: &str = "parse: ";

/// The maximum bytes of a text, the maximum depth of brackets and `case`, and the maximum number of
/// operators in a sequence: turso recurses as deep as an expression nests.
const LONGEST: usize = 4_000;
const DEEPEST: usize = 50;
const OPERATORS: usize = 200;

/// The maximum number of turso's steps. A statement takes some hundreds, and some for each row.
const STEPS: u32 = 200_000;

/// The maximum number of combinations of rows in a statement, if each source has the rows of its
/// VALUES, or else two. turso also examines every subset of the joined sources without counting
/// steps.
const ROWS: usize = 10_000;

/// The maximum number of operators and functions in a text that build strings from strings. An update
/// with one of them may double a string.
const DOUBLINGS: usize = 20;

/// Words of scripts whose rows may depend on more than their meaning: on the order in which rows are
/// read, on the text of the script, on random numbers, or on the time.
const UNDETERMINED: [&str; 15] = [
    "limit",
    "group_concat",
    "string_agg",
    "_group_",
    "schema",
    "master",
    "cdc",
    "random",
    "uuid",
    "changes",
    "rowid",
    "stat1",
    "current_",
    "now",
    "explain",
];

/// The maximum bytes of an outcome.
const OUTCOME: usize = 100_000;

/// Parses the text and runs its statements one after the other.
pub fn run(text: &str) -> Result<(), String> {
    outcome(text).map(drop)
}

/// Parses the text and runs its statements one after the other. Returns the rows of each, in the
/// order of their text. The outcome is empty if it may depend on more than the meaning of the text.
pub fn outcome(text: &str) -> Result<String, String> {
    bound(text)?;
    let statements = parse(text)?;
    let run = || {
        wait(async {
            let database = Builder::new_local(":memory:").build().await?;
            let connection = database.connect()?;
            let mut outcome = String::new();
            for statement in statements {
                step(&connection, statement, &mut outcome).await?;
            }
            Ok::<_, turso::Error>(outcome)
        })
    };
    match meter::limited(STEPS, run) {
        Ok(Ok(_)) if is_undetermined(text) => Ok(String::new()),
        Ok(result) => result.map_err(|error| match error {
            turso::Error::SqlExecutionFailure(message) => message,
            error => error.to_string(),
        }),
        Err(meter::Empty) => Err("zester: too many steps".to_owned()),
    }
}

/// Bounds the steps of turso, which cannot be interrupted from within and does not count them.
///
/// Before most steps, such as that of a cursor, turso asks the tracing subscriber whether it is
/// interested. The answer is always no. After too many questions, this subscriber unwinds the stack
/// as a panic would, but without calling the panic hook.
mod meter {
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::Once;
    use tracing::span::{Attributes, Id, Record};
    use tracing::subscriber::{Interest, Subscriber, set_global_default};
    use tracing::{Event, Metadata};

    pub struct Empty;

    // There is no limit outside of `limited`, and none while the stack is unwound, because dropping
    // values also takes steps.
    thread_local!(static LEFT: Cell<Option<u32>> = const { Cell::new(None) });

    /// Runs the function with a maximum number of steps.
    pub fn limited<T>(steps: u32, function: impl FnOnce() -> T) -> Result<T, Empty> {
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(|| set_global_default(Meter).expect("no other traces turso"));
        LEFT.set(Some(steps));
        let result = catch_unwind(AssertUnwindSafe(function));
        LEFT.set(None);
        result.map_err(|panic| match panic.downcast::<Empty>() {
            Ok(empty) => *empty,
            Err(panic) => resume_unwind(panic),
        })
    }

    struct Meter;

    impl Subscriber for Meter {
        fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
            Interest::sometimes()
        }

        fn enabled(&self, _: &Metadata<'_>) -> bool {
            if let Some(left) = LEFT.get() {
                LEFT.set(left.checked_sub(1));
                if left == 0 {
                    resume_unwind(Box::new(Empty));
                }
            }
            false
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &Event<'_>) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }
}

/// Returns the text of each statement.
fn parse(text: &str) -> Result<Vec<&str>, String> {
    let (mut parser, mut statements, mut start) = (Parser::new(text.as_bytes()), Vec::new(), 0);
    while let Some(command) = parser
        .next_cmd()
        .map_err(|error| format!("{PARSE}{error}"))?
    {
        let (Cmd::Stmt(statement) | Cmd::Explain(statement) | Cmd::ExplainQueryPlan(statement)) =
            command;
        if matches!(
            statement,
            Stmt::Attach { .. } | Stmt::Detach { .. } | Stmt::Vacuum { .. }
        ) {
            return Err("zester: files".to_owned());
        }
        statements.push(&text[start..parser.offset()]);
        start = parser.offset();
    }
    Ok(statements)
}

/// Returns whether a token of the text contains a word of [`UNDETERMINED`]. Comments do not count.
fn is_undetermined(text: &str) -> bool {
    let mut tokens = Lexer::new(text.as_bytes()).map_while(Result::ok);
    tokens.any(|token| {
        let is_comment = token.token_type.is_none();
        let token = String::from_utf8_lossy(token.value).to_ascii_lowercase();
        !is_comment && UNDETERMINED.iter().any(|word| token.contains(word))
    })
}

/// Runs a statement, and appends its rows to the outcome.
async fn step(
    connection: &Connection,
    statement: &str,
    outcome: &mut String,
) -> Result<(), turso::Error> {
    let mut rows = connection.query(statement, ()).await?;
    let (mut lines, mut size) = (Vec::new(), outcome.len());
    while let Some(row) = rows.next().await? {
        if size > OUTCOME {
            continue;
        }
        let mut line = String::new();
        for column in 0..row.column_count() {
            let value = match row.get_value(column)? {
                // The last digits of a sum depend on the order of its terms.
                Value::Real(number) => format!("{number:.11e}"),
                value => format!("{value:?}"),
            };
            line = line + &value + " | ";
        }
        size += line.len();
        lines.push(line);
    }
    lines.sort_unstable();
    *outcome += &lines.join("\n");
    outcome.push('\n');
    Ok(())
}

/// Polls until the statement is done: a database in memory never waits for anything else.
fn wait<T>(future: impl Future<Output = T>) -> T {
    let (mut future, mut context) = (pin!(future), Context::from_waker(Waker::noop()));
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}

/// The clause that the commas and brackets of a nesting level belong to.
#[derive(Clone, Copy, PartialEq)]
enum Clause {
    From,
    Values,
    Other,
}

/// Refuses a text that loads code, nests too deep, or could take too much time or memory where
/// turso counts no steps: in combinations of rows from VALUES and functions, and in texts that are
/// doubled repeatedly.
fn bound(text: &str) -> Result<(), String> {
    let refuse = |why: &str| Err(format!("zester: {why}"));
    if text.len() > LONGEST {
        return refuse("too long");
    }
    if text.to_ascii_lowercase().contains("load_extension") {
        return refuse("files");
    }
    let (mut levels, mut cases, mut doublings) = (vec![Clause::Other], 0_usize, 0);
    let (mut operators, mut sources, mut rows) = (0, 0, 2_usize);
    for token in Lexer::new(text.as_bytes()).map_while(Result::ok) {
        let Some(kind) = token.token_type else {
            continue;
        };
        let level = levels
            .last_mut()
            .expect("closing brackets leave the outermost level");
        match kind {
            TokenType::TK_LP => {
                rows += usize::from(*level == Clause::Values);
                levels.push(Clause::Other);
            }
            TokenType::TK_RP => levels.truncate((levels.len() - 1).max(1)),
            TokenType::TK_FROM | TokenType::TK_JOIN => {
                sources += 1;
                *level = Clause::From;
            }
            TokenType::TK_COMMA if *level == Clause::From => sources += 1,
            TokenType::TK_VALUES => *level = Clause::Values,
            TokenType::TK_WHERE
            | TokenType::TK_GROUP
            | TokenType::TK_ORDER
            | TokenType::TK_SET
            | TokenType::TK_SELECT => {
                *level = Clause::Other;
            }
            TokenType::TK_CASE => cases += 1,
            TokenType::TK_END => cases = cases.saturating_sub(1),
            TokenType::TK_CONCAT => doublings += 1,
            TokenType::TK_ID if doubles(token.value) => doublings += 1,
            TokenType::TK_SEMI => {
                (levels, cases) = (vec![Clause::Other], 0);
                (operators, sources, rows) = (0, 0, 2);
            }
            _ => (),
        }
        operators += usize::from(operator(kind));
        if levels.len() + cases > DEEPEST || operators > OPERATORS {
            return refuse("too deep");
        }
        if rows.saturating_pow(sources) > ROWS {
            return refuse("too many rows");
        }
        if doublings > DOUBLINGS {
            return refuse("too much text");
        }
    }
    Ok(())
}

/// Returns whether the name is that of a function that makes longer texts.
fn doubles(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with(b"json")
        || [
            &b"concat"[..],
            b"concat_ws",
            b"format",
            b"group_concat",
            b"hex",
            b"printf",
            b"quote",
            b"string_agg",
        ]
        .contains(&&name[..])
}

/// Returns whether the token is an operator, which nests the expression before or after it.
fn operator(kind: TokenType) -> bool {
    use TokenType::*;
    matches!(
        kind,
        TK_AND
            | TK_BETWEEN
            | TK_BITAND
            | TK_BITNOT
            | TK_BITOR
            | TK_COLLATE
            | TK_CONCAT
            | TK_EQ
            | TK_GE
            | TK_GT
            | TK_IN
            | TK_IS
            | TK_ISNULL
            | TK_LE
            | TK_LIKE_KW
            | TK_LSHIFT
            | TK_LT
            | TK_MATCH
            | TK_MINUS
            | TK_NE
            | TK_NOT
            | TK_NOTNULL
            | TK_OR
            | TK_PLUS
            | TK_PTR
            | TK_REM
            | TK_RSHIFT
            | TK_SLASH
            | TK_STAR
    )
}

/// Prefixes of the parser's messages about broken rules other than syntax: SQLite's diagrams derive
/// the texts. They are from turso_parser 0.3.2, `src/parser.rs`, the errors `Custom`.
const NOT_SYNTAX: [&str; 8] = [
    "duplicate column name: ",
    "all VALUES must have the same number of terms",
    "must have at least one non-generated column",
    "unknown datatype for ",
    "missing datatype for ",
    "PRIMARY KEY missing on table ",
    "temporary table name must be unqualified",
    "Cannot add a ",
];

/// Returns whether a message of [`run`] means that SQLite's grammar does not derive the text.
pub fn is_syntax_error(message: &str) -> bool {
    let Some(message) = message.strip_prefix(PARSE) else {
        return false;
    };
    // … values for … columns; expected … columns for … but got …
    let counts = message.ends_with(" columns") && message.contains(" values for ")
        || message.contains(" columns for ");
    !counts && !NOT_SYNTAX.iter().any(|start| message.starts_with(start))
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
                ";; -- nothing\n /* at all */",
                "create table t(a integer primary key, b text collate nocase not null default 'x', c); create index i on t(b desc);\
             insert into t(b) values ('p'), ('q') on conflict(a) do update set b = excluded.b returning a, *;\
             select x.b, count(*) over (partition by x.c order by a) from t as x left join t as y using (a) \
             where y.b like 'p%';",
                "begin; create table t(a); insert into t values (1), (2.5), (x'00'), (null); commit; update t set a = a || 'z';\
             delete from t where a is null; select typeof(a), sum(a) from t group by a having count(*) > 0 order by 1 limit 3",
                "create table t(a); with s as (select 1 as a) select * from s where a in (1, 2); values (1, 2), (3, 4);\
             select 1 union select json_extract('{\"a\": [1]}', '$.a[0]'); pragma user_version = 3; explain select 1",
                // The deepest text that is allowed: the stack of a thread must suffice.
                &format!(
                    "select {}1{}",
                    "abs(".repeat(DEEPEST - 1),
                    ")".repeat(DEEPEST - 1)
                ),
                &format!("select 1{}", " + 1".repeat(OPERATORS - 1)),
                &format!("select {}1", "not ".repeat(OPERATORS - 1)),
                &format!(
                    "{}1{}",
                    "select (".repeat(DEEPEST - 1),
                    ")".repeat(DEEPEST - 1)
                ),
                &format!(
                    "select {}1{}",
                    "case when 1 then ".repeat(DEEPEST - 1),
                    " end".repeat(DEEPEST - 1)
                ),
            ],
        );
    }

    #[test]
    fn outcomes_are_rows() {
        let text =
            "create table t(a, b); insert into t values (2, 'x'), (1, 0.5); select a, b from t";
        let rows = outcome(text).unwrap();
        assert!(rows.starts_with("\n\nInteger(1) | 5.0"), "{rows}");
        assert_eq!(outcome("select 1 limit 1").unwrap(), "");
        assert_eq!(outcome("select 1 -- now\n"), outcome("select 1"));
    }

    #[test]
    fn rejects_by_syntax() {
        judge::rejects_by_syntax(
            run,
            is_syntax_error,
            &[
                "select",
                "select 1 1",
                "create table t(a; select 1",
                "select 'a",
                "select 1e",
                "select x'0'",
                "insert into t values",
                "create table t(a) rowid",
                "select * from a inner outer join b",
                // A syntax error is found at any position.
                "select nothing; select (",
            ],
        );
    }

    #[test]
    fn rejects_by_meaning() {
        let deep = format!("select {}1{}", "(".repeat(99), ")".repeat(99));
        let fill = format!(
            "create table t(a); insert into t values (1){}",
            ", (1)".repeat(99)
        );
        judge::rejects_by_meaning(
            run,
            is_syntax_error,
            &[
                "select a",
                "select * from t",
                "create table t(a, a)",
                "values (1), (1, 2)",
                "create table t(a unique); insert into t values (1), (1)",
                "select json('{')",
                "savepoint a",
                "create trigger x after insert on t begin select 1; end",
                "attach ':memory:' as m",
                "select load_extension('x')",
                &format!(
                    "select 1 from sqlite_schema{}",
                    ", sqlite_schema".repeat(20)
                ),
                &format!(
                    "select 1 from (values (1){0}), (values (1){0}), (values (1){0})",
                    ", (1)".repeat(99)
                ),
                // Without a limit, this statement would run for years.
                &format!(
                    "{fill}; select count(*) from t as a, t as b, t as c, t as d, t as e, t as f, t as g, t as h, t as i"
                ),
                &deep,
                &"(".repeat(LONGEST),
                &" ".repeat(LONGEST + 1),
            ],
        );
    }
}

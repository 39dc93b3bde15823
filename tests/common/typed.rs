//! Random grammars of small languages with names, scopes and types. Unlike those of `random`, they
//! look like grammars that people write.

use super::Noise;

/// Returns the source of a random grammar. It has no errors.
pub fn source(noise: &mut Noise) -> String {
    let mut chance = |one_in: u64| noise.below(one_in) == 0;
    let bases = 2 + usize::from(chance(2)) + usize::from(chance(2));
    let names: Vec<String> = (0..bases).map(|at| format!("t{at}")).collect();
    let mut lines = vec![
        format!("@domain base = {} ;", names.join(" | ")),
        "@domain class = class{3} ;".into(),
        "@kind variable<type>: name, outer<type>: name, constant<base>: name ;".into(),
        "@kind function<type, type>: name, object<class>: name, type<class>: name ;".into(),
        "@kind member<class, type>: field, loop ;".into(),
        "@identifier name = [a-z]{1,4} ;".into(),
        "@identifier field = [A-Z]{1,2} ;".into(),
        "@skip blank = [ \\n]+ ;".into(),
        "@start program = statement* ;".into(),
        r#"term<t: type> = @use variable<t> | "(" term<t> ")" ;"#.into(),
        r#"term<t: type> = @use function<a, t> "(" term<a> ")" ;"#.into(),
        "term<t: base> = @use constant<t> ;".into(),
    ];
    let mut statements = vec![
        r#"";""#,
        r#""print" term<_> ";""#,
        r#""const" @declare constant<t> "=" term<t> ";""#,
    ];
    for (at, name) in names.iter().enumerate() {
        // Values of a type without a literal are only in names and in calls.
        if at == 0 || !chance(3) {
            lines.push(format!("term<{name}> = \"{at}\" ;"));
        }
        lines.push(format!("type<{name}> = \"{name}\" ;"));
    }
    let mut types = "base".to_string();
    if chance(2) {
        types.push_str(" | list<base>{2}");
        lines.push(r#"term<list<t>> = "[" ( term<t> ( "," term<t> )* )? "]" ;"#.into());
        lines.push(r#"term<t: type> = "first" term<list<t>> ;"#.into());
        lines.push(r#"type<list<t>> = "list" type<t> ;"#.into());
    }
    if chance(3) {
        types.push_str(" | pair<base, base>");
        lines.push(r#"term<pair<a, b>> = "<" term<a> "," term<b> ">" ;"#.into());
        lines
            .push(r#"term<t: base> = "left" term<pair<t, _>> | "right" term<pair<_, t>> ;"#.into());
    }
    if chance(3) {
        types.push_str(" | arrow<base, base>");
        lines.push(
            r#"term<arrow<a, r>> = "fun" @scope( @declare variable<a> "." term<r> ) ;"#.into(),
        );
        lines.push(r#"term<t: base> = "apply" term<arrow<a, t>> term<a> ;"#.into());
    }
    lines.insert(1, format!("@domain type = {types} ;"));
    if chance(3) {
        lines.push(r#"term<t0> = "widen" term<t1> ;"#.into());
    }
    statements.push(match noise.below(4) {
        0 => r#""let" @declare variable<t> "=" term<t> ";""#,
        1 => r#"@after( "let" @declare variable<t> "=" term<t> ";" )"#,
        2 => r#"@after( "let" @declare variable<t>, outer<t> "=" term<t> ";" )"#,
        _ => r#""let" @declare variable<t> ":" type<t> ";""#,
    });
    let mut chance = |one_in: u64| noise.below(one_in) == 0;
    if chance(2) {
        statements.push(
            r#""fn" @declare function<a, r> @scope( @declare variable<a> "{" statement* "return" term<r> "}" )"#,
        );
    }
    if chance(2) {
        statements.push(r#""{" @scope( statement* ) "}""#);
    }
    if chance(2) {
        statements.push(r#""outer" @declare outer<t> "=" term<t> ";""#);
        let uses = [
            r#""global" @use outer<t> @as variable<t> ";""#,
            r#""global" @use outer<t> @once @as variable<t> ";""#,
            r#""record" @scope( ( @after( @use outer<t> @once ":" term<t> ) "," )* ) ";""#,
        ];
        statements.push(uses[usize::from(chance(2)) + usize::from(chance(2))]);
    }
    if chance(2) {
        statements.push(r#""loop" @scope( @declare loop "{" statement* "}" )"#);
        statements.push(r#"@use loop "break" ";""#);
    }
    if chance(3) {
        statements
            .push(r##"@2 "raw" @capture hashes( "#"* ) "'" [x-z]{0,3} "'" @same hashes ";""##);
    }
    if chance(3) {
        statements.push(r#""pure" @scope( @hide variable<_> "{" statement* "}" )"#);
    }
    // Names that are hidden before a position of the same scope that may need them.
    let hiding = [
        r#""forget" @hide variable<t> "then" term<t> ";""#,
        r#""drop" term<t> @hide variable<t> ";""#,
        r#""after" drop term<t> ";""#,
        r#""both" statement statement term<_> ";""#,
        r#""twice" ( term<t> @hide variable<t> ){2} ";""#,
        r#""many" ( "!" term<t> @hide variable<t> )* ";""#,
        r#""again" @hide variable<t> @declare variable<t> "=" term<t> ";""#,
        r#""lost" @declare variable<t> drop "=" @use variable<t> ";""#,
        r#""none" @hide loop @use loop ";""#,
    ];
    if chance(2) {
        lines.push(
            r#"drop = "keep" | "drop" @hide variable<_> | "part" @hide variable<t0> ;"#.into(),
        );
        statements.extend(hiding.iter().filter(|_| chance(3)));
        statements.push(hiding[2]);
    }
    if chance(2) {
        statements.push(r#""class" class<_>"#);
        statements.push(r#""new" @use type<c> @declare object<c> ";""#);
        let member = r#"@declare member<c, t> ":" type<t> ";""#;
        lines.push(format!(
            r#"class<c: class> = @declare type<c> "{{" ( {member} )+ "}}" ;"#
        ));
        lines.push(r#"term<t: type> = @use object<c> "." @use member<c, t> ;"#.into());
    }
    lines.push(format!("statement = {} ;", statements.join(" | ")));
    lines.join("\n")
}

//! Grammars on which all properties are tested: those in `grammars/`, and degenerate ones.

// Each test program uses only a part of this module.
#![allow(dead_code)]

pub mod contract;
pub mod random;
pub mod stlc;
pub mod typed;

use std::path::Path;

use zester::bounds::Caps;
use zester::grammar::Grammar;
use zester::notation;

/// Reads a grammar. Panics if the source has errors.
pub fn grammar(name: &str, source: &str) -> Grammar {
    match notation::read(name, source.as_bytes(), &Caps::default()) {
        Ok((grammar, _)) => grammar,
        Err(report) => panic!("{report}"),
    }
}

/// Returns the shipped grammars.
pub fn shipped() -> Vec<(String, Grammar)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammars");
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let read = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let source = std::fs::read_to_string(&path).unwrap();
        (name.clone(), grammar(&name, &source))
    };
    files.into_iter().map(read).collect()
}

/// Returns degenerate grammars: empty, huge, ambiguous, or with unusual layout.
pub fn degenerate() -> Vec<(String, Grammar)> {
    let words = |count: usize| {
        let all: Vec<String> = (0..count).map(|at| format!("\"{at}\"")).collect();
        format!("a = {} ;", all.join(" | "))
    };
    let doubling: String = (0..12)
        .map(|at| format!("a{at} = a{} a{} ;", at + 1, at + 1))
        .collect();
    let choosing: String = (0..40)
        .map(|at| format!("a{at} = a{} a{} | \"y\" ;", at + 1, at + 1))
        .collect();
    let cases: Vec<(&str, String)> = vec![
        ("a literal", "a = \"x\" ;".into()),
        ("the empty literal", "a = \"\" ;".into()),
        ("an empty rule", "a = ;".into()),
        ("forced", "a = b c b ; b = \"x\" \"y\" ; c = ( \"z\" ) ;".into()),
        ("empty parts", "a = \"\" | b \"x\" | b ; b = ( | \"y\" | \"\" ) ;".into()),
        ("left recursion", "a = a \"x\" | \"y\" ;".into()),
        ("right recursion", "a = \"x\" a | \"y\" ;".into()),
        ("both recursions", "a = a \"+\" a | \"(\" a \")\" | \"y\" ;".into()),
        ("hidden left recursion", "a = b a \"x\" | \"y\" ; b = \"z\"? ;".into()),
        ("1,000 alternatives", words(1_000)),
        ("70,000 alternatives", words(70_000)),
        ("a class of 100,000", "@token t = [\\u{21}-\\u{186C0}] ; a = t+ ;".into()),
        ("a class of wide characters", "@token t = [\\u{4E00}-\\u{9FFF}]{2,4} ; a = t t? ;".into()),
        ("a class of one", "@token t = [x]{0,300} ; a = t \"y\" ;".into()),
        ("a million", "a = \"x\"{0,1000000} \"y\" ;".into()),
        ("a million characters", "@token t = [a-z]{0,1000000} ; a = t ;".into()),
        ("an exact count", "a = \"x\"{7} ( \"y\" | \"z\" ){3} ;".into()),
        ("doubling", format!("{doubling} a12 = \"x\" ;")),
        ("doubling by choice", format!("{choosing} a40 = \"x\" ;")),
        ("nullable loops", "a = ( \"x\"? b* )* ; b = ( \"y\"? \"z\"? )+ | ( c* )* ; c = ( \"w\" | ){2,3} ;".into()),
        ("nullable recursion", "a = ( b a \"x\" | )* ; b = ( a \"-\" )? ;".into()),
        ("lower is larger", "s = a a a a a a a a | c ; a = \"a\" ; c = d ; d = \"ddddddddd\" ;".into()),
        ("layout", "@skip s = [ \\n]+ | \"//\" [^\\n]* \"\\n\" | \"/*\" c* \"*/\" ; @token c = [^*] | \"*\"+ [^*/] ; a = ( \"let\" n \"=\" e \";\" )* ; e = e \"/\" n | \"*\" n | n ; @token n = [a-z]+ ;".into()),
        ("layout without blanks", "@skip s = \"/*\" c* \"*/\" ; @token c = [^*/] ; a = w+ ; @token w = [a-z]+ | \"/\" ;".into()),
        ("nested comments", "@skip s = \" \" | c ; @token c = \"/*\" ( [^*/] | c )* \"*/\" ; a = ( \"x\" | \"/\" | \"*\" )* ;".into()),
        ("a comment to the end", "@skip s = \" \" | \"\\n\" | \"#\" [a-z]* ; a = ( \"x\" | \"y\" | \"1\" )* ;".into()),
        ("adjacency", "@skip s = \" \"+ ; a = \"<\" ~ n ( ~ \".\" ~ n? )* ~ b? \">\" ; b = \"!\"? ; @token n = [a-z]+ ;".into()),
        ("cases", "@skip s = \" \"+ ; a = ( \"select\"i | \"from-1\"i | \"\"i | \"1\"i )+ ;".into()),
        ("many letters", format!("a = \"{}\"i \"b\"i ;", "a".repeat(100))),
        ("names", "@skip s = \" \" ; @identifier n = ( [a-z] [a-z0-9]* ) - k ; @token k = \"if\" | \"a\" | \"else\" ; a = ( n | \"if\" n \"else\" )* ;".into()),
        ("two names", "@identifier n = \"yes\" | \"no\" ; a = n* ;".into()),
        ("wide names", "@identifier n = [\\u{3B1}-\\u{3C9}]+ ; a = n ( \" \" n )* ;".into()),
        ("exclusion", "@token s = [^\"]* - ( [^\"]* \"--\" [^\"]* ) ; a = \"<!--\" s \"-->\" ;".into()),
        ("bytes", "@bytes ; a = ( \"\\xFF\" | [\\x80-\\xFF] | [^a]{2} | [a-z]+ )* ;".into()),
        ("bytes with layout", "@bytes ; @skip s = \"\\x00\" ; a = ( t | \"\\xFF\" )* ; @token t = [\\x80-\\x90]+ ;".into()),
        ("lines", "@start f = n? s* ; s = x n | \"if\" x \":\" b | \"(\" x* \")\" n ; b = n @indent s+ @dedent ; @line n = ( [ ]* ( \"#\" [^\\n]* )? \"\\n\" )+ ; @brackets \"(\" \")\" ; @skip k = \" \" | \"\\t\"+ ; @identifier x = [a-z]+ - \"if\" ;".into()),
        ("lines without layout", "s = l* ; l = w n | \":\" n @indent l+ @dedent ; @line n = \"\\n\" ; @token w = [a-z]+ ;".into()),
        ("captures", "@skip k = \" \" ; s = \"<\" @capture t( n ) s* \"</\" ~ @same t \">\" | r | @capture x( [a-z]{1,3} ) \"=\" @same x \"=\" @same x \";\" ; @token n = [a-z]+ ; @token r = \"r\" @capture h( \"#\"* ) \"'\" ( [a-z] | r )* \"'\" @same h ;".into()),
        ("depth", "s = \"{\" s \"}\" | e | t ; e = e \"+\" f | f ; f = \"(\" e \")\" | \"[\" s \"]\" | \"1\" ; t = \"<\" t \">\" | \"<\" s \">\" | \"0\" ;".into()),
    ];
    cases
        .into_iter()
        .chain(named())
        .map(|(name, source)| (name.to_string(), grammar(name, &source)))
        .collect()
}

/// Returns the sources of grammars with names, scopes and arguments of rules.
fn named() -> Vec<(&'static str, String)> {
    let word = "@skip blank = [ \\n]+ ; @identifier name = [a-c] [a-c0-9]* ;";
    let kinds = |kinds: &str, rules: &str| format!("{word} @kind {kinds} ; {rules}");
    vec![
        ("declared names", kinds("variable: name", "@start s = d* ; d = \"let\" @declare variable \";\" | @use variable \";\" ;")),
        (
            "scopes",
            kinds(
                "variable: name, label: name, loop",
                r#"@start s = d* ; d = "let" @declare variable ";" | @use variable ":=" e ";" | "{" @scope( d* ) "}"
                   | "while" e @scope( @declare loop "{" ( @declare label ":" )? d* "}" ) | @use loop "break" ( @use label )? ";"
                   | "fn" @scope( @hide loop @hide label "(" ( @declare variable )* ")" d* "end" ) ;
                   e = @use variable | "[" e "+" e "]" | "(" e ")" | "1" ;"#,
            ),
        ),
        (
            "types",
            format!(
                "{word} {}",
                r#"@domain type = int | text | record{2} ; @domain plain = int | text ;
                   @kind variable<type>: name, function<plain, type>: name, field<type, plain>: name, class<type>: name ;
                   @start s = d* ;
                   d = let<_> | define<_, _> | "print" e<_> ";" | assign | class<record1> | class<record2> ;
                   let<t: type> = @after( "let" @declare variable<t> ":" type<t> "=" e<t> ";" ) ;
                   assign = @use variable<t> "=" e<t> ";" ;
                   class<r: type> = "class" @declare class<r> "{" ( @declare field<r, int> "," | @declare field<r, text> "," )* "}" ;
                   define<a: plain, r: type> = "fn" @declare function<a, r>
                       @scope( "(" @declare variable<a> ":" type<a> ")" type<r> "{" d* "return" e<r> "}" ) ;
                   type<int> = "int" ; type<text> = "text" ; type<record1> = @use class<record1> ; type<record2> = @use class<record2> ;
                   e<t: type> = @use variable<t> | call<_, t> | "if" e<int> "then" e<t> "else" e<t> ;
                   e<t: plain> = "[" e<r> "]" "." @use field<r, t> ;
                   e<int> = [0-9]+ | "[" e<int> "+" e<int> "]" | "len" e<text> ; e<text> = "'" ~ [a-z]* ~ "'" ;
                   e<record1> = "new" @use class<record1> ; e<record2> = "new" @use class<record2> ;
                   call<a: plain, r: type> = @use function<a, r> "(" e<a> ")" ;"#
            ),
        ),
        (
            "needed names",
            kinds(
                "variable: name, other: name",
                r#"@start s = "(" x ")" | ( @use variable "," )* ( @declare variable )? ( @declare other, variable )? y* ;
                   x = "<" x ">" | @use other "." x | @use variable ; y = "[" ( @use other | @use variable y? ) "]" ;"#,
            ),
        ),
        ("only needed names", kinds("variable: name", "@start s = x ; x = \"(\" x \")\" | @use variable ;")),
        ("one name", "@identifier n = \"x\" ; @kind v: n ; @start s = ( @declare v | \"!\" @use v | \"{\" @scope( s ) \"}\" )* ;".into()),
        (
            "values without names",
            "@domain b = zero{1} | one ; @start s = t<_, _>* ; t<x: b, zero1> = \"a\" t<x, one> | \"b\" ; t<x: b, one> = \"c\" u<x> | \"d\" t<x, zero1> ; u<one> = \"e\" ; u<zero1> = \"f\" \"[\" t<_, one>? \"]\" ;".into(),
        ),
    ]
}

/// Returns the degenerate and the shipped grammars.
pub fn all() -> Vec<(String, Grammar)> {
    let mut all = degenerate();
    all.extend(shipped());
    all
}

/// A random number generator (SplitMix64). Equal seeds give equal numbers.
pub struct Noise(pub u64);

impl Noise {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        // One in four results has only bytes below 8, which decode to other choices than large
        // bytes.
        let mask = if self.below(4) == 0 { 7 } else { 255 };
        (0..length).map(|_| self.next() as u8 & mask).collect()
    }

    /// Returns a length from 0 to `most`, roughly log-uniform.
    pub fn length(&mut self, most: u64) -> usize {
        let bits = self.below(u64::from(most.ilog2()) + 1);
        (self.below(1 << (bits + 1)) as usize).min(most as usize)
    }
}

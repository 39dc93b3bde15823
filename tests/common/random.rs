//! Small random grammars. Equal seeds give equal grammars.

use super::Noise;

/// The texts of literals. Some are prefixes of others, some are words, and some are the beginning
/// of a comment.
const LITERALS: [&str; 16] = [
    "a", "b", "ab", "x", "if", "(", ")", "+", "++", "/", "//", "-", "0", ",", "é", "",
];

/// The character classes.
const CLASSES: [&str; 7] = [
    "[a-c]",
    "[0-9]",
    "[^\\\"x]",
    "[a]",
    "[\\u{E0}-\\u{17F}]",
    "[\\u{4E00}-\\u{9FFF}]",
    "[\\-+*/]",
];

/// The maximum depth of nested groups inside a group.
const NESTING: u32 = 1;

/// A writer of random rules: the symbols that rules may refer to, and the random number generator.
struct Writer<'a> {
    noise: &'a mut Noise,
    rules: u64,
    tokens: u64,
    identifier: bool,
    /// The probability of a repetition or a group, in eighths.
    groups: u64,
    /// The probability of an empty sequence, in sixteenths.
    empty: u64,
    layout: bool,
    /// The probability of a capture in a sequence, in sixteenths.
    captures: u64,
    /// The number of captures so far.
    captured: u64,
    /// Whether rules have lines and indentation.
    lines: bool,
    /// Whether rules use and declare names.
    names: bool,
    /// The number of the rule that is written. Rules with odd numbers take an argument `p`.
    rule: u64,
}

/// Returns the source of a random grammar. Some sources have errors.
pub fn source(noise: &mut Noise) -> String {
    let (rules, tokens) = (1 + noise.below(5), noise.below(4));
    let (identifier, layout, bytes) = (
        noise.below(4) == 0,
        noise.below(2) == 0,
        noise.below(8) == 0,
    );
    let (groups, empty) = (noise.below(4), noise.below(4));
    let captures = [0, 0, 0, 1, 4][noise.below(5) as usize];
    let lines = !bytes && noise.below(6) == 0;
    let mut text = String::new();
    let names = identifier && noise.below(2) == 0;
    let mut writer = Writer {
        noise,
        rules,
        tokens,
        identifier,
        groups,
        empty,
        layout,
        captures,
        captured: 0,
        lines,
        names,
        rule: 0,
    };
    if bytes {
        text.push_str("@bytes ;\n");
    }
    if lines {
        text.push_str("@line nl = \"\\n\" ;\n");
        writer.layout = layout;
        if layout {
            text.push_str("@skip skip = \" \" ;\n");
        }
    } else if layout {
        text.push_str(match writer.noise.below(4) {
            0 => "@skip skip = [ \\n]+ ;\n",
            1 => "@skip skip = \" \" | \"//\" [^\\n]* \"\\n\" ;\n",
            2 => "@skip skip = \"\\n\" | \" \" | \"/*\" [a-z]* \"*/\" ;\n",
            _ => "@skip skip = \"#\" [a-c]{0,2} \"#\" ;\n",
        });
    }
    if identifier {
        text.push_str(match writer.noise.below(3) {
            0 => "@identifier name = [a-z]+ - ( \"if\" | \"a\" ) ;\n",
            1 => "@identifier name = \"yes\" | \"no\" ;\n",
            _ => "@identifier name = [a-c] [a-c0-9]* ;\n",
        });
    }
    for token in 0..tokens {
        // A random token refers only to later tokens, because most recursive tokens would be
        // refused. One recursive form is fixed.
        let body = match writer.noise.below(8) {
            0 => "( [a-c]* [0-9]? ) - \"a\"".into(),
            1 => "( \"x\" | \"xx\" | \"a\" [a-c]* ) - ( \"a\" [b]* )".into(),
            2 => format!("\"[\" ( t{token} | \"x\" )* \"]\""),
            _ => writer.alternatives(NESTING, Some(token)),
        };
        text.push_str(&format!("@token t{token} = {body} ;\n"));
    }
    if names {
        text.push_str(
            "@domain e = u | v ; @domain d = e | w | c<e> ; @kind k<d>: name, l<e, e>: name, m ;\n",
        );
    }
    for rule in 0..rules {
        writer.rule = rule;
        let body = writer.alternatives(0, None);
        let start = if rule == 0 { "@start " } else { "" };
        if writer.has_argument() {
            let more = writer.alternatives(0, None);
            let value = ["u", "v", "w", "p: e", "c<q>"][writer.noise.below(5) as usize];
            // A value has no variable, so the body must not use one.
            let more = match value {
                "p: e" => more,
                "c<q>" => more.replace("<p", "<q").replace(", p>", ", q>"),
                _ => more.replace("<p", "<u").replace(", p>", ", v>"),
            };
            text.push_str(&format!(
                "r{rule}<p: d> = {} ;\nr{rule}<{value}> = {more} ;\n",
                body.replace("l<p, ", "l<u, ").replace(", p>", ", v>")
            ));
        } else {
            text.push_str(&format!("{start}r{rule} = {body} ;\n"));
        }
    }
    text
}

impl Writer<'_> {
    /// Returns whether the rule that is written takes an argument.
    fn has_argument(&self) -> bool {
        self.names && self.rule % 2 == 1
    }

    /// Returns an argument of the domain `d`.
    fn argument(&mut self) -> &'static str {
        let variable = if self.has_argument() { "p" } else { "_" };
        let with_part = if self.has_argument() { "c<p>" } else { "c<_>" };
        ["u", "v", "_", variable, variable, with_part][self.noise.below(6) as usize]
    }

    /// Returns a use, a declaration or a scope.
    fn name(&mut self, depth: u32) -> String {
        let argument = self.argument();
        let fixed = if argument.contains('_') {
            "w"
        } else {
            argument
        };
        match self.noise.below(11) {
            0 | 1 => format!("@use k<{argument}>"),
            2 => format!("@declare k<{fixed}>"),
            3 => "@use l<_, v>".into(),
            4 => "@declare l<u, v>, k<u>".into(),
            5 => ["@declare m", "@use m", "@hide m", "@hide k<_>"][self.noise.below(4) as usize]
                .into(),
            6 if depth <= NESTING => format!("@scope( {} )", self.alternatives(depth + 1, None)),
            8 => match self.noise.below(3) {
                0 => format!("@use k<{argument}> @once"),
                1 => format!("@use k<{argument}> @once @as l<u, v>"),
                _ => format!("@use k<{argument}> @as l<u, v>"),
            },
            7 if depth <= NESTING => format!("@after( {} )", self.alternatives(depth + 1, None)),
            _ => "name".into(),
        }
    }

    fn chance(&mut self, eighths: u64) -> bool {
        self.noise.below(8) < eighths
    }

    /// Returns alternatives of a rule, or of a token if `token` is its number.
    fn alternatives(&mut self, depth: u32, token: Option<u64>) -> String {
        let count = 1 + self.noise.below(3);
        let mut all: Vec<String> = (0..count).map(|_| self.sequence(depth, token)).collect();
        if self.noise.below(8) == 0 {
            // The last alternative gets what is left, which may be nothing.
            for at in 0..all.len() - 1 {
                let percentage = ["@0%", "@30%", "@49.5%", "@50%"][self.noise.below(4) as usize];
                all[at] = format!("{percentage} {}", all[at]);
            }
        }
        all.join(" | ")
    }

    fn sequence(&mut self, depth: u32, token: Option<u64>) -> String {
        if self.chance(self.empty) && self.chance(4) {
            return String::new();
        }
        let count = 1 + self.noise.below(3);
        let mut all: Vec<String> = (0..count).map(|_| self.term(depth, token)).collect();
        while self.noise.below(16) < self.captures {
            self.captured += 1;
            let name = self.captured;
            let text = self.captured_text(token);
            let mut at = self.noise.below(all.len() as u64 + 1) as usize;
            all.insert(at, format!("@capture k{name}( {text} )"));
            for _ in 0..1 + self.noise.below(4) / 3 {
                at += 1 + self.noise.below((all.len() - at) as u64) as usize;
                all.insert(at, format!("@same k{name}"));
            }
        }
        if self.lines && token.is_none() && self.noise.below(3) == 0 {
            all.push("nl".into());
            if self.noise.below(2) == 0 {
                let block = self.item(None);
                all.push(format!("@indent ( \"b\" {block} nl )+ @dedent"));
            }
        }
        if depth > 0 && self.noise.below(12) == 0 {
            all.insert(0, format!("@{}", self.noise.below(4)));
        }
        all.join(" ")
    }

    /// Returns what a capture derives.
    fn captured_text(&mut self, token: Option<u64>) -> String {
        match self.noise.below(5) {
            0 => String::new(),
            1 => "[ab]{1,3}".into(),
            2 => "\"x\"? | \"xx\"".into(),
            3 => "\"=\"*".into(),
            _ => self.item(
                token
                    .or(Some(0))
                    .filter(|_| self.tokens > 0)
                    .or(Some(u64::MAX - 1)),
            ),
        }
    }

    fn term(&mut self, depth: u32, token: Option<u64>) -> String {
        let tilde = if token.is_none() && self.layout && self.noise.below(10) == 0 {
            "~ "
        } else {
            ""
        };
        let item = if self.names && token.is_none() && self.chance(3) {
            self.name(depth)
        } else if depth < NESTING + 1 && self.chance(self.groups) && self.chance(4) {
            format!("( {} )", self.alternatives(depth + 1, token))
        } else {
            self.item(token)
        };
        let repeated = if self.chance(self.groups) {
            ["?", "*", "+", "{2}", "{1,3}", "{0,300}"][self.noise.below(6) as usize]
        } else {
            ""
        };
        format!("{tilde}{item}{repeated}")
    }

    fn item(&mut self, token: Option<u64>) -> String {
        let literal = LITERALS[self.noise.below(LITERALS.len() as u64) as usize];
        let mut class = CLASSES[self.noise.below(CLASSES.len() as u64) as usize].to_string();
        if self.lines {
            // A token must not begin with a line feed, because it would be read instead of the end of
            // the line.
            class = class.replace("[^", "[^\\n");
        }
        match (self.noise.below(10), token) {
            (0, _) if literal.is_ascii() => format!("\"{literal}\"i"),
            (1 | 2, _) => class,
            (3 | 4, Some(token)) if token + 1 < self.tokens => {
                let other = token + 1 + self.noise.below(self.tokens - token - 1);
                format!("t{other}")
            }
            (3, None) if self.identifier => "name".into(),
            (3 | 4, None) if self.tokens > 0 => format!("t{}", self.noise.below(self.tokens)),
            (5..=8, None) => {
                let rule = self.noise.below(self.rules);
                if self.names && rule % 2 == 1 {
                    format!("r{rule}<{}>", self.argument())
                } else {
                    format!("r{rule}")
                }
            }
            _ => format!("\"{literal}\""),
        }
    }
}

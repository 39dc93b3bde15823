//! Texts of pest's stack in one sequence: which `PEEK` and `POP` read which `PUSH`.

use std::collections::HashMap;

use pest_meta::ast::Expr;

/// Whether a name reads the stack.
pub fn is_stack(name: &str) -> bool {
    matches!(name, "PEEK" | "POP" | "PEEK_ALL" | "POP_ALL" | "DROP")
}

/// Whether an expression uses the stack, not counting the rules in it.
pub fn is_used(expr: &Expr) -> bool {
    expr.iter_top_down().any(|part| match part {
        Expr::Push(_) | Expr::PeekSlice(..) => true,
        Expr::Ident(name) => is_stack(&name),
        _ => false,
    })
}

/// Whether a sequence leaves texts on the stack, or reads texts that were there before.
pub fn is_open(parts: &[&Expr]) -> bool {
    let mut depth = 0;
    for part in parts {
        match part {
            Expr::Push(_) => depth += 1,
            Expr::Ident(name) if name == "POP" && depth > 0 => depth -= 1,
            Expr::Ident(name) if name == "PEEK" && depth > 0 => {}
            Expr::Ident(name) if is_stack(name) => return true,
            _ => {}
        }
    }
    depth > 0
}

/// Returns a name for each `PUSH` of a sequence with the `PEEK` and the `POP` of the sequence that read it, by their
/// indices. `is_capture` tells whether a text may have a name.
pub fn names(parts: &[&Expr], is_capture: impl Fn(&Expr) -> bool) -> HashMap<usize, String> {
    let mut names = HashMap::new();
    let mut stack = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let push = match part {
            Expr::Push(text) => {
                stack.push(Some(at).filter(|_| is_capture(text)));
                None
            }
            Expr::Ident(name) if name == "POP" => stack.pop().flatten(),
            Expr::Ident(name) if name == "PEEK" => stack.last().copied().flatten(),
            _ => None,
        };
        if let Some(push) = push {
            let new = format!("text{}", push + 1);
            names.insert(at, names.get(&push).cloned().unwrap_or_else(|| new.clone()));
            names.entry(push).or_insert(new);
        }
    }
    names
}

//! Finds the name that is most similar to an undefined one, to suggest it.

/// The maximum number of pairs of letters that a pass compares to suggest names.
pub const COMPARISONS: usize = 1 << 26;

/// The name in `names` that is most similar to an undefined name. `None` if no name is similar, or
/// if the search would compare more than `comparisons` pairs of letters. The search subtracts the
/// number of compared pairs, and 1 for each name, from `comparisons`.
pub fn nearest<'a>(
    name: &str,
    names: impl Iterator<Item = &'a &'a str>,
    comparisons: &mut usize,
) -> Option<&'a str> {
    let max = 1 + name.len() / 4;
    let short = |name: &str| name.len() <= 100;
    let mut near: Option<(usize, &str)> = None;
    for other in names.filter(|other| short(name) && short(other)) {
        *comparisons = comparisons.checked_sub(1)?;
        if other.len().abs_diff(name.len()) > max {
            continue;
        }
        *comparisons = comparisons.checked_sub(name.len() * other.len())?;
        let distance = strsim::levenshtein(name, other);
        if distance <= max && near.is_none_or(|near| (distance, *other) < near) {
            near = Some((distance, other));
        }
    }
    near.map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::nearest;
    use crate::grammar::Kind;
    use crate::notation::testing::lowered;

    #[test]
    fn the_most_similar_name_is_suggested() {
        let names = ["statement", "term", "expression"];
        let near = |name: &str, mut work: usize| nearest(name, names.iter(), &mut work);
        assert_eq!(near("statment", 1_000), Some("statement"));
        assert_eq!(near("xyz", 1_000), None);
        assert_eq!(near("ter", 1_000), Some("term"));
        assert_eq!(near("statment", 10), None);
    }

    #[test]
    fn equal_tokens_are_one_terminal_at_several_positions() {
        let builder = lowered(r#"s = "a" t [x] "a" t [x] "a"i ; @token t = "b" ;"#);
        let terminals: Vec<u32> = builder
            .terminals
            .iter()
            .map(|terminal| terminal.0)
            .collect();
        // Number 0 is layout. Two classes are two terminals, even if they are equal.
        assert_eq!(terminals, [1, 2, 3, 1, 2, 4, 5]);
    }

    #[test]
    fn a_repeated_class_is_a_run_unless_layout_is_allowed_between_its_characters() {
        let count = |source: &str, is_kind: fn(&Kind) -> bool| {
            lowered(source)
                .symbols
                .iter()
                .filter(|symbol| is_kind(&symbol.kind))
                .count()
        };
        let is_run = |kind: &Kind| matches!(kind, Kind::Run { .. });
        let is_repeat = |kind: &Kind| matches!(kind, Kind::Repeat { .. });
        for (source, runs, repeats) in [
            ("s = [a-z]+ ;", 1, 0),
            ("s = ( [a-z] )+ ;", 0, 1),
            ("@skip w = \" \" ; s = [a-z]+ ;", 0, 2),
            ("@skip w = \" \" ; s = t ; @token t = [a-z]+ ;", 1, 1),
        ] {
            assert_eq!(
                (count(source, is_run), count(source, is_repeat)),
                (runs, repeats),
                "{source}"
            );
        }
    }
}

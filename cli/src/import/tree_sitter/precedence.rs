//! The precedences of the rules, which decide between two rules.

use std::cmp::Ordering;

use super::json::{Json, JsonValue};

/// The precedence of an alternative and its associativity.
#[derive(Clone, Debug, Default)]
pub struct RulePrecedence {
    value: PrecedenceValue,
    side: PrecedenceSide,
}

#[derive(Clone, Debug, Default, PartialEq)]
enum PrecedenceValue {
    #[default]
    None,
    Number(f64),
    Name(String),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PrecedenceSide {
    #[default]
    None,
    Left,
    Right,
}

impl RulePrecedence {
    /// The precedence of the content of a node, if `self` is the precedence outside of the node.
    pub fn within(&self, node: &Json) -> RulePrecedence {
        let side = match node.text_of("type").unwrap_or_default() {
            "PREC" => self.side,
            "PREC_LEFT" => PrecedenceSide::Left,
            "PREC_RIGHT" => PrecedenceSide::Right,
            _ => return self.clone(),
        };
        let value = match node.get("value").map(|value| &value.value) {
            Some(JsonValue::Number(number)) => PrecedenceValue::Number(*number),
            Some(JsonValue::Text(name)) => PrecedenceValue::Name(name.clone()),
            _ => PrecedenceValue::None,
        };
        RulePrecedence { value, side }
    }

    /// Whether the parser goes on if the precedences are equal.
    pub fn is_right(&self) -> bool {
        self.side == PrecedenceSide::Right
    }

    fn number(&self) -> f64 {
        match self.value {
            PrecedenceValue::Number(number) => number,
            _ => 0.0,
        }
    }
}

/// The orders of names in the member `precedences`.
pub struct Precedences<'a> {
    orders: Vec<&'a [Json]>,
}

impl<'a> Precedences<'a> {
    pub fn new(source: &'a Json) -> Precedences<'a> {
        let orders = source.get("precedences").map(Json::elements);
        let orders = orders.unwrap_or_default().iter().map(Json::elements);
        Precedences {
            orders: orders.collect(),
        }
    }

    /// Whether the parser goes on with the rule `outer` before it completes the rule `inner`, although
    /// it has read all of `inner`.
    pub fn goes_on(&self, inner: (&RulePrecedence, &str), outer: (&RulePrecedence, &str)) -> bool {
        match self.compare(inner, outer) {
            Ordering::Less => true,
            Ordering::Equal => inner.0.is_right(),
            Ordering::Greater => false,
        }
    }

    /// Whether the parser completes the rule `inner` although it could go on with the rule `outer`.
    pub fn completes(
        &self,
        inner: (&RulePrecedence, &str),
        outer: (&RulePrecedence, &str),
    ) -> bool {
        match self.compare(inner, outer) {
            Ordering::Less => false,
            Ordering::Equal => inner.0.side == PrecedenceSide::Left,
            Ordering::Greater => true,
        }
    }

    fn compare(&self, one: (&RulePrecedence, &str), other: (&RulePrecedence, &str)) -> Ordering {
        let numbers = (one.0.number(), other.0.number());
        if numbers != (0.0, 0.0) {
            return numbers.0.partial_cmp(&numbers.1).unwrap_or(Ordering::Equal);
        }
        let is = |entry: &Json, (precedence, rule): (&RulePrecedence, &str)| match entry
            .text_of("type")
            .unwrap_or_default()
        {
            "STRING" => matches!(&precedence.value, PrecedenceValue::Name(name)
                    if entry.text_of("value") == Some(name)),
            _ => entry.text_of("name") == Some(rule),
        };
        for order in &self.orders {
            let (mut saw_one, mut saw_other) = (false, false);
            for entry in *order {
                if is(entry, one) {
                    if saw_other {
                        return Ordering::Less;
                    }
                    saw_one = true;
                } else if is(entry, other) {
                    if saw_one {
                        return Ordering::Greater;
                    }
                    saw_other = true;
                }
            }
        }
        Ordering::Equal
    }
}

//! Binds the derivation of a text to the instances of a grammar with names and arguments.
//!
//! The chart is built with the erased grammar, whose rules take no arguments. An *instance* is a
//! symbol with values for its arguments. The binder gives each node an instance of its symbol, in
//! two passes:
//!
//! First, from the leaves to the root, it finds the instances that the subtree of each node fits.
//! Then, from the root and in the order of the text, it chooses the values of calls with `_`. Of
//! the values that fit, it takes those with the fewest undeclared names. Of several such values, it
//! takes the one with the fewest alternatives of weight 0.
//!
//! A use of a name that is not visible becomes a choice that ignores scopes.

use std::ops::Range;

use super::chart::NONE;
use super::instance_sets::{InstanceSets, TOKEN};
use super::instances::{InstanceTable, alike};
use super::stamped_map::StampedMap;
use super::tables::DotId;
use crate::derivation::{Derivation, Node, NodeChildren};
use crate::derive::{Mark, VisibleNames};
use crate::grammar::{Child, Effect, Grammar, Kind, Naming, SymbolId};

/// The maximum number of steps to compare undeclared names, for each node of a derivation. After
/// that, the binder takes the first values that fit.
const STEPS_PER_NODE: usize = 1_000;

/// The cost of a name that is not declared. An alternative with the weight 0 costs 1. So such
/// alternatives only decide between values with equally many undeclared names.
const UNDECLARED: u32 = 1 << 12;

/// The cost of an instance that a subtree does not fit.
const UNFIT: u32 = u32::MAX;

/// A cost that is not computed yet.
const UNKNOWN: u32 = u32::MAX - 1;

/// The maximum cost of an instance that a subtree fits.
const MAX: u32 = u32::MAX - 2;

/// Binds derivations, and has the working memory for this.
#[derive(Debug, Default)]
pub(super) struct Binder {
    /// By node: the set of the instances that its subtree fits. [`TOKEN`] for tokens and their
    /// parts.
    sets: Vec<u32>,
    /// By node, and for the end: two sums over all nodes before it. The first sum counts the
    /// instances of their symbols. The second counts the nodes that can cost something: names of a
    /// fixed list, and alternatives that may have the weight 0.
    before: Vec<(usize, u32)>,
    /// By alternative of the erased grammar: the alternatives of its symbol that derive the same
    /// texts, if there are several.
    alike: Vec<Vec<u32>>,
    /// By alternative of the erased grammar: whether it, or one that derives the same texts, has
    /// the weight 0.
    unweighted: Vec<bool>,
    /// By node and instance: the index in `costs`.
    known: StampedMap,
    /// The costs of a node for an instance of its symbol (see [`UNDECLARED`]).
    costs: Vec<u32>,
    /// The nodes and instances whose costs are left to compute, with their indices in `costs`.
    open: Vec<(usize, SymbolId, u32)>,
    /// The nodes whose costs were paid for in steps. Empty if `costs` is outdated because other
    /// names are visible now.
    counted: Range<usize>,
    /// For the part of the last text that fits no values: the instances that it should fit
    /// (`expected`), and those that it fits (`found`).
    pub expected: Vec<SymbolId>,
    pub found: Vec<SymbolId>,
    /// The number of steps that are left to compare undeclared names.
    steps: usize,
    /// Working memory of [`Binder::choose`].
    options: Vec<u32>,
    /// Working memory: the row of one alternative, and the union of all rows.
    rows: [Vec<u64>; 2],
    names: VisibleNames,
    nodes: Vec<Node>,
}

/// A task that is left in the walk over a derivation.
enum BindingTask {
    /// Bind a node to an instance of its symbol.
    Node(usize, SymbolId),
    /// Leave a scope.
    Leave(Mark),
}

/// A grammar, and the nodes of the derivation that is bound.
#[derive(Clone, Copy)]
struct BindingInput<'a> {
    all: InstanceTable<'a>,
    grammar: &'a Grammar,
    naming: &'a Naming,
    nodes: &'a [Node],
}

type Context<'a> = (BindingInput<'a>, &'a InstanceSets);

impl BindingInput<'_> {
    /// Returns the node to which an instance is bound: `node` or the first one below it whose
    /// symbol is that of the instance. An instance of a call is bound to `node` itself. A lexeme is
    /// bound to any lexeme, and an identifier to any identifier.
    fn node_of(&self, mut node: usize, instance: SymbolId) -> usize {
        if self.all.is_call(instance) {
            return node;
        }
        let origin = self.naming.origins[instance.0 as usize];
        let is_same = |symbol: SymbolId| match (
            &self.grammar[instance].kind,
            &self.grammar.erased()[symbol].kind,
        ) {
            (Kind::Lexeme { .. }, Kind::Lexeme { .. })
            | (Kind::Identifier { .. }, Kind::Identifier { .. }) => true,
            _ => symbol == origin,
        };
        while !is_same(self.nodes[node].symbol) && node + 1 < self.nodes.len() {
            node += 1;
        }
        node
    }

    /// Returns the cost of a token: [`UNDECLARED`] for each use of a name that is not visible.
    fn cost_of_token(&self, names: &VisibleNames, node: usize, instance: SymbolId) -> u32 {
        match (
            &self.grammar[instance].kind,
            &self.naming.effects[instance.0 as usize],
        ) {
            (Kind::Identifier { names: all, .. }, Effect::Use { instances, .. }) => {
                let choice = self.nodes[node].choice;
                let is_undeclared = choice < all.end - all.start
                    && names.visible(self.naming, instances) >> choice & 1 == 0;
                UNDECLARED * u32::from(is_undeclared)
            }
            (Kind::Lexeme { body, .. }, _)
                if matches!(self.grammar[*body].kind, Kind::Identifier { .. }) =>
            {
                let mut sum = 0;
                self.each_child(node, instance, 0, |child, symbol| {
                    if symbol == *body {
                        sum += self.cost_of_token(names, child, symbol);
                    }
                });
                sum
            }
            _ => 0,
        }
    }

    /// Returns the cost of an alternative without its children: 1 if it has the weight 0.
    fn cost_of_alternative(&self, instance: SymbolId, choice: u32) -> u32 {
        u32::from(self.grammar.alternatives(instance)[choice as usize].weight == 0.0)
    }

    fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let nodes = self.nodes;
        let end = node + nodes[node].size as usize;
        let mut at = node + 1;
        std::iter::from_fn(move || {
            let child = at;
            (child < end).then(|| {
                at += nodes[child].size as usize;
                child
            })
        })
    }

    /// Calls a function with each child of a node and the child's instance, as if the node had
    /// chosen the given alternative.
    fn each_child(
        &self,
        node: usize,
        instance: SymbolId,
        alternative: u32,
        mut child: impl FnMut(usize, SymbolId),
    ) {
        let end = node + self.nodes[node].size as usize;
        // The child of a call is at the node itself, or below it.
        let mut at = if self.all.is_call(instance) {
            node
        } else {
            node + 1
        };
        let mut next = |symbol: SymbolId| {
            if at < end {
                let found = self.node_of(at, symbol);
                child(found, symbol);
                at += self.nodes[at].size as usize;
            }
        };
        let choice = match self.grammar[instance].kind {
            Kind::Nonterminal { .. } => alternative,
            _ => self.nodes[node].choice,
        };
        let children = NodeChildren::new(self.grammar, instance, choice);
        (0..children.len()).for_each(|index| next(children.get(index).symbol));
    }
}

/// Returns the sum of two costs. `further` may be [`UNFIT`].
fn with(cost: u32, further: u32) -> u32 {
    match further {
        UNFIT => UNFIT,
        _ => cost.saturating_add(further).min(MAX),
    }
}

impl Binder {
    /// Returns a binder for a grammar. It does nothing if the grammar has no names.
    pub fn new(grammar: &Grammar) -> Binder {
        let Some(naming) = grammar.naming.as_deref() else {
            return Binder::default();
        };
        let Some(erased) = naming.erased.as_deref() else {
            return Binder::default();
        };
        let alike = alike(erased, naming);
        let mut unweighted = vec![false; alike.len()];
        for symbol in erased.symbols() {
            if let Kind::Nonterminal { alternatives, .. } = &symbol.kind {
                let has_no_weight = |at: u32| erased.alternatives[at as usize].weight == 0.0;
                for at in alternatives.clone() {
                    let others = alike[at as usize].iter();
                    unweighted[at as usize] = has_no_weight(at)
                        || others
                            .map(|index| alternatives.start + index)
                            .any(has_no_weight);
                }
            }
        }
        Binder {
            alike,
            unweighted,
            ..Binder::default()
        }
    }

    /// Replaces a derivation of the erased grammar by one of the whole grammar. `known` has for
    /// each node the set of instances that its text fits in any derivation. It may be empty.
    ///
    /// # Errors
    /// If the text does not fit the arguments of the rules. Returns the offset of the wrong child
    /// in the innermost part that fits no values.
    pub fn bind(
        &mut self,
        all: InstanceTable<'_>,
        sets: &mut InstanceSets,
        known: &[u32],
        derivation: &mut Derivation,
    ) -> Result<(), usize> {
        let InstanceTable {
            grammar, naming, ..
        } = all;
        let input = BindingInput {
            all,
            grammar,
            naming,
            nodes: &derivation.nodes,
        };
        self.names.begin(naming, grammar.fingerprint());
        self.find_fits(input, sets, known).map_err(|at| {
            let blank = derivation.text[at..]
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace())
                .count();
            at + blank
        })?;
        self.nodes.clear();
        self.counted = 0..0;
        self.steps = input.nodes.len() * STEPS_PER_NODE;
        let mut open = vec![BindingTask::Node(
            input.node_of(0, grammar.start()),
            grammar.start(),
        )];
        while let Some(task) = open.pop() {
            match task {
                BindingTask::Leave(mark) => {
                    self.names.leave(naming, mark);
                    self.counted = 0..0;
                }
                BindingTask::Node(node, instance) => {
                    self.node((input, sets), node, instance, &mut open)
                }
            }
        }
        std::mem::swap(&mut derivation.nodes, &mut self.nodes);
        derivation.measure(grammar);
        Ok(())
    }

    /// Returns the cost of a subtree if its node has this instance: the sum for its undeclared
    /// names and its alternatives with the weight 0, or [`UNFIT`]. It skips nodes of calls as
    /// [`BindingInput::node_of`] does, and uses a stack instead of recursion.
    fn cost(&mut self, context: Context<'_>, node: usize, instance: SymbolId) -> u32 {
        loop {
            if let Some(cost) = self.known_cost(context, node, instance) {
                self.open.clear();
                return cost;
            }
            while let Some(&(node, instance, at)) = self.open.last() {
                if self.costs[at as usize] == UNKNOWN {
                    let Some(cost) = self.compute(context, node, instance) else {
                        continue;
                    };
                    self.costs[at as usize] = cost;
                }
                self.open.pop();
            }
        }
    }

    /// Returns the result of [`Binder::cost`] if it is known. Otherwise returns `None` and adds the
    /// missing costs to `open`.
    fn known_cost(
        &mut self,
        context: Context<'_>,
        mut node: usize,
        instance: SymbolId,
    ) -> Option<u32> {
        let (input, sets) = context;
        if input.all.is_token(instance) {
            let token = input.node_of(node, instance);
            return Some(input.cost_of_token(&self.names, token, instance));
        }
        loop {
            let Node { symbol, size, .. } = input.nodes[node];
            if let Some(number) = input.all.number(symbol, instance) {
                if !sets.has(self.sets[node], number) {
                    return Some(UNFIT);
                }
                if self.before[node].1 == self.before[node + size as usize].1 {
                    return Some(0);
                }
                let new = self.costs.len() as u32;
                let key = (node as u64) << 32 | u64::from(instance.0);
                let at = self.known.add(key, new).unwrap_or(new);
                if at == new {
                    self.costs.push(UNKNOWN);
                }
                let cost = self.costs[at as usize];
                if cost == UNKNOWN {
                    self.open.push((node, instance, at));
                }
                return Some(cost).filter(|&cost| cost != UNKNOWN);
            }
            if input.all.is_call(instance) {
                return self.cost_of_values(context, node, instance);
            }
            if !input.naming.calls[symbol.0 as usize] {
                return Some(UNFIT);
            }
            node += 1;
        }
    }

    /// Returns the smallest cost of a node over the values of a call. Unknown costs are treated as
    /// in [`Binder::known_cost`].
    fn cost_of_values(&mut self, context: Context<'_>, node: usize, call: SymbolId) -> Option<u32> {
        let mut least = Some(UNFIT);
        for (_, value) in context.0.all.values(call) {
            let cost = self.known_cost(context, node, value);
            least = least.and_then(|least| Some(least.min(cost?)));
        }
        least
    }

    /// Returns the sum of the costs of the children of a node. `own` has the children in the
    /// instance. Unknown costs are treated as in [`Binder::known_cost`].
    fn cost_of_children(
        &mut self,
        context: Context<'_>,
        node: usize,
        own: impl Iterator<Item = Child>,
    ) -> Option<u32> {
        let mut sum = Some(0_u32);
        for (own, child) in own.zip(context.0.children(node)) {
            match self.known_cost(context, child, own.symbol) {
                Some(UNFIT) => return Some(UNFIT),
                cost => sum = Some(with(sum?, cost?)),
            }
        }
        sum
    }

    /// Computes the cost of a node for an instance from the costs of its children. Unknown costs
    /// are treated as in [`Binder::known_cost`].
    fn compute(&mut self, context: Context<'_>, node: usize, instance: SymbolId) -> Option<u32> {
        let (input, _) = context;
        let Node { symbol, choice, .. } = input.nodes[node];
        if input.all.called(symbol).is_some() {
            return self.cost_of_values(context, node + 1, instance);
        }
        match input.grammar[instance].kind {
            Kind::Nonterminal { .. } => {
                let mut least = Some(UNFIT);
                for index in 0..self.alternatives(input, symbol, &choice).len() {
                    let choice = self.alternatives(input, symbol, &choice)[index];
                    if let Some(own) = input.all.children(instance, choice) {
                        let cost = self.cost_of_children(context, node, own.iter().copied());
                        let own = input.cost_of_alternative(instance, choice);
                        least = least.and_then(|least| Some(least.min(with(own, cost?))));
                    }
                }
                least
            }
            Kind::Repeat { element, .. } => {
                self.cost_of_children(context, node, std::iter::repeat(element))
            }
            _ => Some(0),
        }
    }

    /// Returns the alternatives of a symbol that derive the same texts as the alternative `choice`,
    /// which is one of them.
    fn alternatives<'b>(
        &'b self,
        input: BindingInput<'_>,
        symbol: SymbolId,
        choice: &'b u32,
    ) -> &'b [u32] {
        let Kind::Nonterminal { alternatives, .. } = &input.grammar.erased()[symbol].kind else {
            return &[];
        };
        let alike = &self.alike[(alternatives.start + choice) as usize];
        if alike.is_empty() {
            std::slice::from_ref(choice)
        } else {
            alike
        }
    }

    /// Finds which instances the subtree of each node fits.
    fn find_fits(
        &mut self,
        input: BindingInput<'_>,
        sets: &mut InstanceSets,
        known: &[u32],
    ) -> Result<(), usize> {
        self.before.clear();
        self.sets.clear();
        let (mut total, mut named, mut token) = (0, 0, 0);
        for (at, node) in input.nodes.iter().enumerate() {
            self.before.push((total, named));
            total += input.all.ranges[node.symbol.0 as usize].1 as usize;
            named += match &input.grammar.erased()[node.symbol].kind {
                Kind::Identifier { names, .. } => u32::from(node.choice < names.end - names.start),
                Kind::Nonterminal { alternatives, .. } => {
                    u32::from(self.unweighted[(alternatives.start + node.choice) as usize])
                }
                _ => 0,
            };
            let is_inner = matches!(
                input.grammar.erased()[node.symbol].kind,
                Kind::Nonterminal { .. } | Kind::Repeat { .. }
            );
            if at >= token && !is_inner {
                token = at + node.size as usize;
            }
            self.sets.push(if at < token { TOKEN } else { NONE });
        }
        self.before.push((total, named));
        for node in (0..input.nodes.len()).rev() {
            if self.sets[node] == NONE {
                match known.get(node) {
                    Some(&set) => self.sets[node] = set,
                    None => self.find_set(input, sets, node),
                }
            }
        }
        let start = input.grammar.start();
        if sets.fits(input.all, self.sets[input.node_of(0, start)], start) {
            return Ok(());
        }
        let mut unfit = 0;
        while let Some(child) = input
            .children(unfit)
            .find(|&child| sets.is_nothing(input.all, self.sets[child]))
        {
            unfit = child;
        }
        Err(self.misfit((input, sets), unfit))
    }

    /// Finds the set of the instances that the subtree of a node fits, from the sets of the nodes
    /// below it.
    fn find_set(&mut self, input: BindingInput<'_>, sets: &mut InstanceSets, node: usize) {
        let Node { symbol, choice, .. } = input.nodes[node];
        let all = input.all;
        let [mut row, mut union] = std::mem::take(&mut self.rows);
        union.clear();
        union.resize(all.words(symbol), 0);
        let called = all.called(symbol).map_or(NONE, |_| self.sets[node + 1]);
        let entries = all.tables.entries(symbol);
        let mut add = |dots: &mut dyn Iterator<Item = DotId>, first: DotId| {
            row.clear();
            row.resize(union.len(), u64::MAX);
            sets.allow(all, first, &mut row);
            for (dot, child) in dots.zip(input.children(node)) {
                sets.restrict(all, dot, self.sets[child], &mut row);
            }
            union
                .iter_mut()
                .zip(&row)
                .for_each(|(union, word)| *union |= word);
        };
        match input.grammar.erased()[symbol].kind {
            Kind::Nonterminal { .. } => {
                for &choice in self.alternatives(input, symbol, &choice) {
                    let first = entries[choice as usize];
                    add(&mut (first..), first);
                }
            }
            _ => add(&mut std::iter::repeat(entries[0]), entries[0]),
        }
        self.sets[node] = sets.add(symbol, called, &union);
        self.rows = [row, union];
    }

    /// Finds the wrong child of a node that fits no instance. For each instance, it looks for the
    /// first child that does not fit. Of these children, it takes the farthest one in the text.
    /// Returns the offset of this child, and sets `expected` and `found`.
    fn misfit(&mut self, (input, sets): Context<'_>, node: usize) -> usize {
        let (first, count) = input.all.ranges[input.nodes[node].symbol.0 as usize];
        let mut wrong: Vec<(usize, SymbolId)> = Vec::new();
        for instance in (first..first + count).map(SymbolId) {
            let alternative = match &input.grammar[instance].kind {
                Kind::Nonterminal { alternatives, .. } => {
                    let choice = if input.all.is_call(instance) {
                        0
                    } else {
                        input.nodes[node].choice
                    };
                    let alternative =
                        &input.grammar.alternatives[(alternatives.start + choice) as usize];
                    if !alternative.minimum.is_finite() {
                        continue;
                    }
                    choice
                }
                _ => 0,
            };
            let mut is_before = true;
            input.each_child(node, instance, alternative, |child, symbol| {
                if is_before && !sets.fits(input.all, self.sets[child], symbol) {
                    is_before = false;
                    wrong.push((child, symbol));
                }
            });
        }
        let text = |&(child, _): &(usize, SymbolId)| input.nodes[child].text;
        let farthest = wrong.iter().map(text).max();
        wrong.retain(|child| Some(text(child)) == farthest);
        self.expected.clear();
        self.found.clear();
        for &(child, symbol) in &wrong {
            match input.all.is_call(symbol) {
                true => self
                    .expected
                    .extend(input.all.values(symbol).map(|(_, value)| value)),
                false => self.expected.push(symbol),
            }
            // The instances that the child fits.
            let mut at = child;
            while input.naming.calls[input.nodes[at].symbol.0 as usize] {
                at += 1;
            }
            let (first, count) = input.all.ranges[input.nodes[at].symbol.0 as usize];
            let fits = |instance: &SymbolId| sets.fits(input.all, self.sets[at], *instance);
            let fitting = (first..first + count).map(SymbolId).filter(fits);
            self.found.extend(fitting);
        }
        for symbols in [&mut self.expected, &mut self.found] {
            symbols.sort_unstable();
            symbols.dedup();
        }
        farthest.unwrap_or(input.nodes[node].text) as usize
    }

    /// Binds a node, and puts its children onto the stack.
    fn node(
        &mut self,
        context: Context<'_>,
        node: usize,
        instance: SymbolId,
        open: &mut Vec<BindingTask>,
    ) {
        let (input, _) = context;
        let BindingInput {
            grammar,
            naming,
            nodes,
            ..
        } = input;
        let Node { choice, text, .. } = nodes[node];
        let mark = self.names.enter(naming, instance);
        if !matches!(
            naming.effects[instance.0 as usize],
            Effect::None | Effect::Use { .. }
        ) || naming.changes_role(instance)
        {
            self.counted = 0..0;
        }
        open.extend(mark.map(BindingTask::Leave));
        let mut alternative = 0;
        let choice = match &grammar[instance].kind {
            Kind::Nonterminal { alternatives, .. } => {
                alternative = self.choose(context, node, instance);
                let at = alternatives.start + alternative;
                if naming.needs_names(at) && !naming.size(self.names.sizes(), at).is_finite() {
                    alternative = grammar.copy(instance, alternative).unwrap_or(alternative);
                }
                alternative
            }
            Kind::Identifier { names, .. } => {
                self.name(naming, instance, names.end - names.start, choice)
            }
            _ => choice,
        };
        self.nodes.push(Node {
            symbol: instance,
            choice,
            size: 1,
            text,
        });
        let from = open.len();
        input.each_child(node, instance, alternative, |child, symbol| {
            open.push(BindingTask::Node(child, symbol))
        });
        open[from..].reverse();
    }

    /// Returns the choice that the node of a name gets, and declares the name. If the name is used
    /// where it is not visible, or its scope cannot declare it, the choice is that of a name that
    /// ignores scopes.
    fn name(&mut self, naming: &Naming, instance: SymbolId, count: u32, choice: u32) -> u32 {
        if choice >= count {
            return choice;
        }
        let effect = &naming.effects[instance.0 as usize];
        let is_regular = self.names.is_allowed(naming, effect, choice);
        self.names.declare(naming, instance, choice);
        if is_regular {
            choice
        } else {
            count + 1 + choice
        }
    }

    /// Chooses the values of a call, or one of several alternatives that derive the same text. Of
    /// the options that fit, it takes the first one with the lowest cost (see [`UNDECLARED`]).
    fn choose(&mut self, context: Context<'_>, node: usize, instance: SymbolId) -> u32 {
        let (input, sets) = context;
        let mut options = std::mem::take(&mut self.options);
        options.clear();
        let Node { symbol, choice, .. } = input.nodes[node];
        let is_call = input.all.is_call(instance);
        if is_call {
            let fits = |&(_, value): &_| sets.fits(input.all, self.sets[node], value);
            options.extend(
                input
                    .all
                    .values(instance)
                    .filter(fits)
                    .map(|(index, _)| index),
            );
        } else {
            options.extend(self.alternatives(input, symbol, &choice));
            if options.len() > 1 {
                options.retain(|&choice| self.fits(context, node, (instance, choice)));
                let all = input.grammar.alternatives(instance);
                options.sort_by_key(|&choice| all[choice as usize].weight == 0.0);
            }
        }
        let mut chosen = options.first().copied().unwrap_or(0);
        if options.len() > 1 && self.sets[node] != TOKEN && self.may_count(input, node) {
            let mut least = UNFIT;
            for &option in &options {
                let cost = self.cost_of_option(context, node, (instance, option));
                if cost < least {
                    (chosen, least) = (option, cost);
                }
                if cost == 0 {
                    break;
                }
            }
        }
        self.options = options;
        chosen
    }

    /// Returns whether the children of a node fit an instance with this choice.
    fn fits(
        &self,
        (input, sets): Context<'_>,
        node: usize,
        (instance, choice): (SymbolId, u32),
    ) -> bool {
        let Some(own) = input.all.children(instance, choice) else {
            return false;
        };
        self.sets[node] == TOKEN
            || own
                .iter()
                .zip(input.children(node))
                .all(|(own, child)| sets.fits(input.all, self.sets[child], own.symbol))
    }

    /// Returns the cost of a node for one value of a call, or for one of several alternatives that
    /// derive the same text.
    fn cost_of_option(
        &mut self,
        context: Context<'_>,
        node: usize,
        (instance, option): (SymbolId, u32),
    ) -> u32 {
        let (input, _) = context;
        let own = &input.grammar.alternatives(instance)[option as usize];
        let own = input.grammar.children(own);
        if input.all.is_call(instance) {
            return self.cost(context, node, own[0].symbol);
        }
        let mut sum = input.cost_of_alternative(instance, option);
        for (own, child) in own.iter().zip(input.children(node)) {
            sum = with(sum, self.cost(context, child, own.symbol));
        }
        sum
    }

    /// Returns whether enough steps are left to compute the costs in the subtree of a node, and
    /// spends them. A node within `counted` takes no further steps.
    fn may_count(&mut self, input: BindingInput<'_>, node: usize) -> bool {
        let end = node + input.nodes[node].size as usize;
        if self.counted.start <= node && end <= self.counted.end {
            return true;
        }
        let Some(left) = self
            .steps
            .checked_sub(self.before[end].0 - self.before[node].0)
        else {
            return false;
        };
        if self.counted.is_empty() {
            self.known.forget();
            self.costs.clear();
        }
        self.steps = left;
        self.counted = node..end;
        true
    }
}

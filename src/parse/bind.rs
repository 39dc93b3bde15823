//! Binds the derivation of a text to the instances of a grammar with names and parameters.
//!
//! The parser reads a text by the grammar without parameters. Here each node gets an instance of
//! its symbol. First, from the leaves to the root, the instances are found that the subtree of each
//! node fits. Then, from the root on and in the order of the text, the values of calls with `_` are
//! chosen: of those that fit, the ones with which the most names are declared as they are used. A
//! name that is not visible where it is used is taken without regard to scopes.

use std::collections::HashMap;
use std::ops::Range;

use crate::derivation::{Derivation, Node};
use crate::derive::{Mark, VisibleNames};
use crate::grammar::{Alternative, Child, Effect, Grammar, Kind, Naming, SymbolId, span};

/// The number of steps in which names are compared for one text, for each node. After them, the
/// first values that fit are taken.
const STEPS_PER_NODE: usize = 1_000;

/// The cost of an instance that a subtree does not fit.
const UNFIT: u32 = u32::MAX;

/// Binds derivations. It reuses its memory.
#[derive(Debug, Default)]
pub(super) struct Binder {
    /// By symbol of the erased grammar: its first instance, and the number of its instances.
    pub instances: Vec<(u32, u32)>,
    /// By node: the index of its first entry in `costs`. A node of a symbol with *n* instances has *n*
    /// entries.
    first: Vec<usize>,
    /// By alternative of the erased grammar: the instances of its symbol whose parameters allow it.
    allowed: Vec<Box<[SymbolId]>>,
    /// By alternative of the erased grammar: the alternatives of its symbol that derive the same
    /// texts, if there are several.
    alike: Vec<Vec<u32>>,
    /// The number of names in the subtree of a node that would not be declared, for an instance of
    /// its symbol. [`UNFIT`] if the subtree does not fit the instance.
    costs: Vec<u32>,
    /// The nodes for whose descendants `costs` is right with the names that are visible now.
    counted: Range<usize>,
    /// The smallest subtrees that fit no instance, the last one first.
    unfit: Vec<usize>,
    /// The children of the node whose costs are computed.
    children: Vec<usize>,
    /// The number of steps in which names may still be compared.
    steps: usize,
    /// Working memory of `choose`.
    options: Vec<(u32, u32)>,
    names: VisibleNames,
    nodes: Vec<Node>,
}

/// What is left to do in the walk over a derivation.
enum BindingTask {
    /// Bind a node to an instance of its symbol.
    Node(usize, SymbolId),
    /// Leave a scope.
    Leave(Mark),
}

/// A grammar with the derivation that is bound.
#[derive(Clone, Copy)]
struct BindingInput<'a> {
    grammar: &'a Grammar,
    naming: &'a Naming,
    nodes: &'a [Node],
}

impl BindingInput<'_> {
    /// Returns the node that an instance stands for, at or below a node. The nodes of calls do not
    /// matter: a call can stand for any, and also for a node that is no call. A token can also
    /// stand for another occurrence of the same token.
    fn node_of(&self, mut node: usize, instance: SymbolId) -> usize {
        if self.is_call(instance) {
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

    /// Returns whether an instance is a token or a part of one. Tokens fit everywhere.
    fn is_token(&self, instance: SymbolId) -> bool {
        matches!(
            self.grammar[instance].kind,
            Kind::Lexeme { .. } | Kind::Identifier { .. }
        )
    }

    /// Returns the number of names in a token that would not be declared, which is 0 or 1.
    fn undeclared_in_token(&self, names: &VisibleNames, node: usize, instance: SymbolId) -> u32 {
        match (
            &self.grammar[instance].kind,
            &self.naming.effects[instance.0 as usize],
        ) {
            (Kind::Identifier { names: all, .. }, Effect::Use { instances, .. }) => {
                let choice = self.nodes[node].choice;
                u32::from(
                    choice < all.end - all.start
                        && names.visible(self.naming, instances) >> choice & 1 == 0,
                )
            }
            (Kind::Lexeme { body, .. }, _)
                if matches!(self.grammar[*body].kind, Kind::Identifier { .. }) =>
            {
                let mut sum = 0;
                self.each_child(node, instance, 0, |child, symbol| {
                    if symbol == *body {
                        sum += self.undeclared_in_token(names, child, symbol);
                    }
                });
                sum
            }
            _ => 0,
        }
    }

    /// Returns whether an instance chooses the values of a call.
    fn is_call(&self, instance: SymbolId) -> bool {
        self.naming.calls[self.naming.origins[instance.0 as usize].0 as usize]
    }

    /// Returns the values of a call: the indices and the children of those of its alternatives that
    /// can be completed.
    fn values(&self, instance: SymbolId) -> impl Iterator<Item = (u32, SymbolId)> {
        let regular = self.naming.regular[instance.0 as usize] as usize;
        let all = (0..).zip(&self.grammar.alternatives(instance)[..regular]);
        let all = all.filter(|(_, alternative)| alternative.minimum.is_finite());
        all.map(|(index, alternative)| (index, self.grammar.children(alternative)[0].symbol))
    }

    /// Finds the children of a node.
    fn children(&self, node: usize, children: &mut Vec<usize>) {
        children.clear();
        let mut at = node + 1;
        while at < node + self.nodes[node].size as usize {
            children.push(at);
            at += self.nodes[at].size as usize;
        }
    }

    /// Returns the copy of the alternative with this index, for undeclared names. If there is none,
    /// the index itself.
    fn copy_of(&self, instance: SymbolId, index: u32) -> u32 {
        let Kind::Nonterminal { alternatives, .. } = &self.grammar[instance].kind else {
            return index;
        };
        let regular = self.naming.regular[instance.0 as usize];
        let children = &self.grammar.alternatives[(alternatives.start + index) as usize].children;
        let is_copy = |&at: &u32| self.grammar.alternatives[at as usize].children == *children;
        (alternatives.start + regular..alternatives.end)
            .find(is_copy)
            .map_or(index, |at| at - alternatives.start)
    }

    /// Calls a function with each child of a node and its instance, if the node chose an
    /// alternative with this index.
    fn each_child(
        &self,
        node: usize,
        instance: SymbolId,
        alternative: u32,
        mut child: impl FnMut(usize, SymbolId),
    ) {
        let end = node + self.nodes[node].size as usize;
        // The child of a call is at the node itself, or below it.
        let mut at = if self.is_call(instance) {
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
        match &self.grammar[instance].kind {
            Kind::Nonterminal { alternatives, .. } => {
                let alternative =
                    &self.grammar.alternatives[(alternatives.start + alternative) as usize];
                self.grammar.children[span(&alternative.children)]
                    .iter()
                    .for_each(|child| next(child.symbol));
            }
            Kind::Repeat { element, .. } => {
                (0..self.nodes[node].choice).for_each(|_| next(element.symbol))
            }
            Kind::Lexeme { body, .. } => {
                if let Some(layout) = self.grammar.layout() {
                    (0..self.nodes[node].pieces()).for_each(|_| next(layout.token));
                }
                next(*body);
            }
            Kind::Identifier { escape, .. } => next(*escape),
            _ => {}
        }
    }
}

impl Binder {
    /// Returns a binder for a grammar. It does nothing if the grammar has no names.
    pub fn new(grammar: &Grammar) -> Binder {
        let Some(naming) = grammar.naming.as_deref() else {
            return Binder::default();
        };
        let count = naming
            .erased
            .as_ref()
            .map_or(0, |erased| erased.symbols().len());
        let mut instances = vec![(0, 0); count];
        // The last symbol derives nothing.
        let used = naming.origins.len() - 1;
        for (at, origin) in naming.origins[..used].iter().enumerate().rev() {
            let (first, count) = &mut instances[origin.0 as usize];
            *first = at as u32;
            *count += 1;
        }
        let alike = naming
            .erased
            .as_ref()
            .map_or(Vec::new(), |erased| alike(erased, naming));
        let allowed = allowed(grammar, &instances);
        Binder {
            instances,
            allowed,
            alike,
            ..Binder::default()
        }
    }

    /// Replaces a derivation of the erased grammar by that of the grammar.
    ///
    /// # Errors
    /// If the text does not fit the parameters of the rules. Returns the offset of the smallest
    /// part that fits no values.
    pub fn bind(&mut self, grammar: &Grammar, derivation: &mut Derivation) -> Result<(), usize> {
        let Some(naming) = grammar.naming.as_deref() else {
            return Ok(());
        };
        let input = BindingInput {
            grammar,
            naming,
            nodes: &derivation.nodes,
        };
        self.names.begin(naming, grammar.fingerprint());
        self.find_fits(input).map_err(|at| {
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
                BindingTask::Node(node, instance) => self.node(input, node, instance, &mut open),
            }
        }
        std::mem::swap(&mut derivation.nodes, &mut self.nodes);
        derivation.measure(grammar);
        Ok(())
    }

    /// Returns the number of undeclared names in the subtree of a node for an instance, or
    /// [`UNFIT`]. The nodes of calls do not matter, as in [`BindingInput::node_of`].
    fn cost(&self, input: BindingInput<'_>, mut node: usize, instance: SymbolId) -> u32 {
        if input.is_token(instance) {
            return input.undeclared_in_token(&self.names, input.node_of(node, instance), instance);
        }
        loop {
            if let Some(at) = self.index(input, node, instance) {
                return self.costs[at];
            }
            if input.is_call(instance) {
                return input
                    .values(instance)
                    .map(|(_, value)| self.cost(input, node, value))
                    .min()
                    .unwrap_or(UNFIT);
            }
            if !input.naming.calls[input.nodes[node].symbol.0 as usize] {
                return UNFIT;
            }
            node += 1;
        }
    }

    /// Returns the sum of the costs of the children of a node in an instance.
    fn cost_of_children(&self, input: BindingInput<'_>, children: &[usize], own: &[Child]) -> u32 {
        own.iter()
            .zip(children)
            .fold(0_u32, |sum, (own, &child)| match sum {
                UNFIT => UNFIT,
                sum => sum.saturating_add(self.cost(input, child, own.symbol)),
            })
    }

    /// Returns the alternatives that a node may stand for, which chose the alternative with this
    /// index of a symbol.
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

    /// Returns the index of a node and an instance in the tables, if the node is of the instance's
    /// symbol.
    fn index(&self, input: BindingInput<'_>, node: usize, instance: SymbolId) -> Option<usize> {
        let origin = input.naming.origins[instance.0 as usize];
        let (first, count) = self.instances[origin.0 as usize];
        let at = instance
            .0
            .checked_sub(first)
            .filter(|&at| at < count && input.nodes[node].symbol == origin)?;
        Some(self.first[node] + at as usize)
    }

    /// Finds which instances the subtree of each node fits.
    fn find_fits(&mut self, input: BindingInput<'_>) -> Result<(), usize> {
        self.first.clear();
        let mut total = 0;
        for node in input.nodes {
            self.first.push(total);
            total += self.instances[node.symbol.0 as usize].1 as usize;
        }
        self.costs.clear();
        self.costs.resize(total, UNFIT);
        self.unfit.clear();
        for node in (0..input.nodes.len()).rev() {
            let is_fit = self.find_costs(input, node);
            if !is_fit
                && self
                    .unfit
                    .last()
                    .is_none_or(|&found| found >= node + input.nodes[node].size as usize)
            {
                self.unfit.push(node);
            }
        }
        let start = input.grammar.start();
        match self.cost(input, input.node_of(0, start), start) != UNFIT {
            true => Ok(()),
            false => {
                if self.unfit.is_empty() {
                    self.unfit.push(0);
                }
                Err(self.misfit(input, self.unfit[self.unfit.len() - 1]))
            }
        }
    }

    /// Computes the costs of a node for all instances of its symbol. Those of the nodes below it
    /// are known. Returns whether the subtree fits one.
    fn find_costs(&mut self, input: BindingInput<'_>, node: usize) -> bool {
        let BindingInput {
            grammar,
            naming,
            nodes,
        } = input;
        let Node { symbol, choice, .. } = nodes[node];
        let (first, count) = self.instances[symbol.0 as usize];
        let mut children = std::mem::take(&mut self.children);
        input.children(node, &mut children);
        let row = self.first[node];
        self.costs[row..row + count as usize].fill(UNFIT);
        match &grammar.erased()[symbol].kind {
            _ if naming.calls[symbol.0 as usize] => {
                for at in 0..count {
                    let all = input
                        .values(SymbolId(first + at))
                        .map(|(_, value)| self.cost(input, node + 1, value));
                    self.costs[row + at as usize] = all.min().unwrap_or(UNFIT);
                }
            }
            Kind::Nonterminal { alternatives, .. } => {
                for index in 0..self.alternatives(input, symbol, &choice).len() {
                    let choice = self.alternatives(input, symbol, &choice)[index];
                    let of = (alternatives.start + choice) as usize;
                    for at in 0..self.allowed[of].len() {
                        let instance = self.allowed[of][at];
                        let own =
                            grammar.children(&grammar.alternatives(instance)[choice as usize]);
                        let cost = self.cost_of_children(input, &children, own);
                        let best = &mut self.costs[row + (instance.0 - first) as usize];
                        *best = cost.min(*best);
                    }
                }
            }
            Kind::Repeat { .. } => {
                for at in 0..count {
                    let Kind::Repeat { element, .. } = grammar[SymbolId(first + at)].kind else {
                        continue;
                    };
                    let all = children
                        .iter()
                        .map(|&child| self.cost(input, child, element.symbol));
                    self.costs[row + at as usize] = all.fold(0, u32::saturating_add);
                }
            }
            _ => self.costs[row..row + count as usize].fill(0),
        }
        self.children = children;
        count == 0
            || self.costs[row..row + count as usize]
                .iter()
                .any(|&cost| cost != UNFIT)
    }

    /// Returns the offset of the first child of a node without fitting instances that fits none of
    /// those which the children before it fit.
    fn misfit(&self, input: BindingInput<'_>, node: usize) -> usize {
        let (first, count) = self.instances[input.nodes[node].symbol.0 as usize];
        let mut farthest = input.nodes[node].text;
        for instance in (first..first + count).map(SymbolId) {
            let alternative = match &input.grammar[instance].kind {
                Kind::Nonterminal { alternatives, .. } => {
                    let choice = if input.is_call(instance) {
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
                if is_before && self.cost(input, child, symbol) == UNFIT {
                    is_before = false;
                    farthest = farthest.max(input.nodes[child].text);
                }
            });
        }
        farthest as usize
    }

    /// Binds a node, and puts its children onto the stack.
    fn node(
        &mut self,
        input: BindingInput<'_>,
        node: usize,
        instance: SymbolId,
        open: &mut Vec<BindingTask>,
    ) {
        let BindingInput {
            grammar,
            naming,
            nodes,
        } = input;
        let Node { choice, text, .. } = nodes[node];
        let mark = self.names.enter(naming, instance);
        if !matches!(
            naming.effects[instance.0 as usize],
            Effect::None | Effect::Use { .. }
        ) || naming.has_roles(instance)
        {
            self.counted = 0..0;
        }
        open.extend(mark.map(BindingTask::Leave));
        let mut alternative = 0;
        let choice = match &grammar[instance].kind {
            Kind::Nonterminal { alternatives, .. } => {
                alternative = self.choose(input, node, instance);
                let at = alternatives.start + alternative;
                if naming.needs_names(at) && !naming.size(self.names.sizes(), at).is_finite() {
                    alternative = input.copy_of(instance, alternative);
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

    /// Returns the choice of a name. A name that is not visible where it is used, or that its scope
    /// cannot declare, is marked.
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

    /// Chooses the values of a call, or one of several alternatives that derive the same text: of
    /// those that fit, the first one with which the fewest names are undeclared.
    fn choose(&mut self, input: BindingInput<'_>, node: usize, instance: SymbolId) -> u32 {
        let mut options = std::mem::take(&mut self.options);
        self.options_of(input, node, instance, &mut options);
        if options.len() > 1 && self.count_undeclared(input, node) {
            self.options_of(input, node, instance, &mut options);
            options.sort_by_key(|&(cost, _)| cost);
        }
        let chosen = options.first().map_or(0, |&(_, option)| option);
        self.options = options;
        chosen
    }

    /// Finds the values of a call, or the alternatives that derive the same text, that fit: the
    /// cost and the index of each.
    fn options_of(
        &mut self,
        input: BindingInput<'_>,
        node: usize,
        instance: SymbolId,
        options: &mut Vec<(u32, u32)>,
    ) {
        options.clear();
        if input.is_call(instance) {
            options.extend(
                input
                    .values(instance)
                    .map(|(index, value)| (self.cost(input, node, value), index)),
            );
        } else {
            let mut children = std::mem::take(&mut self.children);
            input.children(node, &mut children);
            let Node { symbol, choice, .. } = input.nodes[node];
            for &choice in self.alternatives(input, symbol, &choice) {
                let alternative = &input.grammar.alternatives(instance)[choice as usize];
                if alternative.minimum.is_finite() {
                    options.push((
                        self.cost_of_children(
                            input,
                            &children,
                            input.grammar.children(alternative),
                        ),
                        choice,
                    ));
                }
            }
            self.children = children;
        }
        options.retain(|&(cost, _)| cost != UNFIT);
    }

    /// Counts the undeclared names in the subtrees of a node's descendants, for all instances.
    /// Returns false if that takes too long. The counts of an outer node are still right if the
    /// same names are visible.
    fn count_undeclared(&mut self, input: BindingInput<'_>, node: usize) -> bool {
        let end = node + input.nodes[node].size as usize;
        if self.counted.start <= node && end <= self.counted.end {
            return true;
        }
        let last = self.first.get(end).copied().unwrap_or(self.costs.len());
        let Some(left) = self.steps.checked_sub(last - self.first[node]) else {
            return false;
        };
        self.steps = left;
        for child in (node + 1..end).rev() {
            self.find_costs(input, child);
        }
        self.counted = node..end;
        true
    }
}

/// Returns for each alternative of the erased grammar the instances whose parameters allow it.
fn allowed(grammar: &Grammar, instances: &[(u32, u32)]) -> Vec<Box<[SymbolId]>> {
    let mut all = vec![Box::default(); grammar.erased().alternatives.len()];
    for (symbol, &(first, count)) in grammar.erased().symbols().iter().zip(instances) {
        let Kind::Nonterminal { alternatives, .. } = &symbol.kind else {
            continue;
        };
        for (index, at) in span(alternatives).enumerate() {
            let is_allowed = |instance: &SymbolId| {
                grammar
                    .alternatives(*instance)
                    .get(index)
                    .is_some_and(|alternative| alternative.minimum.is_finite())
            };
            all[at] = (first..first + count)
                .map(SymbolId)
                .filter(is_allowed)
                .collect();
        }
    }
    all
}

/// Returns for each alternative of a grammar those of the same symbol that derive the same texts,
/// if there are several: their children are the same but for arguments of calls and for the kinds
/// of names.
fn alike(erased: &Grammar, naming: &Naming) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); erased.alternatives.len()];
    let key = |alternative: &Alternative| {
        let of = |child: &Child| {
            let mut symbol = child.symbol;
            while let (true, [only]) =
                (naming.calls[symbol.0 as usize], erased.alternatives(symbol))
            {
                let [called] = erased.children(only) else {
                    break;
                };
                symbol = called.symbol;
            }
            let part = match erased[symbol].kind {
                Kind::Lexeme {
                    position, layout, ..
                } => (true, erased.boundaries.terminal(position).0, layout),
                _ => (false, symbol.0, false),
            };
            (child.is_adjacent, part)
        };
        erased
            .children(alternative)
            .iter()
            .map(of)
            .collect::<Vec<_>>()
    };
    for symbol in erased.symbols() {
        let Kind::Nonterminal { alternatives, .. } = &symbol.kind else {
            continue;
        };
        let mut classes: HashMap<_, Vec<u32>> = HashMap::new();
        for (index, at) in (0..).zip(span(alternatives)) {
            classes
                .entry(key(&erased.alternatives[at]))
                .or_default()
                .push(index);
        }
        for class in classes.into_values().filter(|class| class.len() > 1) {
            class
                .iter()
                .for_each(|&index| all[(alternatives.start + index) as usize].clone_from(&class));
        }
    }
    all
}

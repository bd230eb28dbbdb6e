//! The order in which best-first search expands states.

/// Priority of a state: `cost_weight · g + estimate_weight · h`, in sixty-fourths, rounded
/// down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    cost_weight: u32,
    estimate_weight: u32,
    strict: bool,
}

/// One, in sixty-fourths.
const ONE: u32 = 64;

impl Order {
    /// g + h: finds a shortest solution.
    pub const ASTAR: Self = Self { cost_weight: ONE, estimate_weight: ONE, strict: false };
    /// g: finds a shortest solution, without a heuristic.
    pub const BREADTH: Self = Self { cost_weight: ONE, estimate_weight: 0, strict: false };
    /// h: finds any solution.
    pub const GREEDY: Self = Self { cost_weight: 0, estimate_weight: ONE, strict: false };

    /// g + W·h: finds a solution at most W times as long as a shortest one. The weight is
    /// rounded down to sixty-fourths, and is at least one.
    pub fn weighted(weight: f64) -> Self {
        let estimate_weight = ((weight * f64::from(ONE)) as u32).clamp(ONE, ONE * 1024);
        Self { cost_weight: ONE, estimate_weight, strict: false }
    }

    /// Returns this order in its textbook form: a single worker expands the best state, then
    /// the best of the remaining states and its successors, and so on. This takes longer,
    /// counts nodes as a textbook does, and is reproducible. Other workers join only when
    /// memory is full, because the search then differs from the textbook anyway.
    pub const fn strict(self) -> Self {
        Self { strict: true, ..self }
    }

    /// Returns the name of the algorithm.
    pub fn name(self) -> &'static str {
        match (self.cost_weight, self.estimate_weight) {
            (0, _) => "greedy",
            (_, 0) => "bfs",
            (_, ONE) => "astar",
            _ => "wastar",
        }
    }

    /// Returns whether both terms count, h more than g.
    pub fn is_weighted(self) -> bool {
        0 < self.cost_weight && self.cost_weight < self.estimate_weight
    }

    /// Returns the priority of a state. The lowest comes first.
    #[inline(always)]
    pub fn priority(self, cost: u32, estimate: u32) -> u32 {
        (self.cost_weight * cost + self.estimate_weight * estimate) / ONE
    }

    /// Returns the cost that the visited table stores for a successor of a state with `cost`.
    /// Greedy search does not use costs: its table distinguishes only the start (0) from all
    /// other states (1), so a state that is reached again is always a duplicate and every state
    /// is expanded at most once.
    #[inline(always)]
    pub fn cost_after(self, cost: u32) -> u32 {
        if self.cost_weight == 0 { 1 } else { cost + 1 }
    }

    /// Returns whether priority and cost of a state imply its estimate.
    #[inline(always)]
    pub fn weighs_estimates(self) -> bool {
        self.estimate_weight != 0
    }

    /// Returns whether a single worker expands one state at a time. Greedy search depends on
    /// following the best state at once; in batches it would be a beam search.
    #[inline(always)]
    pub fn expands_singly(self) -> bool {
        self.strict || self.cost_weight == 0
    }

    /// Returns whether this is the textbook form ([`Self::strict`]).
    pub fn is_textbook(self) -> bool {
        self.strict
    }

    /// Returns whether the order is that of A* or breadth-first search, so that an accepted
    /// solution is a shortest one.
    pub fn is_optimal(self) -> bool {
        self.cost_weight == ONE && self.estimate_weight <= ONE
    }

    /// Returns the lowest priority at which a solution of `cost` may be accepted: all states of
    /// lower priority must have been expanded first.
    pub fn accepts(self, cost: u32) -> u32 {
        if self.cost_weight == 0 {
            0
        } else if self.estimate_weight == 0 {
            // A state that is not a goal needs at least one more move.
            cost.saturating_sub(1)
        } else {
            cost
        }
    }

    /// Returns a lower bound on the solution length if no state of priority below `lowest` is
    /// left.
    pub fn bound(self, lowest: u32) -> u32 {
        if self.cost_weight == 0 {
            0
        } else if self.estimate_weight == 0 {
            lowest + 1
        } else {
            // lowest ≤ W · shortest.
            (lowest * ONE).div_ceil(self.estimate_weight)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_round_towards_the_promise() {
        assert_eq!(Order::ASTAR.priority(20, 33), 53);
        assert_eq!(Order::BREADTH.priority(20, 33), 20);
        assert_eq!(Order::GREEDY.priority(20, 33), 33);
        let order = Order::weighted(1.5);
        assert_eq!(order.priority(20, 33), 69);
        assert_eq!((order.accepts(60), order.bound(60)), (60, 40));
        assert_eq!(Order::weighted(0.3), Order::ASTAR);
        assert!(!Order::ASTAR.expands_singly() && Order::ASTAR.strict().expands_singly());
        let named = [Order::ASTAR, Order::BREADTH.strict(), Order::GREEDY, order];
        assert_eq!(named.map(Order::name), ["astar", "bfs", "greedy", "wastar"]);
        assert_eq!([Order::ASTAR, order, Order::GREEDY].map(|order| order.cost_after(7)), [8, 8, 1]);
        assert!(Order::ASTAR.is_optimal() && Order::BREADTH.is_optimal());
        assert!(!Order::GREEDY.is_optimal() && !order.is_optimal());
        assert_eq!((Order::ASTAR.bound(53), Order::BREADTH.bound(7)), (53, 8));
    }
}

//! In which order a best-first search takes its states.

/// The priority of a state is `cost_weight · g + estimate_weight · h`, in
/// sixty-fourths, rounded down.
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

    /// g + W·h: finds a solution at most W times as long as a shortest one.
    /// The weight is rounded down to sixty-fourths, and is at least one.
    pub fn weighted(weight: f64) -> Self {
        let estimate_weight = ((weight * f64::from(ONE)) as u32).clamp(ONE, ONE * 1024);
        Self { cost_weight: ONE, estimate_weight, strict: false }
    }

    /// The same order, kept to the letter by one worker: the best state, then the
    /// best of those that are left and its successors. That costs time, counts as a
    /// textbook does, and repeats exactly. Other workers join only when memory is
    /// full, that is when the search is no longer the one of the textbook.
    pub const fn strict(self) -> Self {
        Self { strict: true, ..self }
    }

    /// What a search in this order is called.
    pub fn name(self) -> &'static str {
        match (self.cost_weight, self.estimate_weight) {
            (0, _) => "greedy",
            (_, 0) => "bfs",
            (_, ONE) => "astar",
            _ => "wastar",
        }
    }

    /// Whether it counts both, the estimate more than the cost.
    pub fn is_weighted(self) -> bool {
        0 < self.cost_weight && self.cost_weight < self.estimate_weight
    }

    /// The priority of a state, the lowest first.
    #[inline(always)]
    pub fn priority(self, cost: u32, estimate: u32) -> u32 {
        (self.cost_weight * cost + self.estimate_weight * estimate) / ONE
    }

    /// Returns the cost that the visited table keeps for a successor of a state of this
    /// cost. Greedy search does not use costs: its table tells the start (0) from all
    /// other states (1), so a state that is reached again is always a duplicate and
    /// every state is expanded at most once.
    #[inline(always)]
    pub fn cost_after(self, cost: u32) -> u32 {
        if self.cost_weight == 0 { 1 } else { cost + 1 }
    }

    /// Whether a state's priority tells its estimate, given its cost.
    #[inline(always)]
    pub fn weighs_estimates(self) -> bool {
        self.estimate_weight != 0
    }

    /// Whether a worker who is alone takes one state at a time. Greedy search
    /// lives on following the best state at once; a handful at a time would make
    /// a beam of it.
    #[inline(always)]
    pub fn expands_singly(self) -> bool {
        self.strict || self.cost_weight == 0
    }

    /// Whether [`Self::strict`] was asked for.
    pub fn is_textbook(self) -> bool {
        self.strict
    }

    /// Whether the order is A*'s or breadth-first's, so that nothing shorter
    /// than a solution can be left when it is accepted.
    pub fn is_optimal(self) -> bool {
        self.cost_weight == ONE && self.estimate_weight <= ONE
    }

    /// The lowest priority at which a solution of this cost may be accepted:
    /// all states of lower priority must have been expanded first.
    pub fn accepts(self, cost: u32) -> u32 {
        if self.cost_weight == 0 {
            0
        } else if self.estimate_weight == 0 {
            // A state that is no goal needs at least one more move.
            cost.saturating_sub(1)
        } else {
            cost
        }
    }

    /// No solution is shorter than this if no state of lower priority is left.
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

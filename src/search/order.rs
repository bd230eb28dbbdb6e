//! In which order a best-first search takes its states.

/// The priority of a state is `cost_weight · g + estimate_weight · h`, in
/// sixty-fourths, rounded down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    cost_weight: u32,
    estimate_weight: u32,
    one_at_a_time: bool,
}

/// One, in sixty-fourths.
const ONE: u32 = 64;

impl Order {
    /// g + h: finds a shortest solution.
    pub const ASTAR: Self = Self { cost_weight: ONE, estimate_weight: ONE, one_at_a_time: false };
    /// g: finds a shortest solution, without a heuristic.
    pub const BREADTH: Self = Self { cost_weight: ONE, estimate_weight: 0, one_at_a_time: false };
    /// h: finds any solution. It lives on following the best state at once; a
    /// handful at a time would make a beam of it.
    pub const GREEDY: Self = Self { cost_weight: 0, estimate_weight: ONE, one_at_a_time: true };

    /// g + W·h: finds a solution at most W times as long as a shortest one.
    /// The weight is rounded down to sixty-fourths, and is at least one.
    pub fn weighted(weight: f64) -> Self {
        let estimate_weight = ((weight * f64::from(ONE)) as u32).clamp(ONE, ONE * 1024);
        Self { estimate_weight, ..Self::ASTAR }
    }

    /// The priority of a state, the lowest first.
    #[inline(always)]
    pub fn priority(self, cost: u32, estimate: u32) -> u32 {
        (self.cost_weight * cost + self.estimate_weight * estimate) / ONE
    }

    /// Whether a state's priority tells its estimate, given its cost.
    #[inline(always)]
    pub fn weighs_estimates(self) -> bool {
        self.estimate_weight != 0
    }

    /// The same order, kept to the letter: a worker who is alone takes one state
    /// at a time, and waits for memory each time.
    pub const fn one_at_a_time(self) -> Self {
        Self { one_at_a_time: true, ..self }
    }

    /// Whether a worker who is alone takes one state at a time.
    #[inline(always)]
    pub fn takes_one_at_a_time(self) -> bool {
        self.one_at_a_time
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
        assert!(Order::ASTAR.is_optimal() && Order::BREADTH.is_optimal());
        assert!(!Order::GREEDY.is_optimal() && !order.is_optimal());
        assert_eq!((Order::ASTAR.bound(53), Order::BREADTH.bound(7)), (53, 8));
    }
}

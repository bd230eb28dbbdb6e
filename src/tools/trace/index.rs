//! An index that finds a state's number. It holds numbers only: what it compares
//! is the state itself, wherever that is kept.

/// No state.
const NONE: u32 = u32::MAX;

/// Places for each state, at least, in tenths.
const SPARE: usize = 13;

/// Numbers at the places where their states hash to, or as soon after them as
/// there was room; a power of two of places.
pub(super) struct Index {
    places: Vec<u32>,
}

impl Index {
    /// Bytes for each state, at most.
    pub(super) const BYTES: u64 = 16;

    /// An index of nothing.
    pub(super) fn new() -> Self {
        Self { places: vec![NONE; 1 << 10] }
    }

    /// The place for a state that hashes to this; none if a number is there for
    /// which `same` says that it is the same state.
    #[inline(always)]
    pub(super) fn place(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<usize> {
        let mask = self.places.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            match self.places[place] {
                NONE => return Some(place),
                number if same(number) => return None,
                _ => place = (place + 1) & mask,
            }
        }
    }

    /// Puts the next number, which is how many there were, at its place. To make
    /// room it must be told what every number hashes to.
    #[inline(always)]
    pub(super) fn put(&mut self, place: usize, number: u32, hash: impl Fn(u32) -> u64) {
        self.places[place] = number;
        if (number as usize + 1) * SPARE > self.places.len() * 10 {
            self.grow(number, hash);
        }
    }

    /// Twice as many places.
    #[cold]
    fn grow(&mut self, last: u32, hash: impl Fn(u32) -> u64) {
        let places = self.places.len() * 2;
        self.places = Vec::new();
        self.places = vec![NONE; places];
        for number in 0..=last {
            let place = self.place(hash(number), |_| false).expect("nothing is the same");
            self.places[place] = number;
        }
    }
}

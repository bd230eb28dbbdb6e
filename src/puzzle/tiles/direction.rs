//! The four directions of the blank.

/// Direction of the blank. The tile it swaps with moves the opposite way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Direction {
    /// One row up.
    Up = 0,
    /// One column to the right.
    Right = 1,
    /// One row down.
    Down = 2,
    /// One column to the left.
    Left = 3,
}

impl Direction {
    /// All directions, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Up, Self::Right, Self::Down, Self::Left];

    /// Returns the direction with number `index` modulo 4.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        Self::ALL[index & 3]
    }

    /// Returns the direction that undoes this one.
    #[inline]
    pub const fn opposite(self) -> Self {
        Self::from_index(self as usize + 2)
    }

    /// Returns the letter in `moves`, in the notation of the blank.
    #[inline]
    pub const fn letter(self) -> u8 {
        b"URDL"[self as usize]
    }

    /// Returns the name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Right => "right",
            Self::Down => "down",
            Self::Left => "left",
        }
    }

    /// Returns the direction of a letter of either case.
    pub const fn from_letter(letter: u8) -> Option<Self> {
        Some(match letter.to_ascii_uppercase() {
            b'U' => Self::Up,
            b'R' => Self::Right,
            b'D' => Self::Down,
            b'L' => Self::Left,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_opposites() {
        for d in Direction::ALL {
            assert_eq!(Direction::from_letter(d.letter()), Some(d));
            assert_eq!(Direction::from_letter(d.letter().to_ascii_lowercase()), Some(d));
            assert_eq!(d.opposite().opposite(), d);
            assert_ne!(d.opposite(), d);
        }
        assert_eq!(Direction::Up.opposite(), Direction::Down);
        assert_eq!(Direction::Right.opposite(), Direction::Left);
    }
}

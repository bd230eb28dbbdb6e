//! Records that are no puzzles.

/// Each is one line or a paragraph of its own.
pub(crate) const MALFORMED: [&str; 12] = [
    "1 2 3",
    "1 2 2 0",
    "1 2 3 4 5 6 7 8 99",
    "\u{1}\u{2}\u{3}",
    "@nonsense 5",
    "a: b: c",
    "1 2 3 -4",
    "3\n1 2 3\n4 5 6\n7 8 8\n",
    "tray 2 2\n0 0 5 5\ngoal\n0 0 0 0\n",
    "letters\nAB\nBA\ngoal\nAA\n..\n",
    "tray 3 3\n0 0 0 0\n",
    "9999999999999999999999999 1 2 3",
];

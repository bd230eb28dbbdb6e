//! Names of files that users and attackers have.

use crate::round::Round;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;

/// Stems of names; every one stands for a kind of mistake.
const ODD: [&str; 14] = [
    "with space",
    " leading and trailing ",
    "new\nline",
    "tab\there",
    "-dash",
    "--help",
    "quo'te\"s",
    "ünïcödé-谜",
    "$(touch owned)",
    "*?[a]",
    "%s%n{}",
    ".hidden",
    "a:b,c;d",
    "check",
];

/// Returns a file name with `number` in it, so that names differ, and `ending`.
pub(crate) fn file_name(round: &mut Round<'_>, number: usize, ending: &str) -> OsString {
    if round.skips("odd-names") || !round.random.one_in(3) {
        return format!("file{number}.{ending}").into();
    }
    if !round.skips("non-utf8-names") && round.random.one_in(6) {
        let mut bytes = b"not-utf8-\xff\xfe-".to_vec();
        bytes.extend(format!("{number}.{ending}").bytes());
        return OsString::from_vec(bytes);
    }
    let stem = round.random.pick(&ODD);
    format!("{stem}{number}.{ending}").into()
}

/// Returns the name as results have it, if that is certain.
pub(crate) fn shown(name: &OsStr) -> Option<String> {
    name.to_str().map(str::to_owned)
}

//! Names of input files as text.
//!
//! Unix allows any bytes in a name, while results and messages are UTF-8. Inside the program a name
//! is text: bytes that are not UTF-8 are escaped as `\xff`, and [`path_of`] decodes them when a file
//! is opened. A UTF-8 name is unchanged, unless it contains such an escape itself; then its backslash
//! is escaped, too. So different files have different texts.

use std::{
    borrow::Cow,
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
};

/// Returns the text of a file's name.
pub fn text_of(name: &OsStr) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.as_bytes().utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = rest.find('\\') {
            let (before, from) = rest.split_at(at);
            text.push_str(before);
            text.push_str(if escaped(from.as_bytes()).is_some() { "\\x5c" } else { "\\" });
            rest = &from[1..];
        }
        text.push_str(rest);
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
    }
    text
}

/// Returns the path that a text stands for.
pub fn path_of(text: &str) -> Cow<'_, Path> {
    let mut rest = text.as_bytes();
    if !(0..rest.len()).any(|at| escaped(&rest[at..]).is_some()) {
        return Path::new(text).into();
    }
    let mut name = Vec::with_capacity(rest.len());
    while let Some((&first, others)) = rest.split_first() {
        let found = escaped(rest);
        name.push(found.unwrap_or(first));
        rest = if found.is_some() { &rest[4..] } else { others };
    }
    PathBuf::from(OsString::from_vec(name)).into()
}

/// Decodes an escape at the start of `text`: a backslash, or a byte that is not ASCII.
fn escaped(text: &[u8]) -> Option<u8> {
    let [b'\\', b'x', high, low, ..] = *text else { return None };
    let digit = |byte: u8| (byte as char).to_digit(16).filter(|_| !byte.is_ascii_uppercase());
    let byte = (digit(high)? * 16 + digit(low)?) as u8;
    (byte == b'\\' || !byte.is_ascii()).then_some(byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn utf8_names_are_unchanged() {
        for name in ["a.txt", "-", "é/😀.txt", "a\\b", "a\\x41", "\\xZZ", "\\x5", ""] {
            assert_eq!(text_of(OsStr::new(name)), name);
            assert_eq!(path_of(name), Path::new(name));
        }
    }

    #[test]
    fn other_bytes_are_escaped() {
        assert_eq!(text_of(OsStr::from_bytes(b"a\xff\xc3.txt")), "a\\xff\\xc3.txt");
        assert_eq!(text_of(OsStr::new("a\\xff.txt")), "a\\x5cxff.txt");
        assert_eq!(path_of("a\\xff.txt").as_os_str().as_bytes(), b"a\xff.txt");
    }

    proptest! {
        #[test]
        fn every_name_survives_a_round_trip(name in proptest::collection::vec(
            prop_oneof![Just(b'\\'), Just(b'x'), Just(b'5'), Just(b'c'), Just(b'f'), any::<u8>()], 0..12,
        )) {
            let text = text_of(OsStr::from_bytes(&name));
            prop_assert_eq!(path_of(&text).into_owned().into_os_string().into_vec(), name);
        }
    }
}

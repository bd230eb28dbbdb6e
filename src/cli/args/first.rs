//! Classifies the first word of a command line that is not a command: a file, or a mistyped or
//! misplaced command. Decides whether standard input is read when no file is given.

use std::{
    io::{self, IsTerminal},
    os::{fd::AsFd, unix::fs::FileTypeExt},
    path::Path,
};

/// Jaro similarity (0 to 1) above which a word counts as a mistyped command. clap uses 0.7.
const SIMILAR: f64 = 0.8;

/// Returns the command that `word` most resembles, if `word` is not an existing file and is similar
/// enough.
pub(super) fn mistyped<'c>(word: &str, commands: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let is_word = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    if !is_word || Path::new(word).exists() {
        return None;
    }
    let word = word.to_ascii_lowercase();
    let similar = commands.map(|command| (strsim::jaro(&word, command), command));
    let best = similar.max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.filter(|&(similarity, _)| similarity > SIMILAR).map(|(_, command)| command)
}

/// Returns whether standard input is a pipe, a socket or a file, so that it is read by default. A
/// terminal or `/dev/null` is not.
pub(super) fn is_stdin_piped() -> bool {
    let stdin = io::stdin();
    let kind = || stdin.as_fd().try_clone_to_owned().and_then(|fd| std::fs::File::from(fd).metadata());
    !stdin.is_terminal()
        && kind().is_ok_and(|metadata| {
            let kind = metadata.file_type();
            kind.is_file() || kind.is_fifo() || kind.is_socket()
        })
}

#[cfg(test)]
mod tests {
    use super::mistyped;

    #[test]
    fn a_mistyped_command_is_recognised_and_a_file_is_not() {
        let commands = ["solve", "tray", "check", "improve", "generate", "convert", "pdb", "shell", "man"];
        let meant = |word| mistyped(word, commands.into_iter());
        for (word, command) in [
            ("chek", "check"),
            ("Check", "check"),
            ("slove", "solve"),
            ("genrate", "generate"),
            ("convrt", "convert"),
            ("shel", "shell"),
        ] {
            assert_eq!(meant(word), Some(command), "{word}");
        }
        for word in ["a", "puzzles", "check.txt", "./chek", "-", "hard", "src", "results"] {
            assert_eq!(meant(word), None, "{word}");
        }
    }
}

//! How far a run is: the results that are written, and the input that they answer.

use super::Difference;
use crate::input::{Block, Defaults, Digest, InputError, Reader};
use crate::output::Checksum;
use crate::run::source::RECORDS;
use twox_hash::XxHash64;

/// The bytes of a mark in a journal.
pub(crate) const SLOT: usize = 224;

/// How far a run is: the first results of a file answer the input up to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The marks of this journal before this one.
    pub(crate) number: u64,
    /// Results in the file.
    pub(crate) records: u64,
    /// The length of the file with them, and the checksum of these bytes.
    pub(crate) bytes: u64,
    pub(crate) checksum: u64,
    /// The place in the input: all files before this one, and this many bytes of it.
    pub(crate) file: usize,
    pub(crate) offset: u64,
    /// The digest of all text up to there.
    pub(crate) digest: u64,
    /// The number of results before the first that only the end of the run, by a signal or the
    /// deadline, made what it is. That one has to be solved again.
    pub(crate) complete: Option<u64>,
}

/// Nothing is read or written.
impl Default for Mark {
    fn default() -> Self {
        Self::at(0, 0, Digest::default().value())
    }
}

impl Mark {
    /// A place in the input, before any result.
    pub(crate) fn at(file: usize, offset: u64, digest: u64) -> Self {
        let checksum = Checksum::default().value();
        Self { number: 0, records: 0, bytes: 0, checksum, file, offset, digest, complete: None }
    }

    /// The end of all input.
    pub(crate) fn at_end(files: &[String], defaults: &Defaults) -> Self {
        let digest = files.iter().fold(Digest::default(), |digest, file| of_whole(file, defaults, digest));
        Self::at(files.len(), 0, digest.value())
    }

    /// Whether the input up to here is what it was.
    pub(crate) fn verify(
        &self,
        files: &[String],
        defaults: &Defaults,
    ) -> Result<Result<(), Difference>, InputError> {
        let mut digest = Digest::default();
        for file in files.iter().take(self.file) {
            digest = of_whole(file, defaults, digest);
        }
        let file = files.get(self.file).or(files.last()).cloned().unwrap_or_default();
        if self.offset > 0 && self.file < files.len() {
            match digest.add_file(&file, defaults.window, self.offset) {
                // What could not be read then gave no results, and cannot be read now.
                Err(InputError::Open { .. } | InputError::Directory { .. }) | Ok(_) => {}
                Err(error) => return Err(error),
            }
        }
        let same = digest.value() == self.digest;
        Ok(if same { Ok(()) } else { Err(Difference::Text { file, bytes: self.offset }) })
    }

    /// A line of [`SLOT`] bytes.
    pub(crate) fn to_slot(&self) -> String {
        let Self { number, records, bytes, checksum, file, offset, digest, complete } = self;
        let complete = complete.map_or_else(|| "-".into(), |complete| complete.to_string());
        let mark = format!(
            "mark {number} results {records} bytes {bytes} {checksum:016x} input {file} {offset} {digest:016x} \
             final {complete}"
        );
        let sum = XxHash64::oneshot(0, mark.as_bytes());
        format!("{:width$}\n", format!("{mark} {sum:016x}"), width = SLOT - 1)
    }

    /// Reads such a line; none if it is not exactly one that [`Mark::to_slot`] writes.
    pub(crate) fn parse(slot: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(slot).ok()?;
        let words: Vec<&str> = line.split(' ').take(14).collect();
        let number = |at: usize| words.get(at)?.parse::<u64>().ok();
        let hash = |at: usize| u64::from_str_radix(words.get(at)?, 16).ok();
        let mark = Self {
            number: number(1)?,
            records: number(3)?,
            bytes: number(5)?,
            checksum: hash(6)?,
            file: usize::try_from(number(8)?).ok()?,
            offset: number(9)?,
            digest: hash(10)?,
            complete: if words.get(12) == Some(&"-") { None } else { Some(number(12)?) },
        };
        (mark.to_slot() == line).then_some(mark)
    }
}

/// Adds the text of a file as a run reads it: where the file is damaged, up to
/// the last record before that.
fn of_whole(file: &str, defaults: &Defaults, digest: Digest) -> Digest {
    let Ok(mut reader) = Reader::open(file, defaults.clone()) else { return digest };
    reader.attach_digest(digest);
    let mut block = Block::default();
    while let Ok(true) = reader.next_block(&mut block, RECORDS) {}
    reader.digest().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let (most, complete) = (u64::MAX, Some(u64::MAX));
        let mark = Mark {
            number: most,
            records: most,
            bytes: most,
            checksum: most,
            file: usize::MAX,
            offset: most,
            digest: most,
            complete,
        };
        for mark in [mark, Mark::default()] {
            let slot = mark.to_slot();
            assert_eq!((slot.len(), Mark::parse(slot.as_bytes())), (SLOT, Some(mark)));
            for at in 0..SLOT {
                let mut torn = slot.clone().into_bytes();
                torn[at] ^= 1;
                assert_eq!(Mark::parse(&torn), None, "{at}");
            }
        }
    }
}

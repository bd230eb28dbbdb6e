//! Progress of a run: the results that are written, and the input that they answer.

use super::Difference;
use crate::input::{Block, Defaults, Digest, InputError, Reader};
use crate::output::Checksum;
use crate::run::source::RECORDS;
use twox_hash::XxHash64;

/// Bytes of a progress record in a journal.
pub(crate) const SLOT: usize = 224;

/// A progress record: the first results of a file answer the input up to a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Number of records in this journal before this one.
    pub(crate) number: u64,
    /// Results in the file.
    pub(crate) records: u64,
    /// Length of the file with these results.
    pub(crate) bytes: u64,
    /// Checksum of these bytes.
    pub(crate) checksum: u64,
    /// Index of the current input file; all files before it have been read.
    pub(crate) file: usize,
    /// Offset in the current input file.
    pub(crate) offset: u64,
    /// Digest of all input up to that offset.
    pub(crate) digest: u64,
    /// Index of the first provisional result: one produced only because a signal or the deadline
    /// ended the run. It has to be solved again.
    pub(crate) provisional_from: Option<u64>,
}

/// Progress before anything is read or written.
impl Default for Progress {
    fn default() -> Self {
        Self::at(0, 0, Digest::default().value())
    }
}

impl Progress {
    /// Returns a position in the input, with no results.
    pub(crate) fn at(file: usize, offset: u64, digest: u64) -> Self {
        let checksum = Checksum::default().value();
        Self { number: 0, records: 0, bytes: 0, checksum, file, offset, digest, provisional_from: None }
    }

    /// Returns the end of all input, with no results.
    pub(crate) fn at_end(files: &[String], defaults: &Defaults) -> Self {
        let digest =
            files.iter().fold(Digest::default(), |digest, file| add_whole_file(file, defaults, digest));
        Self::at(files.len(), 0, digest.value())
    }

    /// Checks that the input up to this position is unchanged.
    pub(crate) fn verify(
        &self,
        files: &[String],
        defaults: &Defaults,
    ) -> Result<Result<(), Difference>, InputError> {
        let mut digest = Digest::default();
        for file in files.iter().take(self.file) {
            digest = add_whole_file(file, defaults, digest);
        }
        let file = files.get(self.file).or(files.last()).cloned().unwrap_or_default();
        if self.offset > 0 && self.file < files.len() {
            match digest.add_file(&file, defaults.zstd_window, self.offset) {
                // A file that cannot be opened contributes nothing, as in the earlier run.
                Err(InputError::Open { .. } | InputError::Directory { .. }) | Ok(_) => {}
                Err(error) => return Err(error),
            }
        }
        let same = digest.value() == self.digest;
        Ok(if same { Ok(()) } else { Err(Difference::Text { file, bytes: self.offset }) })
    }

    /// Formats the record as a line of [`SLOT`] bytes.
    pub(crate) fn to_slot(&self) -> String {
        let Self { number, records, bytes, checksum, file, offset, digest, provisional_from } = self;
        let provisional_from = provisional_from.map_or_else(|| "-".into(), |index| index.to_string());
        let text = format!(
            "mark {number} results {records} bytes {bytes} {checksum:016x} input {file} {offset} {digest:016x} \
             final {provisional_from}"
        );
        let sum = XxHash64::oneshot(0, text.as_bytes());
        format!("{:width$}\n", format!("{text} {sum:016x}"), width = SLOT - 1)
    }

    /// Parses a line; `None` if it is not exactly as [`Progress::to_slot`] writes it.
    pub(crate) fn parse(slot: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(slot).ok()?;
        let words: Vec<&str> = line.split(' ').take(14).collect();
        let number = |at: usize| words.get(at)?.parse::<u64>().ok();
        let hash = |at: usize| u64::from_str_radix(words.get(at)?, 16).ok();
        let progress = Self {
            number: number(1)?,
            records: number(3)?,
            bytes: number(5)?,
            checksum: hash(6)?,
            file: usize::try_from(number(8)?).ok()?,
            offset: number(9)?,
            digest: hash(10)?,
            provisional_from: if words.get(12) == Some(&"-") { None } else { Some(number(12)?) },
        };
        (progress.to_slot() == line).then_some(progress)
    }
}

/// Adds the text of a file to `digest`, as a run reads it: of a damaged file, up to the last record
/// before the damage.
fn add_whole_file(file: &str, defaults: &Defaults, digest: Digest) -> Digest {
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
    fn only_written_records_are_parsed() {
        let (max, provisional_from) = (u64::MAX, Some(u64::MAX));
        let progress = Progress {
            number: max,
            records: max,
            bytes: max,
            checksum: max,
            file: usize::MAX,
            offset: max,
            digest: max,
            provisional_from,
        };
        for progress in [progress, Progress::default()] {
            let slot = progress.to_slot();
            assert_eq!((slot.len(), Progress::parse(slot.as_bytes())), (SLOT, Some(progress)));
            for at in 0..SLOT {
                let mut torn = slot.clone().into_bytes();
                torn[at] ^= 1;
                assert_eq!(Progress::parse(&torn), None, "{at}");
            }
        }
    }
}

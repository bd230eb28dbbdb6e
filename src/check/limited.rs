//! Results from anywhere, in memory of a fixed size: a stream of which no result
//! may be longer than there is room for.

use crate::quantity::Bytes;
use std::io::{self, BufRead, ErrorKind, Read};

/// A stream that counts what is taken of it since the last result began.
pub(super) struct Limited<R> {
    stream: R,
    most: u64,
    taken: u64,
}

impl<R: BufRead> Limited<R> {
    /// No result may be longer than `most` bytes.
    pub(super) fn new(stream: R, most: u64) -> Self {
        Self { stream, most, taken: 0 }
    }

    /// The next result begins.
    pub(super) fn begin(&mut self) {
        self.taken = 0;
    }
}

impl<R: BufRead> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Limited<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.taken > self.most {
            let what =
                format!("one is longer than {}, which is what --memory has room for", Bytes(self.most));
            return Err(io::Error::new(ErrorKind::OutOfMemory, what));
        }
        self.stream.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.taken += bytes as u64;
        self.stream.consume(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_taken_and_a_longer_one_refused() {
        let text = [b"1234567\n".repeat(3), b"1".repeat(99)].concat();
        let mut stream = Limited::new(io::BufReader::with_capacity(4, &text[..]), 10);
        let mut line = Vec::new();
        for _ in 0..3 {
            stream.begin();
            line.clear();
            assert_eq!(stream.read_until(b'\n', &mut line).unwrap(), 8);
        }
        stream.begin();
        let error = stream.read_until(b'\n', &mut line).unwrap_err();
        assert!(error.to_string().contains("longer than 10 B"), "{error}");
    }
}

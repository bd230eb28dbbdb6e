//! A stream of results with a limit on the length of one result, so that memory is bounded.

use crate::quantity::Bytes;
use std::io::{self, BufRead, ErrorKind, Read};

/// A stream that counts the bytes consumed since the start of the current result.
pub(super) struct Limited<R> {
    stream: R,
    limit: u64,
    consumed: u64,
}

impl<R: BufRead> Limited<R> {
    /// Creates a stream whose results have at most `most` bytes.
    pub(super) fn new(stream: R, limit: u64) -> Self {
        Self { stream, limit, consumed: 0 }
    }

    /// Marks the start of the next result.
    pub(super) fn begin(&mut self) {
        self.consumed = 0;
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
        if self.consumed > self.limit {
            let what = format!("a result is longer than {} (raise --memory)", Bytes(self.limit));
            return Err(io::Error::new(ErrorKind::OutOfMemory, what));
        }
        self.stream.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.consumed += bytes as u64;
        self.stream.consume(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_within_the_limit_is_read_and_a_longer_one_refused() {
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

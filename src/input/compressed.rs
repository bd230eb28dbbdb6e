//! Decompresses files by their extension: `.gz` and `.zst`.
//!
//! Decompression is streaming, so memory use is one window: 32 KiB for gzip; for Zstandard the size
//! that the file declares, up to a limit. Offsets in errors refer to the text, not to the
//! compressed file.
//!
//! `Frames` exists because `ruzstd::StreamingDecoder` reads a single frame only, and a `.zst` file
//! may have several.

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::FrameDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

/// Default maximum window of Zstandard. All levels of the zstd program up to 19 stay within it.
pub(super) const WINDOW: u64 = 8 << 20;

/// Returns the maximum window under a memory cap, so that small caps hold as well.
pub fn max_zstd_window(cap: u64) -> u64 {
    (cap / 8).min(WINDOW)
}

/// Bytes of the compressed file read at a time.
const READ: usize = 64 << 10;

/// Compression format of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compression {
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstandard,
}

impl Compression {
    /// Returns the compression format by a file's extension.
    pub fn of(name: &str) -> Option<Self> {
        let extension = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "gz" => Some(Self::Gzip),
            "zst" => Some(Self::Zstandard),
            _ => None,
        }
    }

    /// Returns the maximum resident bytes of decompression with a window of `window` bytes.
    pub fn footprint(self, window: Option<u64>) -> u64 {
        match self {
            Self::Gzip => 256 << 10,
            Self::Zstandard => 2 * window.unwrap_or(WINDOW) + (2 << 20),
        }
    }

    /// Returns the maximum resident bytes of decompressing one of these files at a time, under a
    /// memory cap.
    pub fn footprint_of(files: &[impl AsRef<str>], cap: u64) -> u64 {
        let packings = files.iter().filter_map(|file| Self::of(file.as_ref()));
        packings.map(|compression| compression.footprint(Some(max_zstd_window(cap)))).max().unwrap_or(0)
    }

    /// Returns the text of a compressed stream.
    pub(super) fn decompress(
        self,
        compressed: impl Read + Send + 'static,
        window: Option<u64>,
    ) -> Box<dyn Read + Send> {
        let compressed = BufReader::with_capacity(READ, compressed);
        match self {
            Self::Gzip => Box::new(Gzip { members: MultiGzDecoder::new(compressed) }),
            Self::Zstandard => {
                let mut decoder = FrameDecoder::new();
                decoder.set_max_window_size(window.unwrap_or(WINDOW));
                Box::new(Frames { compressed, decoder, within: false })
            }
        }
    }
}

/// Consecutive gzip members.
struct Gzip<R> {
    members: MultiGzDecoder<R>,
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.members.read(buffer).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "the gzip file is truncated"),
            ErrorKind::Interrupted | ErrorKind::TimedOut => error,
            kind => io::Error::new(kind, format!("the gzip file is damaged: {error}")),
        })
    }
}

/// Consecutive Zstandard frames. Frames without text are skipped.
struct Frames<R> {
    compressed: R,
    decoder: FrameDecoder,
    /// Whether a frame has been started and not finished.
    within: bool,
}

impl<R: BufRead> Frames<R> {
    /// Starts the next frame. Returns whether there is one.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.compressed.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.compressed) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    if io::copy(&mut (&mut self.compressed).take(length), &mut io::sink())? < length {
                        return Err(io::Error::new(ErrorKind::UnexpectedEof, TRUNCATED));
                    }
                }
                Err(FrameDecoderError::WindowSizeTooBig { requested, max }) => {
                    let what = format!(
                        "the Zstandard file needs a {} byte window; the limit is {} (raise --memory)",
                        requested, max
                    );
                    return Err(io::Error::new(ErrorKind::OutOfMemory, what));
                }
                Err(error) => return Err(damaged(&error)),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        use ruzstd::decoding::BlockDecodingStrategy::UptoBlocks;
        loop {
            if !self.within {
                if !self.begin()? {
                    return Ok(0);
                }
                self.within = true;
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                self.decoder
                    .decode_blocks(&mut self.compressed, UptoBlocks(1))
                    .map_err(|error| damaged(&error))?;
            }
            let read = self.decoder.read(buffer)?;
            if self.decoder.is_finished() && self.decoder.can_collect() == 0 {
                self.within = false;
                let stored = self.decoder.get_checksum_from_data();
                if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
                    return Err(io::Error::new(
                        ErrorKind::InvalidData,
                        "the Zstandard file is damaged: a checksum is wrong",
                    ));
                }
            }
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
        }
    }
}

const TRUNCATED: &str = "the Zstandard file is truncated";

/// Converts a decoder error; an error of the stream itself is returned unchanged.
fn damaged(error: &FrameDecoderError) -> io::Error {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<io::Error>() {
            return match io.kind() {
                ErrorKind::UnexpectedEof => io::Error::new(io.kind(), TRUNCATED),
                kind => io::Error::new(kind, io.to_string()),
            };
        }
        cause = error.source();
    }
    io::Error::new(ErrorKind::InvalidData, format!("the Zstandard file is damaged: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression as Level, write::GzEncoder};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::{Cursor, Write};

    fn text() -> Vec<u8> {
        (0..60_000u32).flat_map(|n| format!("{} {}\n", n * n % 977, n).into_bytes()).collect()
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Level::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstandard(text: &[u8]) -> Vec<u8> {
        compress_to_vec(text, CompressionLevel::Fastest)
    }

    fn decompress(
        compression: Compression,
        compressed: Vec<u8>,
        window: Option<u64>,
    ) -> (Vec<u8>, io::Result<usize>) {
        let mut out = Vec::new();
        let read = compression.decompress(Cursor::new(compressed), window).read_to_end(&mut out);
        (out, read)
    }

    #[test]
    fn the_extension_names_the_format() {
        assert_eq!(Compression::of("a/b.txt.GZ"), Some(Compression::Gzip));
        assert_eq!(Compression::of("b.zst"), Some(Compression::Zstandard));
        assert_eq!(
            (Compression::of("gz"), Compression::of("-"), Compression::of("a.txt")),
            (None, None, None)
        );
    }

    #[test]
    fn several_parts_are_one_text() {
        let text = text();
        let (first, second) = text.split_at(100_000);
        let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 5, 0, 0, 0][..], b"notes"].concat();
        let (out, read) = decompress(Compression::Gzip, [gzip(first), gzip(second)].concat(), None);
        assert!(read.is_ok() && out == text);
        let compressed = [zstandard(first), skipped, zstandard(second)].concat();
        let (out, read) = decompress(Compression::Zstandard, compressed, None);
        assert!(read.is_ok() && out == text, "{read:?}");
        for compression in [Compression::Gzip, Compression::Zstandard] {
            assert_eq!(decompress(compression, Vec::new(), None).1.unwrap_or(0), 0);
        }
    }

    #[test]
    fn every_truncation_is_an_error_after_the_preceding_text() {
        let text = text();
        for (compression, compressed) in
            [(Compression::Gzip, gzip(&text)), (Compression::Zstandard, zstandard(&text))]
        {
            for cut in [5, 100, compressed.len() / 2, compressed.len() - 1] {
                let (out, read) = decompress(compression, compressed[..cut].to_vec(), None);
                let error = read.unwrap_err().to_string();
                assert!(error.contains("is truncated"), "{compression:?} at {cut}: {error}");
                assert!(text.starts_with(&out));
            }
        }
    }

    #[test]
    fn damage_is_found() {
        let text = text();
        for (compression, compressed) in
            [(Compression::Gzip, gzip(&text)), (Compression::Zstandard, zstandard(&text))]
        {
            for at in (20..compressed.len()).step_by(compressed.len() / 50) {
                let mut damaged = compressed.clone();
                damaged[at] ^= 0x55;
                let (out, read) = decompress(compression, damaged, None);
                assert!(read.is_err() || out == text, "{compression:?} at {at}");
            }
            assert!(decompress(compression, b"1 2 3 4 5 6 7 8 0\n".to_vec(), None).1.is_err());
        }
    }

    #[test]
    fn a_window_that_is_too_large_is_refused() {
        let error = decompress(Compression::Zstandard, zstandard(&text()), Some(1 << 10)).1.unwrap_err();
        assert!(error.to_string().contains("byte window; the limit is"), "{error}");
    }
}

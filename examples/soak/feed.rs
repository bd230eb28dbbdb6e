//! The other ends of pipes and FIFOs: writers that are slow, readers that
//! leave early.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Threads at the other ends; they end when told to.
#[derive(Default)]
pub(crate) struct Peers {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Peers {
    /// Writes `bytes` to `to`; a slow writer pauses between small pieces.
    pub(crate) fn write(&mut self, mut to: impl Write + Send + 'static, bytes: Vec<u8>, slow: bool) {
        let stop = Arc::clone(&self.stop);
        self.threads.push(std::thread::spawn(move || write_pieces(&mut to, &bytes, slow, &stop)));
    }

    /// Writes `bytes` to a FIFO as soon as somebody reads it.
    pub(crate) fn write_fifo(&mut self, path: PathBuf, bytes: Vec<u8>, slow: bool) {
        let stop = Arc::clone(&self.stop);
        self.threads.push(std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                // Without blocking this fails until there is a reader.
                let opened = File::options().write(true).custom_flags(libc::O_NONBLOCK).open(&path);
                if let Ok(mut file) = opened {
                    return write_pieces(&mut file, &bytes, slow, &stop);
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }));
    }

    /// Reads a FIFO, and closes it after `most` bytes.
    pub(crate) fn read_fifo(&mut self, path: PathBuf, most: usize) {
        let stop = Arc::clone(&self.stop);
        self.threads.push(std::thread::spawn(move || {
            let opened = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(&path);
            let Ok(mut file) = opened else { return };
            let (mut taken, mut chunk) = (0, [0; 512]);
            while taken < most && !stop.load(Ordering::Relaxed) {
                match file.read(&mut chunk) {
                    Ok(0) | Err(_) => std::thread::sleep(Duration::from_millis(1)),
                    Ok(count) => taken += count,
                }
            }
        }));
    }

    /// Reads `from` and closes it after `most` bytes.
    pub(crate) fn read(&mut self, mut from: impl Read + Send + 'static, most: usize) {
        self.threads.push(std::thread::spawn(move || {
            let (mut taken, mut chunk) = (0, [0; 512]);
            while taken < most {
                match from.read(&mut chunk) {
                    Ok(0) | Err(_) => return,
                    Ok(count) => taken += count,
                }
            }
        }));
    }

    /// Ends all of them.
    pub(crate) fn end(self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads {
            let _ = thread.join();
        }
    }
}

fn write_pieces(to: &mut impl Write, bytes: &[u8], slow: bool, stop: &AtomicBool) {
    // A slow writer takes about a fifth of a second in all.
    let piece = if slow { bytes.len() / 100 + 1 } else { 64 << 10 };
    for mut piece in bytes.chunks(piece) {
        while !piece.is_empty() {
            match to.write(piece) {
                Ok(written) => piece = &piece[written..],
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(_) => return,
            }
        }
        if slow {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

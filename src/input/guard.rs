//! Copies a window of a file through a memory mapping, and survives truncation of the file during
//! the copy.
//!
//! Accessing a mapped page beyond the end of the file raises SIGBUS, which ends the process by
//! default. The handler here checks whether the fault lies in the window that its thread is
//! copying. If so, it maps zero pages over the rest of the window and records the address. The copy
//! then completes, and the caller learns how many bytes are the file's. Any other SIGBUS is
//! forwarded to the previous handler (the one with which Rust reports stack overflows), or has its
//! default effect.
//!
//! A fault of a memory access is delivered to the thread that made the access, so the guarded range
//! is thread-local and needs no lock.

#![allow(unsafe_code)]

use memmap2::MmapOptions;
use std::{
    cell::Cell,
    fs::File,
    io, ptr,
    sync::{
        OnceLock,
        atomic::{Ordering, compiler_fence},
    },
};

thread_local! {
    /// Addresses that this thread is copying from; empty otherwise.
    static WINDOW: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    /// First address of the window beyond the end of the file.
    static FIRST_LOST: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Previous action for SIGBUS; set with the handler.
static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();

/// Page size; set with the handler.
static PAGE: OnceLock<usize> = OnceLock::new();

/// Appends `len` bytes of the file from `offset` to `buffer`, through a mapping that is removed on
/// return. Appends fewer if the file ends earlier by whole pages. A truncation inside a page reads
/// as zeros, so the caller must also check the file's size.
pub(super) fn copy(file: &File, offset: u64, len: usize, buffer: &mut Vec<u8>) -> io::Result<usize> {
    install()?;
    // Another process may change the file during the copy, so no reference into the mapping is
    // created: its bytes are copied once, through a raw pointer.
    let map = MmapOptions::new().offset(offset).len(len).populate().map_raw_read_only(file)?;
    let start = map.as_ptr();
    buffer.reserve(len);
    WINDOW.set((start as usize, start as usize + len));
    FIRST_LOST.set(usize::MAX);
    compiler_fence(Ordering::SeqCst);
    // SAFETY: `start..start + len` is mapped and readable until `map` is
    // dropped, zero pages taking the place of lost ones; `reserve` made room
    // for `len` bytes behind the buffer's end; the two do not overlap.
    unsafe { ptr::copy_nonoverlapping(start, buffer.as_mut_ptr().add(buffer.len()), len) };
    compiler_fence(Ordering::SeqCst);
    WINDOW.set((0, 0));
    let copied = FIRST_LOST.get().saturating_sub(start as usize).min(len);
    // SAFETY: the capacity is there and the copy initialised these bytes.
    unsafe { buffer.set_len(buffer.len() + copied) };
    Ok(copied)
}

/// Installs the handler, once.
fn install() -> io::Result<()> {
    static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| {
        // SAFETY: sysconf has no preconditions.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        PAGE.get_or_init(|| usize::try_from(page).unwrap_or(4096));
        // SAFETY: sigaction is plain data, for which zeros are valid.
        let (mut action, mut previous): (libc::sigaction, libc::sigaction) = unsafe { std::mem::zeroed() };
        let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = on_bus_error;
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // The previous action must be stored before the handler can be called.
        // SAFETY: both structures are valid for the call; a query changes nothing.
        if unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), &mut previous) } != 0 {
            return Err(io::Error::last_os_error().raw_os_error().unwrap_or(0));
        }
        PREVIOUS.get_or_init(|| previous);
        // SAFETY: the handler has the signature that SA_SIGINFO requires, and calls only
        // async-signal-safe functions.
        if unsafe { libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()) } != 0 {
            return Err(io::Error::last_os_error().raw_os_error().unwrap_or(0));
        }
        Ok(())
    });
    installed.map_err(io::Error::from_raw_os_error)
}

/// Maps zeros over the lost part of the window, or forwards the signal.
extern "C" fn on_bus_error(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system passes a valid siginfo to a SA_SIGINFO handler.
    let address = unsafe { (*info).si_addr() } as usize;
    let (start, end) = WINDOW.get();
    if !(start..end).contains(&address) || !replace(address, end) {
        return forward_signal(signal, info, context);
    }
    FIRST_LOST.set(FIRST_LOST.get().min(address));
}

/// Maps zero pages from the page of `address` to `end`.
fn replace(address: usize, end: usize) -> bool {
    let page = PAGE.get().copied().unwrap_or(4096);
    let first = address - address % page;
    // SAFETY: the range lies in this thread's own mapping of the window, which
    // nothing but the interrupted copy uses; it stays part of what dropping the
    // mapping unmaps. mmap is a plain system call here, safe in a handler.
    let zeros = unsafe {
        libc::mmap(
            first as *mut libc::c_void,
            end - first,
            libc::PROT_READ,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
            -1,
            0,
        )
    };
    zeros != libc::MAP_FAILED
}

/// Does what would have happened without this handler.
fn forward_signal(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let Some(previous) = PREVIOUS.get() else { return };
    let handler = previous.sa_sigaction;
    if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
        // Restore the previous action: the access is repeated and has its default effect.
        // SAFETY: `previous` was filled by the system.
        unsafe { libc::sigaction(signal, previous, ptr::null_mut()) };
    } else if previous.sa_flags & libc::SA_SIGINFO != 0 {
        // SAFETY: with SA_SIGINFO the previous handler has this signature.
        let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) =
            unsafe { std::mem::transmute(handler) };
        handler(signal, info, context);
    } else {
        // SAFETY: without SA_SIGINFO the previous handler takes the signal alone.
        let handler: extern "C" fn(i32) = unsafe { std::mem::transmute(handler) };
        handler(signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_window_is_copied() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[7; 10_000]).unwrap();
        let mut buffer = vec![1];
        assert_eq!(copy(&file, 0, 10_000, &mut buffer).unwrap(), 10_000);
        assert!(buffer.len() == 10_001 && buffer[1..].iter().all(|&b| b == 7));
        assert_eq!(copy(&file, 8192, 1808, &mut buffer).unwrap(), 1808);
    }

    #[test]
    fn pages_that_the_file_has_lost_are_not_copied() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![7; 4096 * 3]).unwrap();
        for round in 0..3 {
            let mut buffer = Vec::new();
            let copied = copy(&file, 0, 4096 * 10, &mut buffer).unwrap();
            assert_eq!(copied, 4096 * 3, "round {round}");
            assert!(buffer.len() == copied && buffer.iter().all(|&b| b == 7));
            assert_eq!(copy(&file, 4096 * 5, 4096, &mut buffer).unwrap(), 0);
        }
    }
}

//! Memory limits of this process, and memory in use.
//!
//! Linux reports both in small text files, so most of this module is parsing. Functions that
//! need several files take a parameter `read` that returns the text of one, so tests run
//! without the files.

use super::budget::PROGRAM;
use crate::quantity::Bytes;
use std::{fmt, fs, path::Path};

/// Assumed limit where the system reports none.
const UNKNOWN: u64 = 1 << 30;

/// Memory that this process may use, and the limit that determines it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allowance {
    /// The memory in bytes.
    pub bytes: u64,
    /// The smallest limit.
    pub source: Source,
}

/// Origin of a memory limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// Control group (a container, a job of a scheduler).
    ControlGroup,
    /// Address space or data segment (`ulimit -v`, `ulimit -d`).
    AddressSpace,
    /// Available memory of the machine.
    Available,
    /// No limit is known; a small amount is assumed.
    Assumed,
}

impl Allowance {
    /// Returns the default cap: three quarters of the allowance.
    pub fn default_cap(self) -> u64 {
        self.bytes / 4 * 3
    }
}

/// Formats as `23.2 GiB (available memory)`.
impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = match self.source {
            Source::ControlGroup => "control group limit",
            Source::AddressSpace => "address-space limit",
            Source::Available => "available memory",
            Source::Assumed => "assumed",
        };
        write!(f, "{} ({source})", Bytes(self.bytes))
    }
}

/// Returns the smallest of all limits on this process.
pub fn allowance() -> Allowance {
    allowance_from(&read_file)
}

/// Returns the peak resident memory in bytes.
pub fn peak_resident() -> u64 {
    status_field("VmHWM:").unwrap_or_else(peak_from_rusage)
}

/// Returns the current resident memory in bytes.
pub fn resident() -> u64 {
    status_field("VmRSS:").unwrap_or_else(peak_from_rusage)
}

/// Returns the bytes that this process may still map, if that is limited (`ulimit -v`).
pub fn address_space_left() -> Option<u64> {
    let limit = address_space(&read_file(Path::new("/proc/self/limits"))?)?;
    Some(limit.saturating_sub(status_field("VmSize:")?))
}

/// Stack size of a worker. Searches store their paths elsewhere, so a small stack suffices.
pub const STACK: usize = 512 << 10;

/// Mapped bytes outside the budget and the workers' stacks: windows of files, stacks of
/// other threads, gaps between allocations.
const UNBUDGETED: u64 = 16 << 20;

/// Returns the cap on resident memory: `requested`, or by default three quarters of the
/// allowance; at most what can be mapped beside the stacks of `workers`.
pub fn cap(requested: Option<u64>, workers: usize) -> u64 {
    let wanted = requested.unwrap_or_else(|| allowance().default_cap());
    address_space_left().map_or(wanted, |left| wanted.min(mappable(left, workers)))
}

/// Returns the largest cap if `left` more bytes can be mapped. The program itself is mapped
/// already.
fn mappable(left: u64, workers: usize) -> u64 {
    (PROGRAM + left).saturating_sub(UNBUDGETED + (workers * STACK) as u64)
}

/// Limits the number of malloc arenas of the C library. By default each allocating thread
/// gets one: memory freed in one arena is not reused by others, and each maps 64 MiB, which
/// counts if the address space is limited. Call at program start, before any thread exists.
pub fn limit_malloc_arenas() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let arenas = if address_space_left().is_some() { 1 } else { cores.min(MAX_MALLOC_ARENAS) };
        #[allow(unsafe_code)]
        // SAFETY: sets a parameter of the allocator; no other thread runs yet.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, arenas as libc::c_int);
        }
    }
}

/// Number of malloc arenas with which threads rarely wait for each other. Small allocations
/// are served from per-thread caches anyway.
const MAX_MALLOC_ARENAS: usize = 4;

fn status_field(name: &str) -> Option<u64> {
    kib_field(&read_file(Path::new("/proc/self/status"))?, name)
}

fn read_file(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// Returns the smallest limit that the files contain.
fn allowance_from(read: &dyn Fn(&Path) -> Option<String>) -> Allowance {
    let text = |path: &str| read(Path::new(path));
    let available = text("/proc/meminfo").and_then(|text| kib_field(&text, "MemAvailable:"));
    let limits = [
        (control_group(read), Source::ControlGroup),
        (text("/proc/self/limits").and_then(|text| address_space(&text)), Source::AddressSpace),
        (available, Source::Available),
    ];
    let known = limits.into_iter().filter_map(|(bytes, source)| Some(Allowance { bytes: bytes?, source }));
    known.min_by_key(|limit| limit.bytes).unwrap_or(Allowance { bytes: UNKNOWN, source: Source::Assumed })
}

/// Returns the smallest limit of the control group and its ancestors.
fn control_group(read: &dyn Fn(&Path) -> Option<String>) -> Option<u64> {
    let membership = read(Path::new("/proc/self/cgroup"))?;
    let mut smallest = None::<u64>;
    for line in membership.lines() {
        // `0::/path` in version 2, `NUMBER:CONTROLLERS:/path` in version 1.
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            list if list.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let group = path.trim_start_matches('/');
        for ancestor in Path::new(group).ancestors() {
            let limit = read(&Path::new(root).join(ancestor).join(file));
            // No limit: the word `max` in version 2, a huge number in version 1.
            let limit = limit.and_then(|text| text.trim().parse::<u64>().ok());
            smallest = smallest.into_iter().chain(limit.filter(|&bytes| bytes < 1 << 60)).min();
        }
    }
    smallest
}

/// Returns the smaller of the soft limits on address space and data segment.
fn address_space(limits: &str) -> Option<u64> {
    let soft = |name: &str| {
        let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    soft("Max address space").into_iter().chain(soft("Max data size")).min()
}

/// Returns a field such as `VmHWM:   1234 kB` in bytes.
fn kib_field(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// Returns the peak from `getrusage`, for systems without `/proc`.
#[allow(unsafe_code)]
fn peak_from_rusage() -> u64 {
    // SAFETY: `rusage` consists of integers, so all bytes zero are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is valid for writing.
    if unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) } != 0 {
        return 0;
    }
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    u64::try_from(usage.ru_maxrss).unwrap_or(0) * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the allowance computed from the given files.
    fn allowance(files: &[(&str, &str)]) -> Allowance {
        allowance_from(&|path| {
            files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_owned())
        })
    }

    const MEMINFO: (&str, &str) =
        ("/proc/meminfo", "MemTotal:  24681492 kB\nMemFree:  100 kB\nMemAvailable:    8388608 kB\n");

    fn limits(address_space: &str, data: &str) -> String {
        format!(
            "Limit                     Soft Limit           Hard Limit           Units     \n\
             Max data size             {data:<20} unlimited            bytes     \n\
             Max open files            1024                 524288               files     \n\
             Max address space         {address_space:<20} unlimited            bytes     \n"
        )
    }

    #[test]
    fn the_smallest_limit_wins() {
        let free = limits("unlimited", "unlimited");
        let group = ("/proc/self/cgroup", "0::/user/job\n");
        let at = |bytes, source| Allowance { bytes, source };
        let all = allowance(&[MEMINFO, ("/proc/self/limits", &free)]);
        assert_eq!(all, at(8 << 30, Source::Available));
        assert_eq!(all.default_cap(), 6 << 30);
        assert_eq!(all.to_string(), "8 GiB (available memory)");
        let tight = limits("1073741824", "unlimited");
        assert_eq!(allowance(&[MEMINFO, ("/proc/self/limits", &tight)]), at(1 << 30, Source::AddressSpace));
        let tight = limits("1073741824", "536870912");
        assert_eq!(allowance(&[MEMINFO, ("/proc/self/limits", &tight)]), at(1 << 29, Source::AddressSpace));
        let job = ("/sys/fs/cgroup/user/job/memory.max", "67108864\n");
        assert_eq!(allowance(&[MEMINFO, group, job]), at(64 << 20, Source::ControlGroup));
        assert_eq!(allowance(&[]).source, Source::Assumed);
    }

    #[test]
    fn an_ancestor_group_may_have_a_smaller_limit() {
        let files = [
            ("/proc/self/cgroup", "0::/user/job/step\n"),
            ("/sys/fs/cgroup/user/job/step/memory.max", "max\n"),
            ("/sys/fs/cgroup/user/job/memory.max", "2147483648\n"),
            ("/sys/fs/cgroup/user/memory.max", "1073741824\n"),
            MEMINFO,
        ];
        assert_eq!(allowance(&files).bytes, 1 << 30);
    }

    #[test]
    fn a_container_sees_its_own_group_as_the_root() {
        let files = [("/proc/self/cgroup", "0::/\n"), ("/sys/fs/cgroup/memory.max", "268435456\n"), MEMINFO];
        assert_eq!(allowance(&files).bytes, 256 << 20);
    }

    #[test]
    fn version_1_groups() {
        let membership = "12:cpu,cpuacct:/docker/abc\n7:memory:/docker/abc\n0::/system\n";
        let ours = "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes";
        let top = ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        let files = [("/proc/self/cgroup", membership), (ours, "536870912\n"), top, MEMINFO];
        assert_eq!(allowance(&files), Allowance { bytes: 512 << 20, source: Source::ControlGroup });
        let files = [("/proc/self/cgroup", membership), top, MEMINFO];
        assert_eq!(allowance(&files).source, Source::Available);
    }

    #[test]
    fn malformed_files_are_ignored() {
        let files = [("/proc/self/cgroup", "\n0\n0:\n:::\n"), ("/proc/meminfo", "MemAvailable: many kB\n")];
        assert_eq!(allowance(&files).source, Source::Assumed);
        assert_eq!(kib_field("VmHWM:\t   5120 kB\n", "VmHWM:"), Some(5 << 20));
        assert_eq!(kib_field("VmHWM: 99999999999999999 kB", "VmHWM:"), None);
    }

    #[test]
    fn this_process_uses_memory() {
        assert!(peak_resident() >= resident() / 2 && resident() > 100_000);
        assert!(peak_from_rusage() > 100_000);
        assert!(super::allowance().bytes > 0);
    }
}

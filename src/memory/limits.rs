//! What the system lets this process use, and what it has used.
//!
//! Linux says all of it in small text files, so nearly everything here is
//! parsing, and testable without the machine: each function that looks at
//! several files takes a `read` that fetches one of them.

use super::budget::PROGRAM;
use crate::quantity::Bytes;
use std::{fmt, fs, path::Path};

/// What is assumed where the system says nothing at all.
const UNKNOWN: u64 = 1 << 30;

/// The memory that this process may use, and which limit says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allowance {
    /// How much.
    pub bytes: u64,
    /// The tightest limit.
    pub source: Source,
}

/// A limit on memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// That of the control group (a container, a job of a scheduler).
    ControlGroup,
    /// That on the address space or the data segment (`ulimit -v`, `ulimit -d`).
    AddressSpace,
    /// What the machine has left.
    Available,
    /// Nothing is known; a small amount is assumed.
    Assumed,
}

impl Allowance {
    /// The cap unless the user gives one: three quarters of the allowance.
    pub fn default_cap(self) -> u64 {
        self.bytes / 4 * 3
    }
}

/// `23.2 GiB (available memory)`.
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

/// The smallest of all limits on this process.
pub fn allowance() -> Allowance {
    allowance_from(&read_file)
}

/// The largest resident memory so far, in bytes.
pub fn peak_resident() -> u64 {
    status_field("VmHWM:").unwrap_or_else(peak_from_rusage)
}

/// The resident memory now, in bytes.
pub fn resident() -> u64 {
    status_field("VmRSS:").unwrap_or_else(peak_from_rusage)
}

/// How much more this process may map, where that is limited (`ulimit -v`).
pub fn address_space_left() -> Option<u64> {
    let limit = address_space(&read_file(Path::new("/proc/self/limits"))?)?;
    Some(limit.saturating_sub(status_field("VmSize:")?))
}

/// The stack of a worker: searches keep their paths elsewhere, so little will do.
pub const STACK: usize = 512 << 10;

/// What is mapped beside the memory that is budgeted and the workers' stacks:
/// windows of files, stacks of other threads, gaps between allocations.
const UNBUDGETED: u64 = 16 << 20;

/// The cap on the resident memory of a process with so many workers: what was asked
/// for, or three quarters of what may be used; and no more than can be mapped.
pub fn cap(asked: Option<u64>, workers: usize) -> u64 {
    let wanted = asked.unwrap_or_else(|| allowance().default_cap());
    address_space_left().map_or(wanted, |left| wanted.min(mappable(left, workers)))
}

/// The cap that fits where so many more bytes can be mapped. The program itself
/// is mapped already.
fn mappable(left: u64, workers: usize) -> u64 {
    (PROGRAM + left).saturating_sub(UNBUDGETED + (workers * STACK) as u64)
}

/// Keeps the C library from a heap for each thread that allocates: what one
/// thread frees another one could not use, and each maps 64 MiB, which counts
/// where the address space is limited. For the start of the program, before
/// there are threads.
pub fn limit_malloc_arenas() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let heaps = if address_space_left().is_some() { 1 } else { cores.min(MOST_HEAPS) };
        #[allow(unsafe_code)]
        // SAFETY: sets a number inside the allocator; no other thread runs yet.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, heaps as libc::c_int);
        }
    }
}

/// So many heaps let threads allocate without waiting for each other; small
/// pieces are kept by each thread anyway.
const MOST_HEAPS: usize = 4;

fn status_field(name: &str) -> Option<u64> {
    kib_field(&read_file(Path::new("/proc/self/status"))?, name)
}

fn read_file(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// The smallest limit that the files tell.
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

/// The smallest limit of our control group and all groups around it.
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
            // `max` in version 2 is no number; version 1 gives a huge one.
            let limit = limit.and_then(|text| text.trim().parse::<u64>().ok());
            smallest = smallest.into_iter().chain(limit.filter(|&bytes| bytes < 1 << 60)).min();
        }
    }
    smallest
}

/// The soft limits on address space and data segment in `/proc/self/limits`.
fn address_space(limits: &str) -> Option<u64> {
    let soft = |name: &str| {
        let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    soft("Max address space").into_iter().chain(soft("Max data size")).min()
}

/// A field such as `VmHWM:   1234 kB`, in bytes.
fn kib_field(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// The peak as the C library tells it, where there is no `/proc`.
#[allow(unsafe_code)]
fn peak_from_rusage() -> u64 {
    // SAFETY: all bytes zero are a valid `rusage`: it consists of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is valid for writing, which is all that is asked of it.
    if unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) } != 0 {
        return 0;
    }
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    u64::try_from(usage.ru_maxrss).unwrap_or(0) * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An allowance from made-up files.
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
    fn a_group_around_ours_may_be_tighter() {
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
    fn junk_is_no_limit() {
        let files = [("/proc/self/cgroup", "\n0\n0:\n:::\n"), ("/proc/meminfo", "MemAvailable: many kB\n")];
        assert_eq!(allowance(&files).source, Source::Assumed);
        assert_eq!(kib_field("VmHWM:\t   5120 kB\n", "VmHWM:"), Some(5 << 20));
        assert_eq!(kib_field("VmHWM: 99999999999999999 kB", "VmHWM:"), None);
    }

    #[test]
    fn this_process_has_used_something() {
        assert!(peak_resident() >= resident() / 2 && resident() > 100_000);
        assert!(peak_from_rusage() > 100_000);
        assert!(super::allowance().bytes > 0);
    }
}

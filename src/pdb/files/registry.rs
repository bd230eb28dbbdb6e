//! Registry of the databases in memory. Each is loaded from its file or built once, and shared.

use super::store::{Damage, Store};
use crate::pdb::build::{self, BuildError, Report};
use crate::pdb::database::{Database, table_bytes};
use crate::pdb::fifteen::batch::avx512_bytes;
use crate::pdb::fifteen::lookup::LABELS;
use crate::pdb::geometry::canonical::Frame;
use crate::pdb::geometry::classes::Classes;
use crate::pdb::geometry::pattern::Pattern;
use crate::pdb::partition::Partition;
use crate::puzzle::tiles::Size;
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;

/// Databases in memory, and the store of their files.
#[derive(Debug, Default)]
pub struct Library {
    store: Option<Store>,
    classes: Vec<Arc<Classes>>,
    databases: Vec<Arc<Database>>,
    /// Column words of the AVX-512 kernel, which are equal for all goals.
    shared_columns: Mutex<Vec<SharedColumns>>,
}

/// Frame and pattern sizes, and the column words for them.
type SharedColumns = (Frame, Vec<usize>, Arc<[u64]>);

/// Resources needed for the databases of a partition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// Memory when all databases are loaded.
    pub bytes: u64,
    /// Peak memory while they are loaded or built.
    pub peak: u64,
    /// States to be searched for databases without a file.
    pub states: u64,
    /// Bytes to be read from files.
    pub to_read: u64,
}

/// Event while databases are loaded or built.
#[derive(Debug)]
pub enum Event<'e> {
    /// A file cannot be used; the database is built again.
    Damaged(Pattern, &'e Damage),
    /// A database could not be written to its file; it is used nevertheless.
    NotSaved(Pattern, &'e io::Error),
    /// A database was written to its file; the size of the file in bytes.
    Saved(Pattern, u64),
    /// A database is being built.
    Progress(Pattern, BuildProgress),
}

/// Progress of the databases of a partition that have to be built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BuildProgress {
    /// Number of the database being built, from 1.
    pub number: usize,
    /// Number of databases to build.
    pub of: usize,
    /// States reached, in all these databases.
    pub done: u64,
    /// All states of these databases.
    pub states: u64,
}

impl BuildProgress {
    /// Returns the share of states reached, in percent.
    pub fn percent(&self) -> u64 {
        (self.done as u128 * 100 / u128::from(self.states.max(1))) as u64
    }
}

/// Callback for events. Returns whether to continue.
pub type Listener<'l> = &'l (dyn Fn(Event<'_>) -> bool + Sync);

impl Library {
    /// Creates an empty library. Databases that it builds are saved to `store`, if there is one.
    pub fn new(store: Option<Store>) -> Self {
        Self { store, ..Self::default() }
    }

    /// Returns the classes of `pattern`; `None` if its table would be too large.
    fn classes(&mut self, pattern: Pattern) -> Option<Arc<Classes>> {
        if let Some(known) =
            self.classes.iter().find(|classes| classes.matches(pattern.frame, pattern.tiles()))
        {
            return Some(known.clone());
        }
        let classes = Arc::new(Classes::new(pattern.frame, pattern.tiles())?);
        // Bit indices have 32 bits.
        if 8 * table_bytes(&classes, pattern.tiles()) > u64::from(u32::MAX) {
            return None;
        }
        self.classes.push(classes.clone());
        Some(classes)
    }

    /// Returns the canonical patterns of a partition, each once.
    fn patterns(partition: &Partition, size: Size, blank: usize) -> Option<Vec<Pattern>> {
        let mut patterns = Vec::new();
        for view in partition.views(size, blank)? {
            for pattern in view.patterns {
                let (canonical, _) = pattern.canonical();
                if !patterns.contains(&canonical) {
                    patterns.push(canonical);
                }
            }
        }
        Some(patterns)
    }

    /// Returns the resources needed for all databases of `partition`; `None` if it does not fit
    /// the board.
    pub fn needs(&mut self, partition: &Partition, size: Size, blank: usize) -> Option<Needs> {
        self.count_needs(partition, size, blank, false)
    }

    /// Returns the resources needed if no database is in memory or on disk. The result depends
    /// on the arguments only.
    pub fn needs_from_scratch(&mut self, partition: &Partition, size: Size, blank: usize) -> Option<Needs> {
        self.count_needs(partition, size, blank, true)
    }

    fn count_needs(
        &mut self,
        partition: &Partition,
        size: Size,
        blank: usize,
        from_scratch: bool,
    ) -> Option<Needs> {
        let mut needs = Needs { bytes: 0, peak: 0, states: 0, to_read: 0 };
        let mut counted = Vec::new();
        for pattern in Self::patterns(partition, size, blank)? {
            let classes = self.classes(pattern)?;
            let table = table_bytes(&classes, pattern.tiles());
            let is_new = !counted.contains(&pattern.tiles());
            counted.push(pattern.tiles());
            let of_classes = if is_new { classes.bytes() as u64 } else { 0 };
            let more = if !from_scratch && self.find(pattern).is_some() {
                0
            } else if !from_scratch && self.store.as_ref().is_some_and(|store| store.has(pattern)) {
                needs.to_read += table;
                table
            } else {
                needs.states += build::states(pattern, &classes);
                build::bytes_needed(pattern, &classes)
            };
            needs.peak = needs.peak.max(needs.bytes + of_classes + more);
            needs.bytes += table + of_classes;
        }
        if size.cells() <= LABELS {
            needs.bytes += avx512_bytes(partition.patterns());
        }
        needs.peak = needs.peak.max(needs.bytes);
        Some(needs)
    }

    /// Returns the column words of the AVX-512 kernel for `patterns`; calls `make` if they are
    /// not cached.
    pub(in crate::pdb) fn shared_columns(
        &self,
        patterns: &[Pattern],
        make: impl FnOnce() -> Arc<[u64]>,
    ) -> Arc<[u64]> {
        let (frame, tiles) = (patterns[0].frame, patterns.iter().map(|pattern| pattern.tiles()).collect());
        let mut all = self.shared_columns.lock();
        if let Some((_, _, known)) = all.iter().find(|(of, sizes, _)| (*of, sizes) == (frame, &tiles)) {
            return known.clone();
        }
        let words = make();
        all.push((frame, tiles, words.clone()));
        words
    }

    /// Returns the database of `pattern`, if it is in memory.
    pub(in crate::pdb) fn find(&self, pattern: Pattern) -> Option<Arc<Database>> {
        self.databases.iter().find(|database| database.pattern() == pattern).cloned()
    }

    /// Returns whether all databases of `partition` are in memory.
    pub fn has(&self, partition: &Partition, size: Size, blank: usize) -> bool {
        Self::patterns(partition, size, blank)
            .is_some_and(|patterns| patterns.into_iter().all(|pattern| self.find(pattern).is_some()))
    }

    /// Loads or builds all databases of `partition`, with `threads` threads. Returns `false` if
    /// the partition does not fit the board.
    pub fn fetch(
        &mut self,
        partition: &Partition,
        size: Size,
        blank: usize,
        threads: usize,
        listener: Listener<'_>,
    ) -> Result<bool, BuildError> {
        let Some(patterns) = Self::patterns(partition, size, blank) else { return Ok(false) };
        let mut missing = Vec::new();
        let mut progress = BuildProgress::default();
        for pattern in patterns {
            if self.find(pattern).is_some() {
                continue;
            }
            let Some(classes) = self.classes(pattern) else { return Ok(false) };
            if !self.store.as_ref().is_some_and(|store| store.has(pattern)) {
                progress.of += 1;
                progress.states += build::states(pattern, &classes);
            }
            missing.push((pattern, classes));
        }
        for (pattern, classes) in missing {
            let database = self.load_or_build(pattern, &classes, threads, &mut progress, listener)?;
            self.databases.push(Arc::new(database));
        }
        Ok(true)
    }

    /// Loads a database from its file and verifies checksum, counts and a sample of distances.
    pub fn verify(store: &Store, pattern: Pattern) -> Result<(), Damage> {
        let classes = Arc::new(Classes::new(pattern.frame, pattern.tiles()).ok_or(Damage::Foreign)?);
        let database = store.load(pattern, &classes)?.ok_or(Damage::Foreign)?;
        if database.is_consistent() { Ok(()) } else { Err(Damage::Checksum) }
    }

    /// Loads a database from its file, or builds and saves it.
    fn load_or_build(
        &self,
        pattern: Pattern,
        classes: &Arc<Classes>,
        threads: usize,
        progress: &mut BuildProgress,
        listener: Listener<'_>,
    ) -> Result<Database, BuildError> {
        let states = build::states(pattern, classes);
        match self.store.as_ref().map(|store| store.load(pattern, classes)) {
            Some(Ok(Some(database))) => return Ok(database),
            Some(Err(damage)) => {
                listener(Event::Damaged(pattern, &damage));
                progress.of += 1;
                progress.states += states;
            }
            Some(Ok(None)) | None => {}
        }
        progress.number += 1;
        let before = *progress;
        let report: Report<'_> = &|reached, _| {
            listener(Event::Progress(pattern, BuildProgress { done: before.done + reached, ..before }))
        };
        let database = build::build(pattern, classes, threads, report)?;
        progress.done += states;
        match self.store.as_ref().map(|store| store.save(&database)) {
            Some(Ok(bytes)) => drop(listener(Event::Saved(pattern, bytes))),
            Some(Err(error)) => drop(listener(Event::NotSaved(pattern, &error))),
            None => {}
        }
        Ok(database)
    }
}

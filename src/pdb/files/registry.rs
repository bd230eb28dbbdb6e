//! The databases that are in use: each is in memory once, from its file or made
//! on the spot, whoever asks for it.

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

/// Databases in memory, and the folder where they are kept.
#[derive(Debug, Default)]
pub struct Library {
    store: Option<Store>,
    classes: Vec<Arc<Classes>>,
    databases: Vec<Arc<Database>>,
    /// What lanes look at, which is the same for all goals.
    shared_columns: Mutex<Vec<SharedColumns>>,
}

/// The tiles of some patterns, and what lanes look at.
type SharedColumns = (Frame, Vec<usize>, Arc<[u64]>);

/// What it takes to have a partition's databases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// Memory, once all are there.
    pub bytes: u64,
    /// Memory at the worst moment on the way there.
    pub peak: u64,
    /// States that have to be searched because there is no file.
    pub states: u64,
    /// Bytes that have to be read from files.
    pub to_read: u64,
}

/// What happens on the way to a database.
#[derive(Debug)]
pub enum Event<'e> {
    /// A file cannot be used, so the database is made again.
    Damaged(Pattern, &'e Damage),
    /// A database could not be written to its file; it is used all the same.
    NotSaved(Pattern, &'e io::Error),
    /// A database was written to a file of so many bytes.
    Saved(Pattern, u64),
    /// More states of a database that is being made are done.
    Progress(Pattern, BuildProgress),
}

/// How far the databases of a partition are that have to be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BuildProgress {
    /// The number of the database that is being made, from 1.
    pub number: usize,
    /// How many have to be made.
    pub of: usize,
    /// States done, of all these databases together.
    pub done: u64,
    /// States of all these databases.
    pub states: u64,
}

impl BuildProgress {
    /// Percent of all states that are done.
    pub fn percent(&self) -> u64 {
        (self.done as u128 * 100 / u128::from(self.states.max(1))) as u64
    }
}

/// Who is told, and says whether to go on.
pub type Listener<'l> = &'l (dyn Fn(Event<'_>) -> bool + Sync);

impl Library {
    /// An empty library that keeps what it makes in a store, if there is one.
    pub fn new(store: Option<Store>) -> Self {
        Self { store, ..Self::default() }
    }

    fn classes(&mut self, pattern: Pattern) -> Option<Arc<Classes>> {
        if let Some(known) =
            self.classes.iter().find(|classes| classes.matches(pattern.frame, pattern.tiles()))
        {
            return Some(known.clone());
        }
        let classes = Arc::new(Classes::new(pattern.frame, pattern.tiles())?);
        // Places of bits are numbered by 32 bits.
        if 8 * table_bytes(&classes, pattern.tiles()) > u64::from(u32::MAX) {
            return None;
        }
        self.classes.push(classes.clone());
        Some(classes)
    }

    /// The different databases that a partition of a board needs.
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

    /// What it takes to have all databases of a partition; none if it does not
    /// fit the board.
    pub fn needs(&mut self, partition: &Partition, size: Size, blank: usize) -> Option<Needs> {
        self.count_needs(partition, size, blank, false)
    }

    /// The same where nothing is in memory or on disk yet: it depends on the arguments
    /// alone.
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
        let made = make();
        all.push((frame, tiles, made.clone()));
        made
    }

    /// A database that is in memory.
    pub(in crate::pdb) fn find(&self, pattern: Pattern) -> Option<Arc<Database>> {
        self.databases.iter().find(|database| database.pattern() == pattern).cloned()
    }

    /// Whether all databases of a partition are in memory.
    pub fn has(&self, partition: &Partition, size: Size, blank: usize) -> bool {
        Self::patterns(partition, size, blank)
            .is_some_and(|patterns| patterns.into_iter().all(|pattern| self.find(pattern).is_some()))
    }

    /// Brings all databases of a partition into memory, with so many threads.
    /// Whether it fits the board.
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
        let mut made = BuildProgress::default();
        for pattern in patterns {
            if self.find(pattern).is_some() {
                continue;
            }
            let Some(classes) = self.classes(pattern) else { return Ok(false) };
            if !self.store.as_ref().is_some_and(|store| store.has(pattern)) {
                made.of += 1;
                made.states += build::states(pattern, &classes);
            }
            missing.push((pattern, classes));
        }
        for (pattern, classes) in missing {
            let database = self.load_or_build(pattern, &classes, threads, &mut made, listener)?;
            self.databases.push(Arc::new(database));
        }
        Ok(true)
    }

    /// Reads a database from its file and checks all that can be checked.
    pub fn verify(store: &Store, pattern: Pattern) -> Result<(), Damage> {
        let classes = Arc::new(Classes::new(pattern.frame, pattern.tiles()).ok_or(Damage::Foreign)?);
        let database = store.load(pattern, &classes)?.ok_or(Damage::Foreign)?;
        if database.is_consistent() { Ok(()) } else { Err(Damage::Checksum) }
    }

    fn load_or_build(
        &self,
        pattern: Pattern,
        classes: &Arc<Classes>,
        threads: usize,
        made: &mut BuildProgress,
        listener: Listener<'_>,
    ) -> Result<Database, BuildError> {
        let states = build::states(pattern, classes);
        match self.store.as_ref().map(|store| store.load(pattern, classes)) {
            Some(Ok(Some(database))) => return Ok(database),
            Some(Err(damage)) => {
                listener(Event::Damaged(pattern, &damage));
                made.of += 1;
                made.states += states;
            }
            Some(Ok(None)) | None => {}
        }
        made.number += 1;
        let before = *made;
        let report: Report<'_> = &|known, _| {
            listener(Event::Progress(pattern, BuildProgress { done: before.done + known, ..before }))
        };
        let database = build::build(pattern, classes, threads, report)?;
        made.done += states;
        match self.store.as_ref().map(|store| store.save(&database)) {
            Some(Ok(bytes)) => drop(listener(Event::Saved(pattern, bytes))),
            Some(Err(error)) => drop(listener(Event::NotSaved(pattern, &error))),
            None => {}
        }
        Ok(database)
    }
}

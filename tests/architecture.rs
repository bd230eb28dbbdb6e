//! The modules of the library depend on each other in one direction only.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The top-level modules, each of which may use those before it.
const ORDER: [&str; 19] = [
    "quantity",
    "files",
    "memory",
    "puzzle",
    "heuristic",
    "pdb",
    "search",
    "large",
    "model",
    "options",
    "input",
    "output",
    "check",
    "generate",
    "convert",
    "solve",
    "run",
    "tools",
    "cli",
];

fn rank(module: &str) -> Option<usize> {
    ORDER.iter().position(|&name| name == module)
}

/// All source files below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The code of a file without comments and without its tests.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The top-level modules that a file names after `crate::`, also in `crate::{a, b::C}`.
fn used(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let word = |text: &str| -> String {
            text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
        };
        if !rest.starts_with('{') {
            found.insert(word(rest));
            continue;
        }
        let mut depth = 0;
        for (at, c) in rest.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            if depth == 1 && matches!(c, '{' | ',') {
                found.insert(word(&rest[at + 1..]));
            }
        }
    }
    found
}

#[test]
fn modules_use_only_modules_below_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut wrong = Vec::new();
    for file in files {
        let path = file.strip_prefix(&root).unwrap();
        let first = path.components().next().unwrap().as_os_str().to_str().unwrap();
        let module = first.trim_end_matches(".rs");
        if matches!(module, "lib" | "main") {
            continue;
        }
        let own = rank(module).unwrap_or_else(|| panic!("{module} has no place in the order of modules"));
        for other in used(&code(&fs::read_to_string(&file).unwrap())) {
            if rank(&other).is_some_and(|other| other > own) {
                wrong.push(format!("{} uses {other}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

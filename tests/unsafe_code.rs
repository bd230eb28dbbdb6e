//! `docs/unsafe.md` lists just the files that allow unsafe code.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Every source file below a folder.
fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn the_list_of_unsafe_files_is_complete() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    let allows = |text: &str| text.contains("allow(unsafe_code)");
    let found: BTreeSet<String> = files
        .iter()
        .filter(|file| allows(&fs::read_to_string(file).unwrap()))
        .map(|file| file.strip_prefix(root).unwrap().to_str().unwrap().to_owned())
        .collect();
    let page = fs::read_to_string(root.join("docs/unsafe.md")).unwrap();
    let listed: BTreeSet<String> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `src/")?.split('`').next().map(|file| format!("src/{file}")))
        .collect();
    assert_eq!(listed, found);
}

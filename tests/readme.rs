//! The examples of the README and of the page for courses, run as they stand:
//! every `console` block goes to a shell with the real binary, and must print
//! what it says.

use std::{env, path::Path, process::Command};

/// A command of a page and what it prints.
struct Example {
    line: usize,
    command: String,
    output: String,
}

fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        match (inside, line.strip_prefix("$ ")) {
            (false, _) => inside = line == "```console",
            (true, _) if line == "```" => inside = false,
            (true, Some(command)) => {
                let command = command.to_owned();
                examples.push(Example { line: number + 1, command, output: String::new() });
            }
            (true, None) => {
                let example = examples.last_mut().expect("a block starts with a command");
                example.output += line;
                example.output.push('\n');
            }
        }
    }
    examples
}

#[test]
fn examples_of_the_readme_print_what_they_say() {
    run("README.md", include_str!("../README.md"), 4);
}

#[test]
fn examples_for_courses_print_what_they_say() {
    run("docs/courses.md", include_str!("../docs/courses.md"), 5);
}

/// Runs the examples of a page, of which there are at least so many.
fn run(page: &str, text: &str, least: usize) {
    let program = Path::new(env!("CARGO_BIN_EXE_batch-solve"));
    let mut path = vec![program.parent().unwrap().to_owned()];
    path.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let path = env::join_paths(path).unwrap();
    let examples = examples(text);
    assert!(examples.len() >= least, "{page} has lost its examples");
    for Example { line, command, output } in examples {
        let run = Command::new("sh")
            .args(["-c", &command])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("PATH", &path)
            .output()
            .unwrap();
        // Blanks at the end of lines do not show on the page.
        let printed = String::from_utf8(run.stdout).unwrap();
        let printed: String = printed.lines().flat_map(|line| [line.trim_end(), "\n"]).collect();
        assert_eq!(printed, output, "{page}, line {line}: {command}");
    }
}
